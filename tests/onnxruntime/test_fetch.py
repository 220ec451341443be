# SPDX-License-Identifier: Apache-2.0
#
# test_fetch.py SCRIPT: tools/fetch_onnxruntime with faked registries: a package with the right sum is installed, another one is not; a
# registry that fails or hangs is passed over, and it says which and why. Nothing comes from outside.

import hashlib
import io
import os
import pathlib
import platform
import re
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

script = pathlib.Path(sys.argv[1])
MACHINE = platform.machine()
if MACHINE not in ("x86_64", "aarch64"):
    print("skipped: the packages have no library for this machine")
    sys.exit(77)
LIBRARY = b"\x7fELF OrtGetApiBase"
TOOLS = ("sh cat cp mv rm ln ls find grep head tail cut sort sha512sum timeout tar gzip mktemp mkdir chmod dirname uname env sleep "
         "touch readlink").split()
HANGS = "#!/bin/sh\nsleep 600\n"
FAILS = "#!/bin/sh\necho 'no matching package' >&2\nexit 1\n"


def program(path, text):
    path.write_text(text)
    path.chmod(0o755)


class Stage:
    """A home, and a folder of programs in which pip, npm and ldconfig are ours."""

    def __init__(self, folder):
        self.home = folder / "home"
        self.bin = folder / "bin"
        self.data = self.home / ".local/share/opbench/onnxruntime"
        self.link = self.data / "libonnxruntime.so"
        self.tar, self.wheel = folder / "made.tgz", folder / "onnxruntime-0-made.whl"
        self.script = folder / "fetch"
        for made in (self.home, self.bin):
            made.mkdir(parents=True)
        for tool in TOOLS:
            place = next(p for p in ("/usr/bin", "/bin") if os.path.exists(f"{p}/{tool}"))
            (self.bin / tool).symlink_to(f"{place}/{tool}")
        program(self.bin / "ldconfig", "#!/bin/sh\n")
        self.pack(LIBRARY)

    def pack(self, content):
        """Packages with this as the library, and a script that knows their sums and is impatient."""
        name = {"x86_64": "x64", "aarch64": "arm64"}[MACHINE]
        with tarfile.open(self.tar, "w:gz") as tar:
            info = tarfile.TarInfo(f"package/bin/napi-v3/linux/{name}/libonnxruntime.so.1")
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
        with zipfile.ZipFile(self.wheel, "w") as wheel:
            wheel.writestr("onnxruntime/capi/libonnxruntime.so.1.20.1", content)
            wheel.writestr("onnxruntime/__init__.py", "raise SystemExit('run')")
        text = script.read_text()
        for name, file in (("npm:onnxruntime-node@1.20.1", self.tar), (f"pypi:onnxruntime@1.20.1:{MACHINE}", self.wheel)):
            total = hashlib.sha512(file.read_bytes()).hexdigest()
            text, count = re.subn(rf"({re.escape(name)}\) echo) [0-9a-f]+", rf"\1 {total}", text)
            assert count == 1, name
        self.script.write_text(re.sub(r"(ask|get)_seconds=\d+", r"\1_seconds=2", text))

    def pip(self, text=None):
        """`python3 -m pip download` brings the wheel; -m zipfile is the real one."""
        program(self.bin / "python3", f'#!/bin/sh\n[ "$2" = zipfile ] && exec {sys.executable} "$@"\n'
                '[ "$1 $2 $3" = "-m pip --version" ] && exit 0\n'
                'case "$*" in *" download "*"--no-deps --only-binary=:all:"*) ;; *) exit 9 ;; esac\n'
                + (text or f"mkdir wheel && cp {self.wheel} wheel/\n"))

    def npm(self, text=None):
        program(self.bin / "npm", text or '#!/bin/sh\n[ "$1" = view ] && exit 0\n'
                '[ "$1 $2" = "pack --ignore-scripts" ] || exit 1\n' f"cp {self.tar} package.tgz && echo package.tgz\n")

    def run(self, *words, given=None):
        return subprocess.run(["/bin/sh", str(given or self.script), *words], capture_output=True, text=True, timeout=120,
                              env={"PATH": str(self.bin), "HOME": str(self.home)})

    def refused(self, *texts, words=(), given=None):
        done = self.run(*words, given=given)
        assert done.returncode == 1 and not self.link.exists(), done
        for text in texts:
            assert text in done.stderr, (text, done)

    def installs(self, how, *words):
        done = self.run(*words)
        assert done.returncode == 0 and how in done.stdout and str(self.link) in done.stdout, done
        assert self.link.read_bytes() == LIBRARY
        assert os.readlink(self.link) == "1.20.1/libonnxruntime.so.1.20.1"
        assert [p.name for p in self.data.rglob("*") if p.is_file() and not p.is_symlink()] == ["libonnxruntime.so.1.20.1"]
        return done

    def forget(self):
        self.link.unlink()


