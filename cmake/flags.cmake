# SPDX-License-Identifier: Apache-2.0
#
# What every target of ours is compiled and linked with: link ob_flags.

add_library(ob_flags INTERFACE)
# -ffp-contract=off: a fused multiply-add would make random draws differ between machines.
target_compile_options(ob_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow -ffp-contract=off)
# Packages are built with compilers and flags that we do not know.
option(OB_WERROR "Warnings are errors" ON)
if(OB_WERROR)
  target_compile_options(ob_flags INTERFACE -Werror)
endif()
# Constants are enumerators here, and are computed with as numbers: -Wconversion of clang 18 and later minds that.
include(CheckCCompilerFlag)
check_c_compiler_flag(-Wenum-float-conversion OB_KNOWS_ENUM_FLOAT)
if(OB_KNOWS_ENUM_FLOAT)
  target_compile_options(ob_flags INTERFACE -Wno-enum-float-conversion)
endif()
target_compile_definitions(ob_flags INTERFACE _GNU_SOURCE)
target_include_directories(ob_flags INTERFACE ${PROJECT_SOURCE_DIR}/include)

set(sanitizers)
if(OB_SANITIZE OR OB_FUZZ)
  list(APPEND sanitizers address undefined)
endif()
if(OB_TSAN)
  if(sanitizers)
    message(FATAL_ERROR "OB_TSAN cannot be combined with OB_SANITIZE or OB_FUZZ; configure another folder (cmake --preset tsan)")
  endif()
  list(APPEND sanitizers thread)
endif()
if(OB_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "OB_FUZZ needs clang: configure with -DCMAKE_C_COMPILER=clang (make fuzz does)")
  endif()
  # Coverage feedback in the library; the fuzzer's own main is linked by the targets alone.
  list(APPEND sanitizers fuzzer-no-link)
endif()
if(sanitizers)
  list(JOIN sanitizers "," sanitizers)
  target_compile_options(ob_flags INTERFACE
    -fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
  target_link_options(ob_flags INTERFACE -fsanitize=${sanitizers})
endif()
if(OB_COVERAGE)
  target_compile_options(ob_flags INTERFACE --coverage -O0 -g)
  target_link_options(ob_flags INTERFACE --coverage)
endif()
