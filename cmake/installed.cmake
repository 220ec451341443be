# SPDX-License-Identifier: Apache-2.0
#
# What is installed or removed after the first configure is noticed by the next build. CMake looks again for what it did
# not find, but only when it runs, and it keeps the places of what it found, even when nothing is there any more.

# The list of Debian's packages, and the folders to which things are installed by hand, change with every installation.
foreach(place /var/lib/dpkg/status /usr/local/include /usr/local/lib /usr/local/cuda)
  if(EXISTS ${place})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${place})
  endif()
endforeach()

# Our own findings are named OB_<what>_<place>, and looked for again: a folder that is still there may have lost the header.
get_cmake_property(cached CACHE_VARIABLES)
list(FILTER cached INCLUDE REGEX "^OB_.*_(INCLUDE|LIBRARY|CPU|C10)$")
foreach(variable IN LISTS cached)
  unset(${variable} CACHE)
endforeach()
