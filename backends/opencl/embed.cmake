# SPDX-License-Identifier: Apache-2.0
#
# cmake -DFILES=a.cl;b.cl -DINCLUDES=folder -DOUTPUT=sources.c -P embed.cmake: the kernel sources as strings, so that
# the plug-in is one file. A line #include "x.h" becomes the file of that folder: devices' compilers read no files.

set(text "/* Made from kernels/ by embed.cmake. */\n#include \"program.h\"\n\n")
set(rows "")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} source)
  string(REGEX MATCHALL "#include \"[a-z_]+\\.h\"" lines "${source}")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "#include \"(.*)\"" "\\1" name_of_line "${line}")
    file(READ ${INCLUDES}/${name_of_line} included)
    string(REPLACE "${line}" "${included}" source "${source}")
  endforeach()
  string(HEX "${source}" hex)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
  string(APPEND text "static const char text_of_${name}[] = {${bytes}0};\n")
  string(APPEND rows "    {\"${name}\", text_of_${name}},\n")
endforeach()
string(APPEND text "\nconst ocl_source ocl_sources[] = {\n${rows}    {0, 0},\n};\n")
file(WRITE ${OUTPUT} "${text}")
