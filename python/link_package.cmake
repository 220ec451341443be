# SPDX-License-Identifier: Apache-2.0
#
# Puts links to all files of the package in FROM below TO, where the extension is: a change of a Python file needs no build.
file(GLOB_RECURSE files RELATIVE ${FROM} ${FROM}/opbench/*.py ${FROM}/opbench/*.pyi ${FROM}/opbench/py.typed)
file(GLOB beside RELATIVE ${FROM} ${FROM}/*.py)
foreach(file IN LISTS files beside)
  get_filename_component(folder ${TO}/${file} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  file(CREATE_LINK ${FROM}/${file} ${TO}/${file} SYMBOLIC)
endforeach()
