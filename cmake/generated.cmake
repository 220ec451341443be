# SPDX-License-Identifier: Apache-2.0
#
# Man page and bash completion, printed by the program itself from its command rows.

set(OB_GENERATED_DIR ${CMAKE_BINARY_DIR}/generated)
file(MAKE_DIRECTORY ${OB_GENERATED_DIR})
add_custom_command(
  OUTPUT ${OB_GENERATED_DIR}/opbench.1 ${OB_GENERATED_DIR}/opbench.bash
  COMMAND $<TARGET_FILE:opbench> __generate man > ${OB_GENERATED_DIR}/opbench.1
  COMMAND $<TARGET_FILE:opbench> __generate bash > ${OB_GENERATED_DIR}/opbench.bash
  DEPENDS opbench
  VERBATIM)
add_custom_target(ob_generated ALL
  DEPENDS ${OB_GENERATED_DIR}/opbench.1 ${OB_GENERATED_DIR}/opbench.bash)
