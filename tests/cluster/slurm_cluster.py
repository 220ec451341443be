# SPDX-License-Identifier: Apache-2.0
"""A real Slurm on this machine: a controller and four nodes, in a folder, ended with everything that they started."""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

PROGRAMS = ("slurmctld", "slurmd", "sbatch", "srun", "squeue", "munged", "unshare")
NODES = 4


def missing():
    """Why there can be none here, or None."""
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    for program in PROGRAMS:
        if shutil.which(program) is None:
            return f"no {program}"
    return None if os.geteuid() == 0 else "a controller and its nodes need root"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Cluster:
    def __init__(self, folder):
        self.folder, self.started, self.nodes = pathlib.Path(folder), [], {}
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM", "OMPI", "PMI"))}
        self.env["SLURM_CONF"] = str(self.folder / "slurm.conf")

    def start(self, *words):
        log = open(self.folder / "log", "ab")
        self.started.append(subprocess.Popen(words, env=self.env, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                             start_new_session=True))
        return self.started[-1]

    def run(self, *words, check=True):
        done = subprocess.run(words, env=self.env, capture_output=True, text=True, timeout=300, cwd=self.folder)
        assert not check or done.returncode == 0, (words, done.stdout, done.stderr, (self.folder / "log").read_text()[-4000:])
        return done.stdout

    def write_config(self):
        f, host = self.folder, socket.gethostname().split(".")[0]
        nodes = "\n".join(f"NodeName=n{k} NodeHostname={host} NodeAddr=127.0.0.1 Port={free_port()} CPUs=2 RealMemory=1000"
                          for k in range(1, NODES + 1))
        (f / "slurm.conf").write_text(f"""
ClusterName=t
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
SlurmctldPort={free_port()}
AuthType=auth/munge
AuthInfo=socket={f}/munge/sock
CredType=cred/munge
StateSaveLocation={f}/state
SlurmdSpoolDir={f}/spool.%n
TmpFS={f}/tmp.%n
SlurmctldPidFile={f}/ctld.pid
SlurmdPidFile={f}/slurmd.%n.pid
SlurmctldLogFile={f}/ctld.log
SlurmdLogFile={f}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=2,bf_interval=2,sched_min_interval=0
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SlurmdParameters=config_overrides
ReturnToService=2
SlurmdTimeout=10
KillWait=5
{nodes}
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
PartitionName=all Nodes=n[1-{NODES}] Default=YES State=UP PriorityTier=1
PartitionName=urgent Nodes=n[1-{NODES}] State=UP PriorityTier=10
""")
        # Nothing above asks for cgroups, and a chroot may have none mounted. Slurm ends over that unless it is told not to look;
        # earlier releases do not know how to be told, but look for those of version 1 only when they are needed.
        if not os.path.ismount("/sys/fs/cgroup"):
            release = int(self.run("slurmctld", "-V").split()[1].split(".")[0])
            (f / "cgroup.conf").write_text(f"CgroupPlugin={'disabled' if release >= 24 else 'cgroup/v1'}\n")

    def __enter__(self):
        munge = self.folder / "munge"
        munge.mkdir(mode=0o755)
        for name in ["state"] + [f"{what}.n{k}" for k in range(1, NODES + 1) for what in ("spool", "tmp")]:
            (self.folder / name).mkdir()
        key = munge / "key"
        key.touch(mode=0o600)
        key.write_bytes(os.urandom(1024))
        self.write_config()
        self.start("munged", "-F", "--force", f"--key-file={key}", f"--socket={munge}/sock", f"--pid-file={munge}/pid",
                   f"--log-file={munge}/log", f"--seed-file={munge}/seed")
        self.wait_for(lambda: (munge / "sock").exists(), "munge")
        self.start("slurmctld", "-D", "-c")
        for k in range(1, NODES + 1):
            # The shell is the first process of the node, which lives without its daemon too. Only /proc is made private: in
            # a chroot whose root is not a mount point, nothing can be done to the root's propagation.
            self.nodes[f"n{k}"] = self.start("unshare", "--fork", "--pid", "--kill-child=KILL", "--propagation", "unchanged",
                                             "--mount-proc", "sh", "-c", f"slurmd -D -N n{k}; sleep 3600")
        self.wait_for(lambda: self.run("sinfo", "-h", "-o", "%D %T", check=False).strip() == f"{NODES} idle", "the nodes")
        return self

    def first_process(self, node):
        """Of the node's own processes; it is in the node's namespaces."""
        return int(pathlib.Path(f"/proc/{self.nodes[node].pid}/task/{self.nodes[node].pid}/children").read_text().split()[0])

    def kill_node(self, node):
        """With all that runs on it."""
        self.nodes[node].kill()
        self.nodes[node].wait()

    def kill_daemon(self, node):
        """The daemon alone: what it started lives on."""
        pid = self.first_process(node)
        for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            if pathlib.Path(f"/proc/{child}/comm").read_text().strip() == "slurmd":
                os.kill(int(child), signal.SIGKILL)
                return
        raise AssertionError(f"{node} has no slurmd")

    def on_node(self, node, *words):
        """A program that sees the files that the node's processes see, in a chroot too."""
        self.run("nsenter", "--target", str(self.first_process(node)), "--mount", "--root", *words)

    def hide(self, node, folder):
        """From what runs on the node, as a file system that is not mounted there."""
        self.on_node(node, "mount", "-t", "tmpfs", "none", str(folder))

    def show(self, node, folder):
        """What was hidden."""
        self.on_node(node, "umount", str(folder))

    def wait_for(self, is_there, what, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if is_there():
                return
            time.sleep(0.1)
        raise AssertionError(f"{what} did not come up: " + (self.folder / "log").read_text()[-4000:])

    def __exit__(self, *_):
        for process in reversed(self.started):
            process.kill()
            process.wait()
