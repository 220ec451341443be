# SPDX-License-Identifier: Apache-2.0
"""--torch and OPBENCH_TORCH: which libtorch is taken, when the backend's part is compiled for it, and what is said where that
cannot be. Compiling takes a minute, so a stand-in for the compiler gives the part that is there already, for a libtorch that
is the system's under another name; OPBENCH_TEST_TORCH names a real other one."""

import json
import os
import re
import shutil
import stat
import subprocess
import unittest

import torch_case
from torch_case import TorchTest, entry, operator, tensor

PLUGINS = os.path.join(os.path.dirname(torch_case.program), "plugins")
BUILT = os.path.join(PLUGINS, "torch", "libtorch.txt")

COMPILER = """#!/bin/sh
echo "$@" >> "$LOG"
while [ $# -gt 1 ]; do [ "$1" = -o ] && cp "$SHIM" "$2"; shift; done
"""


def include_of(library):
    """Where the headers of the libtorch are that the shim was built with."""
    root = os.path.dirname(library)
    while root != "/":
        if os.path.exists(os.path.join(root, "include/ATen/ATen.h")):
            return os.path.join(root, "include")
        root = os.path.dirname(root)
    raise AssertionError(f"no headers above {library}")


class ChooseTest(TorchTest):
    def setUp(self):
        super().setUp()
        self.cache = self.path("cache")
        self.log = self.path("log")
        self.environment = {**os.environ, "XDG_CACHE_HOME": self.cache, "LOG": self.log,
                            "SHIM": os.path.join(PLUGINS, "torch", "shim.so")}
        self.environment.pop("OPBENCH_TORCH", None)
        self.config = self.write("config.json", json.dumps({"torch.add": operator(entry(tensor(4), tensor(4)))}))

    def script(self, name, text):
        path = self.write(name, text)
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        return path

    def opbench(self, *words, **variables):
        return subprocess.run([torch_case.program, *words], env={**self.environment, **variables}, text=True,
                              capture_output=True, check=False, timeout=torch_case.LIMIT_S, cwd=self.folder)

    def time(self, *options, **variables):
        """One case; the records, and how the program ended."""
        output = self.path("records.json")
        if os.path.exists(output):
            os.remove(output)
        done = self.opbench("run", "-c", self.config, "--backend", "torch", "-i", "1", "-w", "1", "--output", output,
                            *options, **variables)
        records = ""
        if os.path.exists(output):
            with open(output, encoding="utf-8") as file:
                records = file.read()
        return records, done

    def other_root(self):
        """The system's libtorch, laid out as a package and of a release that nobody has."""
        with open(BUILT, encoding="utf-8") as file:
            library, version = file.read().split()
        include = include_of(library)
        root = self.path("package")
        os.makedirs(os.path.join(root, "lib"))
        api = "include/torch/csrc/api/include/torch"
        os.makedirs(os.path.join(root, api))
        os.makedirs(os.path.join(root, "include/ATen"))
        shutil.copy(os.path.join(include, "ATen/ATen.h"), os.path.join(root, "include/ATen/ATen.h"))
        major, minor, patch = version.split(".")
        with open(os.path.join(root, api, "version.h"), "w", encoding="utf-8") as file:
            file.write(f"#define TORCH_VERSION_MAJOR {major}\n#define TORCH_VERSION_MINOR {minor}\n"
                       f"#define TORCH_VERSION_PATCH {int(patch) + 90}\n")
        for name in ("libtorch_cpu.so", "libc10.so"):
            os.symlink(os.path.join(os.path.dirname(library), name), os.path.join(root, "lib", name))
        return root, f"{major}.{minor}.{int(patch) + 90}"

    def calls(self):
        if not os.path.exists(self.log):
            return []
        with open(self.log, encoding="utf-8") as file:
            return file.read().splitlines()

    def libtorch_of(self, records):
        found = re.findall('"libtorch_path" *: *"([^"]*)"', records)
        self.assertEqual(len(found), 1, records)
        return found[0]


