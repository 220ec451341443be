# SPDX-License-Identifier: Apache-2.0
#
# make install: program, both libraries, public headers, pkg-config file, man page, completion,
# examples. The plug-ins' own rules are in cmake/plugin.cmake. The target product is all of that,
# without tests.

get_property(products GLOBAL PROPERTY OB_PRODUCTS)
add_custom_target(product
  DEPENDS opbench opbench_static opbench_shared ob_generated ${products})

set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH OB_PC_TO_PREFIX /${pc_dir} /)
string(REGEX REPLACE "/$" "" OB_PC_TO_PREFIX ${OB_PC_TO_PREFIX})
foreach(package opbench opbench-kit)
  configure_file(cmake/${package}.pc.in ${CMAKE_BINARY_DIR}/${package}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/${package}.pc DESTINATION ${pc_dir})
endforeach()

install(TARGETS opbench opbench_static opbench_shared
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/opbench DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h)
install(FILES ${OB_GENERATED_DIR}/opbench.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${OB_GENERATED_DIR}/opbench.bash
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME opbench)
# The package's own file: without the package it is a module by itself.
install(FILES python/opbench/capture.py DESTINATION ${CMAKE_INSTALL_DATADIR}/opbench/capture
  RENAME opbench_capture.py)
install(FILES python/patching_hook.py DESTINATION ${CMAKE_INSTALL_DATADIR}/opbench/capture)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
# The configs that help and docs use, and what plug-ins and embedders begin with.
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/opbench/examples
  USE_SOURCE_PERMISSIONS
  FILES_MATCHING PATTERN *.json PATTERN *.yaml PATTERN *.yml PATTERN *.[ch] PATTERN *.sh PATTERN *.md PATTERN Makefile
    PATTERN CMakeLists.txt PATTERN build EXCLUDE)

# The list of all files stands in the prefix itself, so that each prefix has its own and `make
# uninstall` works from any build, or none. Paths are relative: the tree can be moved. Last rule.
install(CODE "set(manifest ${CMAKE_INSTALL_DATADIR}/opbench/install_manifest.txt)")
install(CODE [[
  set(lines)
  foreach(file IN LISTS CMAKE_INSTALL_MANIFEST_FILES)
    file(RELATIVE_PATH file ${CMAKE_INSTALL_PREFIX} ${file})
    string(APPEND lines "${file}\n")
  endforeach()
  file(WRITE "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${manifest}" "${lines}${manifest}\n")
]])
