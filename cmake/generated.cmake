# SPDX-License-Identifier: Apache-2.0
#
# The man pages, printed by the program itself from its command rows: opbench(1), and one per command that is listed.

set(OB_GENERATED_DIR ${CMAKE_BINARY_DIR}/generated)
set(OB_MAN_DIR ${OB_GENERATED_DIR}/man1)
file(MAKE_DIRECTORY ${OB_MAN_DIR})
set(man_pages ${OB_MAN_DIR}/opbench.1)
set(man_commands COMMAND $<TARGET_FILE:opbench> __generate man > ${OB_MAN_DIR}/opbench.1)
set(command_rows ${PROJECT_SOURCE_DIR}/cli/commands.def)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${command_rows})
file(STRINGS ${command_rows} listed REGEX "^OB_COMMAND\\([a-z]+, \"")
foreach(row IN LISTS listed)
  string(REGEX REPLACE "^OB_COMMAND\\(([a-z]+),.*" "\\1" name "${row}")
  set(page ${OB_MAN_DIR}/opbench-${name}.1)
  list(APPEND man_pages ${page})
  list(APPEND man_commands COMMAND $<TARGET_FILE:opbench> __generate man ${name} > ${page})
endforeach()
add_custom_command(OUTPUT ${man_pages} ${man_commands} DEPENDS opbench VERBATIM)
add_custom_target(ob_generated ALL DEPENDS ${man_pages})
