# SPDX-License-Identifier: Apache-2.0
#
# Drivers compile a program for every operator and dtype, once; the results are kept with the build.
get_property(all_tests DIRECTORY PROPERTY TESTS)
foreach(test IN LISTS all_tests)
  if(NOT test MATCHES "^conform\\.opencl\\.")
    continue()
  endif()
  if(NOT test MATCHES "nn_f32$|support$")
    ob_label(${test} full)
  endif()
  set_tests_properties(${test} PROPERTIES ENVIRONMENT "POCL_CACHE_DIR=${CMAKE_BINARY_DIR}/pocl" TIMEOUT 1800)
  if(test MATCHES "beside")
    set_tests_properties(${test} PROPERTIES TIMEOUT 3600)
  endif()
  if(OB_SANITIZE)
    set_tests_properties(${test} PROPERTIES DISABLED TRUE) # the driver and its compiler are not ours to mend
  endif()
endforeach()
# What it takes does not depend on a driver: asked of the stand-in of tests/opencl, which compiles nothing. What is done with
# hostile calls on the host does not either, and sanitizers may look at it.
set(stand_in "LD_LIBRARY_PATH=${CMAKE_BINARY_DIR}/tests/fake_opencl;OCL_ICD_VENDORS=fake;FAKE_OPENCL=fp64")
set_tests_properties(conform.opencl.support PROPERTIES DISABLED FALSE ENVIRONMENT "${stand_in}")
add_test(NAME conform.opencl.hostile_host
  COMMAND conform $<TARGET_FILE:plugin_opencl> hostile 20000 1 best ${ops} ${nn} ${random} ${extra})
ob_label(conform.opencl.hostile_host quick)
set_tests_properties(conform.opencl.hostile_host PROPERTIES ENVIRONMENT
  "${stand_in};ASAN_OPTIONS=allocator_may_return_null=1:max_allocation_size_mb=4096")