def check_sums(stage):
    stage.pip()
    stage.npm()
    for registry in ("pypi", "npm"):
        stage.refused("its sum is another one", words=("--from", registry), given=script)
    stage.refused("pypi:onnxruntime", "its sum is another one", given=script)  # no reason to ask npm
    stage.pack(b"something else")
    for registry in ("pypi", "npm"):
        stage.refused("not ONNX Runtime", words=("--from", registry))
    stage.pack(LIBRARY)


def check_registries(stage):
    stage.refused("PyPI: pip is not here", "python3-pip", "npm: npm is not here", "skipped")
    stage.npm()
    stage.installs("with npm")
    assert stage.run("--if-missing", "--from", "pypi").returncode == 0  # it is there: nobody is asked
    stage.forget()
    stage.pip()
    stage.installs("with pip")
    stage.forget()
    stage.installs("with npm", "--from", "npm")
    stage.forget()
    stage.pip("sleep 600\n")
    assert "PyPI: the registry does not answer" in stage.installs("with npm").stderr
    stage.forget()
    stage.pip("echo 'ERROR: no matching package' >&2\nexit 1\n")
    stage.npm(HANGS)
    stage.refused("PyPI: ERROR: no matching package", "npm: the registry does not answer", "skipped")
    stage.npm(FAILS)
    stage.refused("npm: no matching package")
    stage.pip('echo "WARNING: Retrying after connection broken by X" >&2\necho "ERROR: no matching package" >&2\nexit 1\n')
    stage.refused("PyPI: the registry does not answer (connection broken by X)")


def check_what_is_not_ours(stage):
    stage.npm()
    stage.data.mkdir(parents=True)
    for make in (lambda: stage.link.write_bytes(b"mine"), lambda: stage.link.symlink_to("/opt/mine.so")):
        make()
        done = stage.run("--from", "npm")
        assert done.returncode == 1 and "was not made by this script, so it stays; move it away" in done.stderr, done
        assert os.readlink(stage.link) == "/opt/mine.so" if stage.link.is_symlink() else stage.link.read_bytes() == b"mine"
        stage.link.unlink()
    stage.installs("with npm")
    stage.installs("with npm")  # its own is replaced


def check_interrupt(stage):
    """Ctrl-c reaches the script alone: what it waits for has a process group of its own."""
    stage.npm(f"#!/bin/sh\necho $$ > {stage.home}/pid\nsleep 600\n")
    stage.script.write_text(re.sub(r"(ask|get)_seconds=\d+", r"\1_seconds=600", stage.script.read_text()))
    with subprocess.Popen(["/bin/sh", str(stage.script), "--from", "npm"], start_new_session=True, stderr=subprocess.DEVNULL,
                          env={"PATH": str(stage.bin), "HOME": str(stage.home), "TMPDIR": str(stage.home)}) as child:
        while not (stage.home / "pid").exists() or not (stage.home / "pid").read_text().endswith("\n"):
            time.sleep(0.05)
        child.send_signal(signal.SIGINT)
        assert child.wait(timeout=60) == 1
    waited = int((stage.home / "pid").read_text())
    for _ in range(200):
        if not os.path.exists(f"/proc/{waited}"):
            break
        time.sleep(0.05)
    assert not os.path.exists(f"/proc/{waited}"), "npm goes on"
    assert os.listdir(stage.home) == ["pid"], os.listdir(stage.home)


def check_system(stage):
    stage.npm(FAILS)
    for name, known in (("libonnxruntime.so.1", True), ("libonnxruntime.so.1.21", True), ("libonnxruntime.so.1.19", False),
                        ("libonnxruntime_providers_shared.so", False)):
        program(stage.bin / "ldconfig", f"#!/bin/sh\nprintf '\\t{name} (libc6,x86-64) => /usr/lib/{name}\\n'\n")
        assert stage.run("--if-missing").returncode == (0 if known else 1), name


with tempfile.TemporaryDirectory() as name:
    for number, check in enumerate((check_registries, check_sums, check_what_is_not_ours, check_interrupt, check_system)):
        check(Stage(pathlib.Path(name, str(number))))
    last = Stage(pathlib.Path(name, "last"))
    homeless = subprocess.run(["/bin/sh", str(last.script)], capture_output=True, text=True, env={"PATH": str(last.bin)})
    assert homeless.returncode == 1 and "there is no home directory; set XDG_DATA_HOME" in homeless.stderr, homeless
    for words, code in ((("1.2.3",), 1), (("nonsense",), 2), (("--from",), 2), (("--from", "elsewhere"), 2)):
        assert last.run(*words).returncode == code, words
