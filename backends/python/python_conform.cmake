# SPDX-License-Identifier: Apache-2.0
#
# A skipped test says why, through an interpreter that ends without flushing what C printed: -S leaves out installed packages.
add_test(NAME conform.python.says_why COMMAND sh -c "\"$@\" | grep 'skipped: .* has no torch'" sh
  ${OB_HOST_python} -S ${CMAKE_CURRENT_BINARY_DIR}/start_python $<TARGET_FILE:conform_python_host> conform
  $<TARGET_FILE:plugin_python> values ${ops} f32)
ob_label(conform.python.says_why quick)
set_property(TEST conform.python.says_why APPEND PROPERTY ENVIRONMENT_MODIFICATION ${ob_interpreter_environment})
