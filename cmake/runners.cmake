# SPDX-License-Identifier: Apache-2.0
#
# The Python runner as a text in the library, so that a program that was moved still has it.

set(runner ${PROJECT_SOURCE_DIR}/runners/python/snippet.py)
set(runner_source ${CMAKE_BINARY_DIR}/generated/python_runner.c)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${runner})
file(READ ${runner} bytes HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(................................................................................)"
       "\\1\n" bytes "${bytes}")
file(CONFIGURE OUTPUT ${runner_source} @ONLY CONTENT
"/* Made from runners/python/snippet.py. */
#include \"snippet/snippet_process.h\"

const char ob__python_runner[] = {
@bytes@0x00};
")
target_sources(ob_snippet PRIVATE ${runner_source})
