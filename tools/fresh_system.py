# SPDX-License-Identifier: Apache-2.0
"""Debian systems in folders, for the tools that test on them: test_on and test_cpu.

What such a tool does happens in a mount and a process namespace of its own, which end with it, so that nothing stays
mounted or running, however it ends.
"""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

# What a newcomer's shell has.
ENVIRONMENT = {
    "HOME": "/root",
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "LANG": "C.UTF-8",
    "TERM": "dumb",
}


class Failure(Exception):
    """What is wrong, and the cure."""


def run(*words, **named):
    """Runs a program; an exit code other than 0 is a Failure."""
    done = subprocess.run([str(word) for word in words], check=False, **named)
    if done.returncode != 0:
        raise Failure(f"{' '.join(map(str, words))} ended with {done.returncode}")
    return done


def own_architecture():
    if shutil.which("dpkg") is None:
        raise Failure("dpkg is not here: this needs a Debian system")
    return subprocess.check_output(["dpkg", "--print-architecture"], text=True).strip()


def mirror():
    """The archive from which this machine itself gets Debian's packages."""
    found = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", "Origin: Debian", "Label: Debian"],
        capture_output=True, text=True, check=False,
    ).stdout.split()
    if not found:
        raise Failure("apt has no Debian archive here; run apt-get update as root and try again")
    return found[0]


# ---- inside the namespaces ----


def mount_all(system):
    run("mount", "-t", "proc", "proc", system / "proc")
    run("mount", "-t", "sysfs", "sysfs", system / "sys")
    run("mount", "--bind", "/dev", system / "dev")
    # Terminals of its own: some tests look at what is printed on one.
    run("mount", "-t", "devpts", "-o", "newinstance,ptmxmode=0666,mode=620", "devpts", system / "dev/pts")
    run("mount", "-t", "tmpfs", "tmpfs", system / "dev/shm")


def make(system, *command):
    """Has the command make the system, lets it reach what this machine reaches, and mounts what programs expect."""
    run(*command, stdout=subprocess.DEVNULL)
    # Registries are reached as from this machine, which may trust more than Debian does.
    for name in ("etc/resolv.conf", "etc/hosts", "etc/ssl/certs/ca-certificates.crt"):
        if (pathlib.Path("/") / name).exists() and (system / name).parent.is_dir():
            shutil.copyfile(pathlib.Path("/") / name, system / name)
    # A mirror may lag behind; sid's list of files is then out of date, which matters to nobody here.
    (system / "etc/apt/apt.conf.d/90test").write_text('Acquire::Check-Valid-Until "false";\n', encoding="utf-8")
    mount_all(system)


def bootstrap(suite, system, packages):
    """The command that makes a system of this machine's own architecture."""
    return ("debootstrap", "--variant=minbase", "--include=" + ",".join(packages), suite, system, mirror())


def enter(system, folder, *words):
    """The words that run a program in a folder of the system."""
    return ["chroot", str(system), "/bin/sh", "-c", 'cd "$0" && exec "$@"', str(folder), *map(str, words)]


# ---- outside ----


def run_apart(script, least_free, during=contextlib.nullcontext()):
    """The exit code of the script, run with --inside FOLDER and its own arguments, in namespaces; the folder is removed."""
    base = pathlib.Path(os.environ.get("TMPDIR") or "/var/tmp").absolute()
    if not os.access(base, os.W_OK | os.X_OK):
        raise Failure(f"{base} is not a writable folder; set TMPDIR to another")
    if shutil.disk_usage(base).free < least_free:
        raise Failure(f"{base} has less than {least_free >> 30} GiB free; set TMPDIR to another folder")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="opbench-system-", dir=base))
    try:
        words = ["setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--pid", "--fork", "--kill-child=KILL",
                 "--propagation", "private", sys.executable, script, "--inside", str(folder), *sys.argv[1:]]
        with during, subprocess.Popen(words) as child:
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, lambda *_: child.kill())
            return child.wait()
    finally:
        # The mounts were seen in the other namespace only; should one have come out, it is not followed.
        subprocess.run(["rm", "-rf", "--one-file-system", str(folder)], check=False)


def need(tier, missing):
    """Refuses where root or programs are missing, with the set of tools/install_deps that has them."""
    if os.geteuid() != 0:
        raise Failure("a system in a folder needs root (chroot and mounts); run it with sudo")
    if missing:
        raise Failure(f"{', '.join(missing)}: not here; run tools/install_deps {tier}")
