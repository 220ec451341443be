# SPDX-License-Identifier: Apache-2.0
#
# What `opbench new plugin` writes is examples/plugin/kernel, as texts in the program; and the headers beside a program in
# the build tree, as they are beside an installed one.

set(kernel_example ${PROJECT_SOURCE_DIR}/examples/plugin/kernel)
set(kernel_files ${kernel_example}/my_kernels.c ${kernel_example}/Makefile ${kernel_example}/CMakeLists.txt
    ${kernel_example}/cases.json ${kernel_example}/test.sh ${kernel_example}/README.md)
set(kernel_texts ${CMAKE_BINARY_DIR}/generated/new_plugin_texts.c)
add_custom_command(OUTPUT ${kernel_texts} VERBATIM
  COMMAND ${CMAKE_COMMAND} "-DFILES=${kernel_files}" -DOUTPUT=${kernel_texts} -DPREFIX=ob__new_
          -P ${PROJECT_SOURCE_DIR}/cmake/embed_text.cmake
  DEPENDS ${kernel_files} ${PROJECT_SOURCE_DIR}/cmake/embed_text.cmake)
target_sources(opbench_cli PRIVATE ${kernel_texts})

file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/include)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/include/opbench ${CMAKE_BINARY_DIR}/include/opbench SYMBOLIC)
