# SPDX-License-Identifier: Apache-2.0
#
# make install: program, both libraries, public headers, pkg-config files, man pages, completion, documentation,
# examples. The plug-ins' own rules are in cmake/plugin.cmake. The target product is all of that, without tests.

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
install(FILES ${man_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

# Where the shells look below a prefix. Debian has another folder of zsh for packages.
set(OB_ZSH_DIR ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING "Where the completion for zsh goes, below the prefix")
set(shells cli/help/shells)
install(FILES ${shells}/opbench.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME opbench)
install(FILES ${shells}/_opbench DESTINATION ${OB_ZSH_DIR})
install(FILES ${shells}/opbench.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# The package's own file: without the package it is a module by itself.
install(FILES python/opbench/capture.py DESTINATION ${CMAKE_INSTALL_DATADIR}/opbench/capture
  RENAME opbench_capture.py)
install(FILES python/patching_hook.py DESTINATION ${CMAKE_INSTALL_DATADIR}/opbench/capture)
# Laid out as in the tree, so that links between pages and the names in messages (docs/timer.md) hold.
install(FILES LICENSE README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
# The configs that help and docs use, and what plug-ins and embedders begin with.
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/opbench/examples
  USE_SOURCE_PERMISSIONS
  FILES_MATCHING PATTERN *.json PATTERN *.yaml PATTERN *.yml PATTERN *.[ch] PATTERN *.sh PATTERN *.md PATTERN Makefile
    PATTERN *.ipynb PATTERN CMakeLists.txt PATTERN build EXCLUDE)

# Where people look for them, and where the links of the documentation lead.
file(RELATIVE_PATH OB_EXAMPLES_FROM_DOC /${CMAKE_INSTALL_DOCDIR} /${CMAKE_INSTALL_DATADIR}/opbench/examples)
install(CODE "set(link ${CMAKE_INSTALL_DOCDIR}/examples)\nset(target ${OB_EXAMPLES_FROM_DOC})")
install(CODE [[
  file(CREATE_LINK ${target} "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${link}" SYMBOLIC)
  list(APPEND CMAKE_INSTALL_MANIFEST_FILES ${CMAKE_INSTALL_PREFIX}/${link})
]])

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
