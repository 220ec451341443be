# SPDX-License-Identifier: Apache-2.0
#
# make install: program, both libraries, public headers, pkg-config file, man page, completion. The
# plug-ins' own rules are in cmake/plugin.cmake. The target product is all of that, without tests.

get_property(products GLOBAL PROPERTY OB_PRODUCTS)
add_custom_target(product
  DEPENDS opbench opbench_static opbench_shared ob_generated ${products})

set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH OB_PC_TO_PREFIX /${pc_dir} /)
string(REGEX REPLACE "/$" "" OB_PC_TO_PREFIX ${OB_PC_TO_PREFIX})
configure_file(cmake/opbench.pc.in ${CMAKE_BINARY_DIR}/opbench.pc @ONLY)

install(TARGETS opbench opbench_static opbench_shared
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/opbench DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h)
install(FILES ${CMAKE_BINARY_DIR}/opbench.pc DESTINATION ${pc_dir})
install(FILES ${OB_GENERATED_DIR}/opbench.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${OB_GENERATED_DIR}/opbench.bash
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME opbench)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
