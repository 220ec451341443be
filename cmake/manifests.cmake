# SPDX-License-Identifier: Apache-2.0
#
# The manifests of all folders of backends/ as texts in the library, so that a program that was moved alone still knows
# what there could be. The files themselves lie beside the plug-ins (cmake/plugin.cmake).

file(GLOB manifests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/backends/*/*.backend.json)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${manifests})
set(manifest_texts)
set(manifest_rows)
foreach(manifest IN LISTS manifests)
  get_filename_component(name ${manifest} NAME)
  string(MAKE_C_IDENTIFIER ${name} symbol)
  file(READ ${manifest} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(APPEND manifest_texts "static const char ${symbol}[] = {${bytes}0x00};\n")
  string(APPEND manifest_rows "    {\"${name}\", ${symbol}},\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/own_manifests.c @ONLY CONTENT
"/* Made from backends/<name>/<name>.backend.json. */
#include \"plugin/manifests.h\"

#include <stddef.h>

@manifest_texts@
const ob__own_manifest ob__own_manifests[] = {
@manifest_rows@    {NULL, NULL},
};
")
target_sources(ob_plugin PRIVATE ${CMAKE_BINARY_DIR}/generated/own_manifests.c)
