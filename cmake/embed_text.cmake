# SPDX-License-Identifier: Apache-2.0
#
# cmake "-DFILES=a.cu;b.h" -DOUTPUT=texts.c -DPREFIX=x_ -P embed_text.cmake: each file as a string x_<name>, so that
# a plug-in is one file.

set(text "/* Made by cmake/embed_text.cmake. */\n")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND text "extern const char ${PREFIX}${name}[];\nconst char ${PREFIX}${name}[] = {${bytes}0};\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
