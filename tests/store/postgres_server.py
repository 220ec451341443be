# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL server of a test's own: in a private folder, without a port, gone with the test."""

import contextlib
import glob
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile

SKIP = 77


def find_programs():
    """The folder of initdb and postgres: Debian keeps them out of the path. None = not installed."""
    found = shutil.which("initdb")
    folders = [os.path.dirname(os.path.realpath(found))] if found else []
    folders += sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)
    for folder in folders:
        if all(os.access(os.path.join(folder, name), os.X_OK) for name in ("initdb", "pg_ctl", "psql")):
            return folder
    return None


def as_owner(words):
    """initdb refuses root."""
    return ["runuser", "-u", "postgres", "--", *words] if os.geteuid() == 0 else words


@contextlib.contextmanager
def running(fsync=False):
    """Gives a function that makes an empty database and returns its address."""
    programs = find_programs()
    if programs is None:
        print("SKIP: PostgreSQL is not installed; apt-get install postgresql")
        sys.exit(SKIP)
    with tempfile.TemporaryDirectory(prefix="ob_pg", dir="/tmp") as name:
        folder = pathlib.Path(name)
        if os.geteuid() == 0:
            try:
                owner = pwd.getpwnam("postgres")
            except KeyError:
                print("SKIP: there is no user postgres to run a server as")
                sys.exit(SKIP)
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        quiet = {"check": True, "stdout": subprocess.DEVNULL, "cwd": "/", "timeout": 120}
        subprocess.run(as_owner([f"{programs}/initdb", "-D", f"{folder}/data", "-A", "trust", "-U", "postgres", "--no-locale",
                                 "-E", "UTF8", "-N"]), **quiet)
        options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync={'on' if fsync else 'off'}"
        control = [f"{programs}/pg_ctl", "-D", f"{folder}/data", "-w"]
        subprocess.run(as_owner([*control, "-l", f"{folder}/log", "-o", options, "start"]), **quiet)
        try:
            count = 0

            def make_database():
                nonlocal count
                count += 1
                subprocess.run([f"{programs}/psql", "-h", str(folder), "-U", "postgres", "-q", "-c",
                                f"CREATE DATABASE t{count}"], **quiet)
                return f"postgresql://postgres@/t{count}?host={folder}"

            yield make_database
        finally:
            subprocess.run(as_owner([*control, "-m", "immediate", "stop"]), **quiet)


def stop_cleanly():
    """The server goes with the test, also when ctest ends it."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
