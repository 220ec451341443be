# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel (PEP 517 and 660) without setuptools, so that no network is needed.

CMake builds the extension, the program and its plug-ins in the tree's own build folder; this file puts them into the wheel
beside the Python files. The extension uses the limited API: one wheel serves CPython 3.11 and all later ones.

Settings (`pip install -C NAME=VALUE`): build-dir, the build folder (default: build beside python/); jobs, how many compilers
at once.
"""

import argparse
import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sysconfig
import tempfile
import tomllib
import zipfile

HERE = pathlib.Path(__file__).resolve().parent.parent
TREE = HERE.parent
TARGETS = ("product", "python_core")
PACKAGE = "opbench"
# Below the package: an installed tree, in which the program finds its plug-ins from its own place.
PROGRAM = "_installed"
# What of an installation a user of the package needs.
INSTALLED = re.compile(r"bin/opbench|lib/opbench/.*|lib/libopbench_kit\.a|include/.*|share/opbench/(examples|capture)/.*|"
                       r"share/doc/opbench/LICENSE")
# The same tree gives the same bytes.
WHEN = (2020, 1, 1, 0, 0, 0)


class BuildError(Exception):
    """What pip shows; says what is wrong and what to do about it."""


# ---- building ----


def run(*command, cwd=TREE):
    print("+", *command, flush=True)
    try:
        subprocess.run([str(word) for word in command], check=True, cwd=cwd)
    except FileNotFoundError as error:
        raise BuildError(f"{command[0]} was not found; tools/install_deps python installs what the build needs") from error
    except subprocess.CalledProcessError as error:
        raise BuildError(f"{command[0]} failed; its messages are above") from error


def tree_version():
    return (TREE / "VERSION").read_text(encoding="utf-8").strip()


def build_folder(settings):
    named = settings.get("build-dir") or os.environ.get("OPBENCH_PYTHON_BUILD_DIR")
    return pathlib.Path(named).resolve() if named else TREE / "build"


def configure(build):
    """Leaves a configured tree alone but for Python's headers, which it takes from this Python if it has none."""
    if not (TREE / "CMakeLists.txt").is_file():
        raise BuildError(f"{TREE} is not opbench's tree: the package is built inside it")
    words = []
    headers = pathlib.Path(sysconfig.get_path("include"))
    if not (build / "CMakeCache.txt").is_file():
        words = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"] if shutil.which("ninja") else ["-DCMAKE_BUILD_TYPE=Release"]
    if (headers / "Python.h").is_file():
        cache = build / "CMakeCache.txt"
        found = cache.is_file() and re.search(r"^OB_PYTHON_HEADERS:\w+=(.+)$", cache.read_text(encoding="utf-8"), re.M)
        if not found or not pathlib.Path(found[1], "Python.h").is_file():
            words.append(f"-DOB_PYTHON_HEADERS={headers}")
    if words:
        run("cmake", "-S", TREE, "-B", build, *words)
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    if "OB_PYTHON_HEADERS-NOTFOUND" in cache:
        raise BuildError(f"there is no Python.h in {headers}: tools/install_deps python installs it, or python3-dev")


def build_all(settings):
    """The build folder, with all that a wheel holds."""
    build = build_folder(settings)
    configure(build)
    jobs = settings.get("jobs") or str(os.cpu_count() or 2)
    run("cmake", "--build", build, "--parallel", jobs, "--target", *TARGETS)
    return build


def extension_of(build):
    found = list((build / "python" / PACKAGE).glob("_core*.so"))
    if len(found) != 1:
        raise BuildError(f"the build has {len(found)} extensions in {build}/python/{PACKAGE}; remove that folder and try again")
    return found[0]


# ---- the wheel ----


def wheel_tag():
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"cp311-abi3-{platform}"


def metadata_files(with_scripts=True):
    """What stands in the dist-info folder but for RECORD: name, text."""
    project = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {tree_version()}",
        f"Summary: {project['description']}",
        f"License: {project['license']['text']}",
        f"Keywords: {','.join(project['keywords'])}",
        *(f"Classifier: {word}" for word in project["classifiers"]),
        f"Requires-Python: {project['requires-python']}",
        "Description-Content-Type: text/markdown",
        "",
        (HERE / project["readme"]).read_text(encoding="utf-8"),
    ]
    groups = {"console_scripts": project.get("scripts", {}) if with_scripts else {}, **project.get("entry-points", {})}
    entry_points = "\n".join(
        f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in rows.items())
        for group, rows in groups.items() if rows)
    wheel = ["Wheel-Version: 1.0", "Generator: opbench_wheel", "Root-Is-Purelib: false", f"Tag: {wheel_tag()}", ""]
    return {"METADATA": "\n".join(lines), "WHEEL": "\n".join(wheel), "entry_points.txt": entry_points}


