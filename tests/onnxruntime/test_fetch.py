# SPDX-License-Identifier: Apache-2.0
#
# test_fetch.py SCRIPT: tools/fetch_onnxruntime with a faked npm: a package with the right sum is installed, another one is not,
# and it says what is missing. Nothing comes from outside.

import hashlib
import io
import os
import pathlib
import platform
import re
import subprocess
import sys
import tarfile
import tempfile

script = pathlib.Path(sys.argv[1])
MACHINE = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine())
if MACHINE is None:
    print("skipped: the package has no library for this machine")
    sys.exit(77)


def make_package(path, content):
    with tarfile.open(path, "w:gz") as tar:
        name = f"package/bin/napi-v3/linux/{MACHINE}/libonnxruntime.so.1"
        info = tarfile.TarInfo(name)
        info.size = len(content)
        tar.addfile(info, io.BytesIO(content))


def fake_npm(folder, package):
    """npm pack puts the package into its folder and says its name; anything but `pack --ignore-scripts` fails."""
    bin_folder = folder / "bin"
    bin_folder.mkdir(exist_ok=True)
    npm = bin_folder / "npm"
    npm.write_text('#!/bin/sh\n[ "$1 $2" = "pack --ignore-scripts" ] || exit 1\n'
                   f"cp {package} package.tgz && echo package.tgz\n")
    npm.chmod(0o755)
    return bin_folder


def run(path, folder, bin_folder, *words):
    env = {"PATH": f"{bin_folder}:/usr/bin:/bin", "HOME": str(folder)}
    return subprocess.run(["/bin/sh", str(path), *words], capture_output=True, text=True, env=env)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    package = folder / "made.tgz"
    make_package(package, b"\x7fELF OrtGetApiBase")
    bin_folder = fake_npm(folder, package)
    link = folder / ".local/share/opbench/onnxruntime/libonnxruntime.so"

    done = run(script, folder, bin_folder)
    assert done.returncode == 1 and "sum" in done.stderr and not link.exists(), done

    # The same script, told of this package's sum.
    total = hashlib.sha512(package.read_bytes()).hexdigest()
    mine = folder / "fetch"
    mine.write_text(re.sub(r"(onnxruntime-node@1\.20\.1\) echo) [0-9a-f]+", rf"\1 {total}", script.read_text()))
    done = run(mine, folder, bin_folder)
    assert done.returncode == 0, done
    assert link.read_bytes() == b"\x7fELF OrtGetApiBase"
    assert os.readlink(link) == "1.20.1/libonnxruntime.so.1.20.1"
    assert str(link) in done.stdout, done.stdout
    assert not list(link.parent.rglob("*.new"))

    (bin_folder / "npm").unlink()
    assert run(mine, folder, bin_folder, "--if-missing").returncode == 0  # it is there: npm is not asked
    if not os.path.exists("/usr/bin/npm") and not os.path.exists("/bin/npm"):
        done = run(mine, folder, bin_folder)
        assert done.returncode == 1 and "npm is not here" in done.stderr, done

    make_package(package, b"something else")
    fake_npm(folder, package)
    total = hashlib.sha512(package.read_bytes()).hexdigest()
    mine.write_text(re.sub(r"(onnxruntime-node@1\.20\.1\) echo) [0-9a-f]+", rf"\1 {total}", script.read_text()))
    done = run(mine, folder, bin_folder)
    assert done.returncode == 1 and "not ONNX Runtime" in done.stderr, done

    (bin_folder / "npm").write_text("#!/bin/sh\nexit 1\n")
    done = run(script, folder, bin_folder)
    assert done.returncode == 1 and "npm could not get" in done.stderr, done
    for words, code in ((("1.2.3",), 1), (("nonsense",), 2)):
        assert run(script, folder, bin_folder, *words).returncode == code
