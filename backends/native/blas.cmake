# SPDX-License-Identifier: Apache-2.0
#
# rows_loops.c and halves_loops.c are compiled once per instruction set, as loops.c is. OpenBLAS is opened when it is
# needed, so nothing is linked for it but the dynamic loader.

get_target_property(row_sources plugin_native SOURCES)
list(FILTER row_sources EXCLUDE REGEX "(rows|halves)_loops\\.c$")
set_property(TARGET plugin_native PROPERTY SOURCES ${row_sources})
foreach(isa IN LISTS isas)
  add_library(native_rows_${isa} OBJECT rows_loops.c)
  target_link_libraries(native_rows_${isa} PRIVATE ob_flags backend_plan)
  target_compile_options(native_rows_${isa} PRIVATE ${loop_flags} ${isa_flags_${isa}})
  target_compile_definitions(native_rows_${isa} PRIVATE NATIVE_ISA=${isa})
  set_target_properties(native_rows_${isa} PROPERTIES C_VISIBILITY_PRESET hidden)
  target_sources(plugin_native PRIVATE $<TARGET_OBJECTS:native_rows_${isa}>)
endforeach()

# Halves have one set more, for processors that multiply bf16, where the compiler knows it.
include(CheckCCompilerFlag)
set(half_isas ${isas})
if("avx512" IN_LIST isas)
  check_c_compiler_flag(-mavx512bf16 OB_HAS_AVX512BF16)
  if(OB_HAS_AVX512BF16)
    list(APPEND half_isas avx512bf16)
    set(isa_flags_avx512bf16 ${isa_flags_avx512} -mavx512bf16)
    target_compile_definitions(plugin_native PRIVATE NATIVE_HAS_AVX512BF16)
  endif()
endif()
foreach(isa IN LISTS half_isas)
  add_library(native_halves_${isa} OBJECT halves_loops.c)
  target_link_libraries(native_halves_${isa} PRIVATE ob_flags backend_plan)
  target_compile_options(native_halves_${isa} PRIVATE ${loop_flags} ${isa_flags_${isa}})
  target_compile_definitions(native_halves_${isa} PRIVATE NATIVE_ISA=${isa})
  set_target_properties(native_halves_${isa} PROPERTIES C_VISIBILITY_PRESET hidden)
  target_sources(plugin_native PRIVATE $<TARGET_OBJECTS:native_halves_${isa}>)
endforeach()
target_link_libraries(plugin_native PRIVATE ${CMAKE_DL_LIBS})
