# SPDX-License-Identifier: Apache-2.0
"""subprocess in a text is none."""
import os
import subprocess

os.execv("/bin/true", ["true"])