class Chosen(ChooseTest):
    def test_the_one_it_was_built_with_needs_no_compiler(self):
        with open(BUILT, encoding="utf-8") as file:
            root = os.path.dirname(include_of(file.readline().strip()))
        records, done = self.time("--torch", root, CXX="/nonexistent")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        self.assertIn("libtorch_cpu", self.libtorch_of(records))

    def test_another_is_compiled_once_and_kept(self):
        root, version = self.other_root()
        compiler = self.script("c++", COMPILER)
        records, done = self.time("--torch", root, CXX=compiler)
        self.assertEqual(done.returncode, 0, done)
        self.assertIn(f"compiling the part for libtorch {version} of {root}, which takes a minute and is done once", done.stderr)
        self.assertIn("libtorch_cpu", self.libtorch_of(records))
        self.assertEqual(len(self.calls()), 1)
        words = self.calls()[0].split()
        for word in (f"{root}/include", f"{root}/lib/libtorch_cpu.so", "-rpath", f"{root}/lib", "-shared"):
            self.assertIn(word, words)
        # Again, by the environment: nothing is compiled; and a touched library is another one.
        _, done = self.time(CXX=compiler, OPBENCH_TORCH=root)
        self.assertEqual((done.returncode, done.stderr, len(self.calls())), (0, "", 1), done)
        os.remove(os.path.join(root, "lib/libtorch_cpu.so"))
        with open(BUILT, encoding="utf-8") as file:
            shutil.copyfile(os.path.realpath(file.readline().strip()), os.path.join(root, "lib/libtorch_cpu.so"))
        self.time("--torch", root, CXX=compiler)
        self.assertEqual(len(self.calls()), 2)

    def test_a_python_says_where_its_package_is(self):
        root, _ = self.other_root()
        compiler = self.script("c++", COMPILER)
        python = self.script("python", f"#!/bin/sh\necho noise\necho {root}\n")
        _, done = self.time("--torch", python, CXX=compiler)
        self.assertEqual((done.returncode, len(self.calls())), (0, 1), done)
        # The same by its name, as a shell would find it.
        _, done = self.time("--torch", "python", CXX=compiler, PATH=self.folder)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("Missing: python3, the interpreter, is not in PATH", done.stderr)
        os.mkdir(self.path("bin"))
        os.rename(python, self.path("bin/python3.99"))
        _, done = self.time("--torch", "python3.99", CXX=compiler, PATH=f"{self.path('bin')}:/usr/bin:/bin",
                            OPBENCH_TORCH="/nonexistent")
        self.assertEqual((done.returncode, len(self.calls())), (0, 1), done)

    def test_a_repro_line_takes_the_same_one(self):
        os.rename(self.other_root()[0], self.path("a package"))
        root, again = self.path("a package"), self.path("again.json")
        compiler = self.script("c++", COMPILER)
        for options, variables in ((("--torch", root), {}), ((), {"OPBENCH_TORCH": root})):
            records, done = self.time(*options, CXX=compiler, **variables)
            self.assertEqual(done.returncode, 0, done)
            (repro,) = [r["repro"] for r in map(json.loads, records.splitlines()) if "repro" in r]
            self.assertTrue(repro.startswith(f"OPBENCH_TORCH='{root}' {torch_case.program} run -c "), repro)
            done = subprocess.run(["sh", "-c", f"{repro} --force --output {again}"], cwd="/", text=True, capture_output=True,
                                  env={**self.environment, "CXX": compiler}, check=False, timeout=torch_case.LIMIT_S)
            self.assertEqual((done.returncode, done.stderr, len(self.calls())), (0, "", 1), done)
            with open(again, encoding="utf-8") as file:
                self.assertEqual([r["repro"] for r in map(json.loads, file) if "repro" in r], [repro])
        # It is no other backend's affair.
        done = self.opbench("run", "-c", self.config, "--output", again, "--force", OPBENCH_TORCH=root)
        self.assertEqual(done.returncode, 0, done)
        with open(again, encoding="utf-8") as file:
            self.assertNotIn("OPBENCH_TORCH", file.read())

    def test_old_abi(self):
        root, _ = self.other_root()
        os.remove(os.path.join(root, "lib/libc10.so"))
        with open(os.path.join(root, "lib/libc10.so"), "wb") as file:
            file.write(b"\0_ZN3c105ErrorC2ENS_14SourceLocationESs\0")
        self.time("--torch", root, CXX=self.script("c++", COMPILER))
        self.assertIn("-D_GLIBCXX_USE_CXX11_ABI=0", self.calls()[0].split())

    def test_cpp20(self):
        root, _ = self.other_root()
        self.write("package/include/ATen/ATen.h", "#if !defined(_MSC_VER) && __cplusplus < 202002L\n#error\n#endif\n")
        self.time("--torch", root, CXX=self.script("c++", COMPILER))
        self.assertIn("-std=gnu++20", self.calls()[0].split())