class Wheel:
    """A wheel that is being written; RECORD comes last."""

    def __init__(self, folder):
        stem = f"{PACKAGE}-{tree_version()}"
        self.info = f"{stem}.dist-info"
        self.name = f"{stem}-{wheel_tag()}.whl"
        self.records = []
        self.path = pathlib.Path(folder, self.name)
        self.zip = zipfile.ZipFile(self.path, "w", zipfile.ZIP_DEFLATED, compresslevel=6)

    def add(self, name, data, executable=False):
        entry = zipfile.ZipInfo(name, WHEN)
        entry.external_attr = (0o100755 if executable else 0o100644) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.records.append(f"{name},sha256={digest},{len(data)}\n")

    def add_file(self, name, path):
        self.add(name, path.read_bytes(), os.access(path, os.X_OK))

    def finish(self):
        for name, text in metadata_files().items():
            self.add(f"{self.info}/{name}", text.encode())
        self.add(f"{self.info}/LICENSE", (TREE / "LICENSE").read_bytes())
        self.records.append(f"{self.info}/RECORD,,\n")
        self.zip.writestr(zipfile.ZipInfo(f"{self.info}/RECORD", WHEN), "".join(self.records))
        self.zip.close()
        return self.name


def package_files():
    """The package's own files in the tree: name in the wheel, path."""
    for top in sorted(path.parent for path in HERE.glob("*/__init__.py")):
        for path in sorted(top.rglob("*")):
            if path.suffix in (".py", ".pyi", ".typed") or path.name == "py.typed":
                yield str(path.relative_to(HERE)), path
    for path in sorted(HERE.glob("*.py")):  # modules beside the package
        yield path.name, path


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    build = build_all(config_settings or {})
    wheel = Wheel(wheel_directory)
    for name, path in package_files():
        wheel.add_file(name, path)
    extension = extension_of(build)
    with tempfile.TemporaryDirectory() as stage:
        run("cmake", "--install", build, "--prefix", stage, "--strip")
        stripped = pathlib.Path(stage, extension.name)
        shutil.copy(extension, stripped)
        if shutil.which("strip"):
            run("strip", "--strip-unneeded", stripped)
        wheel.add(f"{PACKAGE}/{extension.name}", stripped.read_bytes(), executable=True)
        for path in sorted(pathlib.Path(stage).rglob("*")):
            name = path.relative_to(stage).as_posix()
            if path.is_file() and not path.is_symlink() and INSTALLED.fullmatch(name):
                wheel.add_file(f"{PACKAGE}/{PROGRAM}/{name}", path)
    return wheel.finish()


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The package of the build folder, whose Python files are links to those of the tree."""
    build = build_all(config_settings or {})
    wheel = Wheel(wheel_directory)
    wheel.add(f"__editable__{PACKAGE}.pth", f"{build}/python\n".encode())
    return wheel.finish()


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    info = pathlib.Path(metadata_directory, f"{PACKAGE}-{tree_version()}.dist-info")
    info.mkdir()
    for name, text in metadata_files().items():
        (info / name).write_text(text, encoding="utf-8")
    return info.name


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_editable = get_requires_for_build_wheel


def build_sdist(sdist_directory, config_settings=None):
    raise BuildError("the package is built inside opbench's tree; there is no archive of python/ alone. "
                     "Build a wheel: pip wheel ./python")


def install_into(folder, build):
    """The package alone, for a package manager that installs the program and its plug-ins by itself."""
    info = pathlib.Path(folder, f"{PACKAGE}-{tree_version()}.dist-info")
    info.mkdir(parents=True)
    for name, path in package_files():
        target = pathlib.Path(folder, name)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    extension = extension_of(build)
    shutil.copyfile(extension, pathlib.Path(folder, PACKAGE, extension.name))
    for name, text in metadata_files(with_scripts=False).items():
        (info / name).write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description="Builds a wheel, or with --into installs the package of a finished build.")
    parser.add_argument("folder", nargs="?", help="where the wheel goes")
    parser.add_argument("--into", metavar="FOLDER", help="a folder of Python packages")
    parser.add_argument("--build-dir", metavar="DIR", type=pathlib.Path, default=TREE / "build")
    arguments = parser.parse_args()
    if arguments.into:
        install_into(arguments.into, arguments.build_dir)
    elif arguments.folder:
        os.makedirs(arguments.folder, exist_ok=True)
        print(pathlib.Path(arguments.folder, build_wheel(arguments.folder)))
    else:
        parser.error("name a folder for the wheel, or --into FOLDER")


if __name__ == "__main__":
    main()
