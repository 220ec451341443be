# SPDX-License-Identifier: Apache-2.0
#
# ob_add_plugin(<name> <sources...> [LIBRARIES <targets...>] [NO_INSTALL])
#
# A plug-in of this tree: the module <name>.so in build/plugins, installed to
# <prefix>/lib/opbench/plugins. It links against nothing of the library (the host's table comes in at
# run time), so everything but its entry symbol is hidden. Target name: plugin_<name>. What is known of a backend without
# loading it, <name>.backend.json of its folder, goes with it.

function(ob_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NO_INSTALL" "" "LIBRARIES")
  set(target plugin_${name})
  add_library(${target} MODULE ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${target} PRIVATE ob_flags ${arg_LIBRARIES})
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${name} PREFIX "" C_VISIBILITY_PRESET hidden
    LIBRARY_OUTPUT_DIRECTORY ${OB_PLUGIN_OUTPUT_DIR})
  set(manifest ${CMAKE_CURRENT_SOURCE_DIR}/${name}.backend.json)
  if(EXISTS ${manifest})
    configure_file(${manifest} ${OB_PLUGIN_OUTPUT_DIR}/${name}.backend.json COPYONLY)
  endif()
  if(NOT arg_NO_INSTALL)
    if(EXISTS ${manifest})
      install(FILES ${manifest} DESTINATION ${OB_PLUGIN_SUBDIR})
    endif()
    set_property(GLOBAL APPEND PROPERTY OB_PRODUCTS ${target})
    install(TARGETS ${target} LIBRARY DESTINATION ${OB_PLUGIN_SUBDIR})
  endif()
endfunction()

# ob_add_absent_plugin(<name> <reason>): in place of a backend that cannot be built here. Listings have the reason, which
# says what to install; it is at most 255 bytes.
function(ob_add_absent_plugin name reason)
  message(STATUS "${name} backend: ${reason}")
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/absent_because.h
       CONTENT "#define OB_ABSENT_BECAUSE \"@reason@\"\n" @ONLY)
  ob_add_plugin(${name} ${PROJECT_SOURCE_DIR}/backends/absent.c)
  target_include_directories(plugin_${name} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
endfunction()
