# SPDX-License-Identifier: Apache-2.0
#
# Builds for aarch64 on another architecture, with the headers and libraries of an arm64 Debian in a folder:
#   cmake -S . -B build-arm64 -G Ninja --toolchain cmake/toolchains/aarch64-linux-gnu.cmake -DCMAKE_SYSROOT=FOLDER
# Programs that the build makes and runs need binfmt_misc with qemu-aarch64, and QEMU_LD_PREFIX=FOLDER. Tests run inside
# the system, with the build at the same path (tools/test_on --arch arm64 does all that).

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
# By their full names, which native compilers of Debian have too: some tests compile, inside the system.
set(CMAKE_C_COMPILER /usr/bin/aarch64-linux-gnu-gcc)
if(EXISTS /usr/bin/aarch64-linux-gnu-g++)
  set(CMAKE_CXX_COMPILER /usr/bin/aarch64-linux-gnu-g++)
else()
  set(CMAKE_CXX_COMPILER NOTFOUND CACHE FILEPATH "No C++ compiler for aarch64") # or CMake takes that for its own machine
endif()

# Debian's cross compilers look into a C library of their own before the folder's, which may be of a later release.
foreach(kind IN ITEMS EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "-L${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu")
endforeach()

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${CMAKE_SYSROOT}")
set(ENV{PKG_CONFIG_LIBDIR}
    "${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig")
# The interpreter for tests is that of the system.
set(Python3_EXECUTABLE /usr/bin/python3)
