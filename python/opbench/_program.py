# SPDX-License-Identifier: Apache-2.0
"""Where the program opbench is: in the wheel, in the build folder that the package is used from, or below the same prefix."""

import os
import pathlib


def _package_folder():
    """Where the extension is: in a build folder the Python files are links to those of the tree."""
    from opbench import _core

    return pathlib.Path(_core.__file__).parent


def program_path() -> str:
    """The path of the program; $OPBENCH_PROGRAM names another one."""
    named = os.environ.get("OPBENCH_PROGRAM")
    if named:
        return named
    package = _package_folder()
    # <prefix>/lib/python3/dist-packages/opbench is a package of Debian, whose program is <prefix>/bin/opbench.
    for path in (package / "_installed/bin/opbench", package.parent.parent / "opbench", *(
            prefix / "bin/opbench" for prefix in package.parents[3:4])):
        if os.access(path, os.X_OK) and path.is_file():
            return str(path)
    from opbench import Error

    error = Error(f"the program opbench is not in {package}; reinstall the package, or set OPBENCH_PROGRAM")
    error.fix = "reinstall the package, or set OPBENCH_PROGRAM"
    raise error
