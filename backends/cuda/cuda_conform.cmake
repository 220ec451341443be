# SPDX-License-Identifier: Apache-2.0
#
# Without a GPU, tests/cuda stands in for its driver, and starts a compiler for every kernel.
get_property(all_tests DIRECTORY PROPERTY TESTS)
foreach(test IN LISTS all_tests)
  if(NOT test MATCHES "^conform\\.cuda\\.")
    continue()
  endif()
  if(NOT test MATCHES "f32$|support$")
    ob_label(${test} full)
  endif()
  set_tests_properties(${test} PROPERTIES ENVIRONMENT "LD_LIBRARY_PATH=${CMAKE_BINARY_DIR}/tests/fake_cuda")
  if(test MATCHES "beside")
    set_tests_properties(${test} PROPERTIES TIMEOUT 3600)
  endif()
endforeach()
set_tests_properties(conform.cuda.support
  PROPERTIES ENVIRONMENT "LD_LIBRARY_PATH=${CMAKE_BINARY_DIR}/tests/fake_cuda;FAKE_CUDA=dry")