class Refused(ChooseTest):
    def refused(self, text, *options, **variables):
        _, done = self.time(*options, **variables)
        self.assertEqual(done.returncode, 2, done)
        self.assertIn(text, done.stderr)

    def test_what_is_not_there(self):
        self.refused("--torch: /nonexistent: No such file or directory; give the root of a libtorch, of a torch package, or "
                     "a python", "--torch", "/nonexistent")
        os.mkdir(self.path("empty"))
        self.refused(f"there is no libtorch in {self.path('empty')}: it needs include/ATen/ATen.h", "--torch", self.path("empty"))
        self.refused("has no package torch; install it there, or name another python",
                     "--torch", self.script("python", "#!/bin/sh\necho\n"))
        self.refused("does not say where torch is: what a pity",
                     "--torch", self.script("python", "#!/bin/sh\necho what a pity\nexit 1\n"))

    def test_a_python_that_says_nothing(self):
        self.refused("has no package torch; install it there, or name another python",
                     "--torch", self.script("python", "#!/bin/sh\n"))
        self.refused("does not say where torch is: it failed without a message",
                     "--torch", self.script("python", "#!/bin/sh\nexit 3\n"))
        self.refused("python cannot be started: Exec format error",
                     "--torch", self.script("python", "no interpreter at all\n"))
        self.refused("does not say where torch is: it was killed, or did not finish within",
                     "--torch", self.script("python", "#!/bin/sh\nkill -9 $$\n"))
        self.refused("--torch: its value is empty; give the root of a libtorch", "--torch", "")

    def test_paths(self):
        root, _ = self.other_root()
        for name in ("line\nbreak", "co:lon"):
            os.rename(root, self.path("real" + name))
            self.refused("the path of this libtorch has a colon or a control character", "--torch", self.path("real" + name))
            os.rename(self.path("real" + name), root)
        odd = self.path("a b,c'd")
        os.rename(root, odd)
        self.refused("the snippet does not compile: the compiler failed without a message", "--torch", odd,
                     CXX=self.script("c++", '#!/bin/sh\nfor word in "$@"; do echo "$word" >> "$LOG"; done\nexit 1\n'))
        self.assertIn(odd + "/lib", self.calls())

    def test_no_compiler(self):
        root, version = self.other_root()
        self.refused(f"libtorch {version} of {root} is not the one that opbench was built with, and opbench's part for it does not compile: "
                     "Missing: cannot run /nonexistent/c++, the compiler for C++", "--torch", root,
                     CXX="/nonexistent/c++")
        self.refused("error: something is wrong", "--torch", root,
                     CXX=self.script("c++", "#!/bin/sh\necho error: something is wrong >&2\nexit 1\n"))

    def test_another_backend(self):
        done = self.opbench("run", "-c", self.config, "--torch", "/usr", "--backend", "native")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--torch needs the torch backend; add --backend torch", done.stderr)

    def test_the_environment_is_for_torch_alone(self):
        done = self.opbench("run", "-c", self.config, "-i", "1", "-q", "--output", self.path("r.json"),
                            OPBENCH_TORCH="/nonexistent")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        _, done = self.time(OPBENCH_TORCH="/nonexistent")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("OPBENCH_TORCH: /nonexistent: No such file or directory", done.stderr)


@unittest.skipUnless(os.environ.get("OPBENCH_TEST_TORCH"),
                     "no other torch: OPBENCH_TEST_TORCH can name one (a root, or a python)")
class Other(ChooseTest):
    def test_another_torch_runs(self):
        records, done = self.time("--torch", os.environ["OPBENCH_TEST_TORCH"])
        self.assertEqual(done.returncode, 0, done)
        self.assertNotIn("/usr/lib", self.libtorch_of(records))


if __name__ == "__main__":
    torch_case.main()
