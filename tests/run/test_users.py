# SPDX-License-Identifier: Apache-2.0
"""Two users on one machine: neither runs, changes or removes what the other made, though he may write to the folder, or
made it for that purpose. Needs root, who can be both."""

import os
import shutil
import signal
import subprocess

import harness
from harness import RunTest, many_cases

ALICE, BOB = 61001, 61002
STATEMENT = "int x = 1; (void)x;"


def can_start(user):
    """Whether the build lies where others may read it."""
    try:
        return subprocess.run([harness.program, "--version"], stdout=subprocess.DEVNULL, user=user, group=user,
                              extra_groups=[], cwd="/").returncode == 0
    except OSError:
        return False


class Users(RunTest):
    def setUp(self):
        if os.geteuid() != 0:
            self.skipTest("only root can be two users")
        if not can_start(ALICE):
            self.skipTest("another user cannot run %s" % harness.program)
        super().setUp()
        os.chmod(self.folder, 0o755)
        os.mkdir(self.path("shared"))
        os.chmod(self.path("shared"), 0o1777)
        for name, user in (("alice", ALICE), ("bob", BOB)):
            self.make_folder(name, user)

    def make_folder(self, name, user, mode=0o700):
        os.mkdir(self.path(name))
        os.chown(self.path(name), user, user)
        os.chmod(self.path(name), mode)
        return self.path(name)

    def run_as(self, user, *words, code=None, home=None, start=False, more_environment=()):
        home = home or self.path("alice" if user == ALICE else "bob")
        environment = {"PATH": os.environ["PATH"], "HOME": home, "TMPDIR": self.path("shared"),
                       "OPBENCH_LIBRARY_CAPS": "quiet", **dict(more_environment)}
        more = {"user": user, "group": user, "extra_groups": [], "env": environment}
        if start:
            return self.start([harness.program, *words], **more)
        return self.run_program([harness.program, *words], code, **more)

    def read(self, path):
        if os.path.islink(path) or not os.path.isfile(path):
            return b""
        with open(path, "rb") as file:
            return file.read()

    def tree(self, folder):
        """Everything below the folder: who owns it, and what it holds."""
        found = {}
        for place, folders, files in os.walk(folder):
            for name in folders + files:
                path = os.path.join(place, name)
                info = os.lstat(path)
                found[path] = (info.st_uid, info.st_mode, self.read(path))
        return found

    def need_compiler(self):
        if shutil.which("cc") is None:
            self.skipTest("there is no compiler here")

    def test_a_cache_of_another_is_refused(self):
        """What is in it would be run; open to all, closed, and through a link."""
        self.need_compiler()
        open_to_all = self.make_folder("open", ALICE, 0o777)
        link = self.path("link")
        os.symlink(open_to_all, link)
        self.run_as(ALICE, "time", "--lang", "c", STATEMENT, "--number", "10", code=0)
        before = self.tree(self.path("alice")), self.tree(open_to_all)
        for place in (open_to_all, link, self.path("alice")):
            done = self.run_as(BOB, "time", "--lang", "c", STATEMENT, "--number", "10", "--cache-dir", place)
            self.assertNotEqual(done.returncode, 0, place)
            self.assertIn(b"--cache-dir", done.stderr)
        self.assertEqual((self.tree(self.path("alice")), self.tree(open_to_all)), before)

    def test_a_home_of_another_is_refused(self):
        """As sudo leaves it: the home is Alice's, the user is not."""
        self.need_compiler()
        self.run_as(ALICE, "time", "--lang", "c", STATEMENT, "--number", "10", code=0)
        before = self.tree(self.path("alice"))
        done = self.run_as(BOB, "time", "--lang", "c", STATEMENT, "--number", "10", home=self.path("alice"))
        self.assertNotEqual(done.returncode, 0)
        self.run_as(BOB, "run", "-c", self.readable_config(), "--backend", "native", "--output",
                    self.path("bob/r.json"), home=self.path("alice"), code=0)
        self.assertEqual(self.tree(self.path("alice")), before)

    def readable_config(self):
        path = self.config(many_cases(3))
        os.chmod(path, 0o644)
        return path

    def leave_scratch(self, user):
        """A folder of a process that was killed."""
        mark = os.path.join(self.path("alice" if user == ALICE else "bob"), "runs")
        code = 'FILE *f = fopen("%s", "w"); fclose(f); for (;;) ;' % mark
        running = self.run_as(user, "count", "--lang", "c", code, start=True)
        self.wait_for("the statement", lambda: os.path.exists(mark) or running.poll() is not None)
        self.assertIsNone(running.poll())
        running.send_signal(signal.SIGKILL)
        running.wait(harness.LIMIT_S)
        left = [name for name in os.listdir(self.path("shared")) if name.startswith("opbench-")]
        self.assertEqual(len(left), 1, left)
        return os.path.join(self.path("shared"), left[0])

    def count(self, user):
        self.run_as(user, "count", "--lang", "c", STATEMENT, code=0)

    def test_scratch_folders(self):
        """Left over in /tmp: removed by whom they belong to, and by nobody else, not even by root."""
        self.need_compiler()
        self.need_valgrind()
        left = self.leave_scratch(ALICE)
        os.utime(left, (0, 0))
        before = self.tree(left)
        self.count(BOB)
        self.assertEqual(self.tree(left), before)
        self.make_folder("root", 0)
        self.run_as(0, "count", "--lang", "c", STATEMENT, home=self.path("root"), code=0)
        self.assertEqual(self.tree(left), before)
        self.count(ALICE)
        self.assertFalse(os.path.exists(left), "her next one removes it")

    def test_traps(self):
        """Bob gives folders the names and marks of Alice's: links, and copies of what she left over."""
        self.need_compiler()
        self.need_valgrind()
        left = self.leave_scratch(ALICE)
        thesis = os.path.join(self.path("alice"), "thesis")
        os.mkdir(thesis)
        with open(os.path.join(thesis, "chapter"), "w") as file:
            file.write("x")
        shutil.copy(os.path.join(left, "lock"), os.path.join(thesis, "lock"))
        for path in (thesis, *(os.path.join(thesis, name) for name in os.listdir(thesis))):
            os.chown(path, ALICE, ALICE)
        link = os.path.join(self.path("shared"), "opbench-count-999999999-abcdef")
        os.symlink(thesis, link)
        os.lchown(link, BOB, BOB)
        trap = self.make_folder("shared/opbench-count-999999998-abcdef", BOB, 0o777)
        os.link(os.path.join(thesis, "lock"), os.path.join(trap, "lock"))
        os.symlink(thesis, os.path.join(trap, "inside"))
        for path in (thesis, trap):
            os.utime(path, (0, 0))
        before = self.tree(thesis)
        self.count(ALICE)
        self.assertEqual(self.tree(thesis), before)
        self.assertTrue(os.path.islink(link) and os.path.isdir(trap))

    def test_records_of_another(self):
        """Readable for all, writable for one: refused before anything is measured, and not touched."""
        folder = self.make_folder("results", ALICE, 0o777)
        output = os.path.join(folder, "records.json")
        words = ("run", "-c", self.readable_config(), "--backend", "null", "--output", output)
        self.run_as(ALICE, *words, code=0)
        before = self.tree(folder)
        for more in ("--resume", "--append", "--force"):
            done = self.run_as(BOB, *words, more, code=2)
            self.assertIn(output.encode() + b": error: cannot be written: Permission denied", done.stderr)
        self.assertEqual(self.tree(folder), before)
        self.run_as(BOB, "show", output, code=0)

    def test_plugins_of_another(self):
        """A plug-in that Bob may change is not loaded by Alice."""
        folder = self.make_folder("plugins", BOB, 0o755)
        source = os.path.join(os.path.dirname(harness.program), "plugins", "null.so")
        if not os.path.exists(source):
            self.skipTest("there is no plug-in beside the program")
        plugin = shutil.copy(source, os.path.join(folder, "other.so"))
        os.chown(plugin, BOB, BOB)
        os.chmod(plugin, 0o755)
        listed = self.run_as(ALICE, "list", "plugins", "other", more_environment={"OPBENCH_PLUGIN_PATH": folder}, code=0)
        self.assertIn(b"not available: ", listed.stdout)
        self.assertIn(b"who is neither you nor root", listed.stdout)


if __name__ == "__main__":
    harness.main()
