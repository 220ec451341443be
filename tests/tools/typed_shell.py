# SPDX-License-Identifier: Apache-2.0
"""Shells that are typed to, for test_completion.py: what a line becomes when the tab key is pressed at its end.

Bash and zsh edit lines only on a terminal, so they get one. A line is typed with its tab; then the cursor goes to its start
and a command is put before it, which prints the words that the shell makes of the line. So quoting is the shell's own, and
nothing waits for a screen. Fish answers without a terminal (complete -C).
"""

import os
import pty
import re
import select
import shutil
import signal
import subprocess
import time

PATIENCE = 120  # seconds, for machines that are busy
START_OF_LINE, END_OF_LINE = b"\x01", b"\x05"
PRINT = b"printf '<%s>' "
# The answer is not what is typed: the shell makes one word of two quoted ones.
READY = "=ready="
SAY_READY = b"; printf '=rea''dy=\\n'\r"


class Failure(Exception):
    pass


class TerminalShell:
    """A shell on a terminal of its own, ended with it."""

    def __init__(self, command, environment, folder, setup):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, environment)
        self.seen = ""
        self.type(setup.encode() + SAY_READY)
        self.wait_for(READY)

    def type(self, data):
        while data:
            data = data[os.write(self.terminal, data):]

    def wait_for(self, text):
        end = time.monotonic() + PATIENCE
        while text not in self.seen:
            ready, _, _ = select.select([self.terminal], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise Failure(f"no {text!r} in what the shell said: {self.seen!r}")
            try:
                got = os.read(self.terminal, 65536)
            except OSError:
                got = b""
            if not got:
                raise Failure(f"the shell ended: {self.seen!r}")
            self.seen += got.decode("utf-8", "replace")
        before, _, self.seen = self.seen.partition(text)
        return before

    def complete(self, line):
        """The words of the line after a tab at its end."""
        self.type(line.encode() + b"\t" + START_OF_LINE + PRINT + END_OF_LINE + SAY_READY)
        said = self.wait_for(READY)
        said = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|\r", "", said)
        found = re.findall(r"(?:<[^<>\n]*>)+$", said.rstrip("\n"))
        if not found:
            raise Failure(f"{line}: no words in {said!r}")
        return re.findall(r"<([^<>]*)>", found[-1])

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.terminal)


class Fish:
    def __init__(self, script, environment, folder):
        self.script, self.environment, self.folder = script, environment, folder

    def offers(self, line):
        """What fish offers for the last word of the line."""
        done = subprocess.run(["fish", "--no-config", "-c", f"source {self.script}; complete -C $argv[1]", line],
                              env=self.environment, cwd=self.folder, capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL)
        if done.returncode != 0 or done.stderr:
            raise Failure(f"fish: {done.returncode}: {done.stderr}")
        return [line.partition("\t")[0] for line in done.stdout.splitlines()]


def bash(script, environment, folder):
    return TerminalShell(["bash", "--norc", "--noprofile", "-i"], {**environment, "PS1": "", "TERM": "dumb"}, folder,
                         f"bind 'set enable-bracketed-paste off' 'set bell-style none'; source {script}")


def zsh(functions, environment, folder):
    return TerminalShell(["zsh", "-f", "-i"], {**environment, "PS1": "", "TERM": "dumb"}, folder,
                         f"unsetopt prompt_sp beep; unset zle_bracketed_paste; bindkey -e; fpath=({functions} $fpath); "
                         "autoload -U compinit; compinit -D -u")


def is_here(name):
    return shutil.which(name) is not None
