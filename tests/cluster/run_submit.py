#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""opbench submit and opbench status on a real Slurm, and what clusters do to runs: the joined file has the undivided run's cases.

usage: run_submit.py OPBENCH [--full]
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import divided
import slurm_cluster

# Some seconds for each of four chunks, so that there is a middle of it.
SLOW = ("--backend", "native", "--min-time", "1", "--quiet")


class Run:
    """A submitted config."""

    def __init__(self, cluster, program, scratch):
        self.cluster, self.program, self.scratch, self.waiting = cluster, program, scratch, {}
        # What a shell would take apart.
        self.folder = scratch / "my shards' $(touch pwned)"
        self.configs = scratch / "con figs"
        self.configs.mkdir()
        self.config = self.configs / "it's $HOME.json"
        shutil.copy(divided.CONFIG, self.config)

    def opbench(self, *words, code=0):
        done = subprocess.run([self.program, *map(str, words)], env=self.cluster.env, capture_output=True, text=True,
                              timeout=120, cwd=self.scratch)
        assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
        return done.stdout + done.stderr

    def submit(self, *options, run=("--backend", "null", "--quiet")):
        said = self.opbench("submit", "--slurm", "-c", self.config, "--output", self.folder, *options, "--", *run)
        self.job, self.merge = re.search(r"job (\d+): .*; job (\d+) merges", said).groups()
        return said

    def resume(self, *options):
        said = self.opbench("submit", "--slurm", "--resume", "--output", self.folder, *options)
        self.job, self.merge = re.search(r"job (\d+): .*; job (\d+) merges", said).groups()
        return said

    def status(self):
        """Of each chunk; all of them."""
        done = subprocess.run([self.program, "status", self.folder, "--format", "json"], env=self.cluster.env,
                              capture_output=True, text=True, timeout=120)
        assert done.returncode in (0, 1), (done.stdout, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def states(self):
        return [chunk["state"] for chunk in self.status()]

    def results(self):
        return [line for file in self.folder.glob("*.json") for line in open(file) if '"op_name"' in line]

    def queue(self):
        return self.cluster.run("squeue", "-h", "-r", "-o", "%i %T %N", check=False).split("\n")[:-1]

    def wait_for_results(self, count=1):
        self.cluster.wait_for(lambda: len(self.results()) >= count, "the first results")

    def begin_now(self):
        """What was requeued would wait for two minutes; begun too soon after its end, Slurm would not launch it."""
        lines = self.cluster.run("squeue", "-h", "-r", "-t", "PENDING", "-o", "%i %r", check=False).splitlines()
        waiting = {line.split()[0] for line in lines if line.endswith(" BeginTime")}
        self.waiting = {job: self.waiting.get(job, time.monotonic()) for job in waiting}
        for job, since in self.waiting.items():
            if time.monotonic() > since + 10:
                self.cluster.run("scontrol", "update", f"JobId={job}", "StartTime=now", check=False)

    def wait_for_end(self, seconds=60):
        def is_over():
            self.begin_now()
            return self.queue() == []
        try:
            self.cluster.wait_for(is_over, "the end of all jobs", seconds)
        except AssertionError as error:
            jobs = self.cluster.run("scontrol", "show", "job")
            raise AssertionError(f"{self.queue()} {self.states()} {self.logs()} {jobs}") from error

    def logs(self):
        return "".join(file.read_text() for file in sorted((self.folder / "slurm").glob("*.log")))

    def check(self, *options):
        """All is done, joined, and what the undivided run has."""
        whole = self.scratch / "whole.json"
        self.opbench("run", "-c", self.config, "--backend", "null", "--quiet", "--output", whole, "--force", *options)
        assert set(self.states()) == {"done"}, (self.status(), self.logs())
        assert divided.cases(self.folder / "merged/all.json") == divided.cases(whole), self.logs()
        assert not (self.scratch / "pwned").exists() and not (self.folder / "slurm/pwned").exists()
        return len(divided.cases(whole))


# ---- quick ----

def whole_run(run):
    """Eight chunks on four nodes, each with a node for itself, and a joining behind them."""
    run.submit("--nodes", "4", "--array", "8")
    run.wait_for_end()
    cases = run.check()
    found = divided.headers(run.folder)
    assert sorted(h["shard"] for h in found) == [f"{k}/8" for k in range(1, 9)], found
    assert {h["cluster"]["job"] for h in found} == {run.job}, found
    assert "none missing" in run.logs()
    assert f"{cases} of {cases}" in run.opbench("status", run.folder)
    assert "was already submitted" in run.opbench("submit", "--slurm", "-c", run.config, "--output", run.folder,
                                                 "--nodes", "4", code=2)
    assert "nothing to submit" in run.opbench("submit", "--slurm", "--resume", "--output", run.folder)
    if shutil.which("shellcheck"):
        run.cluster.run("shellcheck", "--exclude=SC2016", *map(str, (run.folder / "slurm").glob("*.sh")))


def bad_node(run):
    """A node that does not see the config: what fails twice there is run elsewhere, and said."""
    run.cluster.hide("n1", run.configs)
    run.submit("--nodes", "4", "--array", "8")
    run.wait_for_end()
    run.check()
    moved = [chunk for chunk in run.status() if "failed twice on n1, so it runs elsewhere" in (chunk["note"] or "")]
    assert moved, (run.status(), run.logs())
    assert run.logs().count("failed twice on n1; running elsewhere") == len(moved), run.logs()
    assert "n1" not in {h["cluster"]["node"] for h in divided.headers(run.folder)}


def given_up(run):
    """What fails everywhere is tried on three nodes; when that is mended, it is submitted again."""
    for node in run.cluster.nodes:
        run.cluster.hide(node, run.configs)
    run.submit("--array", "1")
    run.wait_for_end()
    assert "giving up" in run.logs() and run.states() == ["failed"], (run.status(), run.logs())
    assert len(list((run.folder / "slurm/tries").glob("1.*"))) == 6
    assert re.search("failed twice on n[1-4], n[1-4], n[1-4]; last, it ended with 2 on", run.status()[0]["note"]), run.status()
    for node in run.cluster.nodes:
        run.cluster.show(node, run.configs)
    run.resume()
    run.wait_for_end()
    run.check()


def cancelled(run):
    """In the middle of cases; what is missing is submitted again, and nothing else."""
    run.submit("--nodes", "4", "--array", "4", run=SLOW)
    run.wait_for_results(2)
    assert "running" in run.states(), run.status()
    run.cluster.run("scancel", run.job)
    run.wait_for_end()
    before = len(run.results())
    assert "failed" in run.states(), run.status()
    assert "retry what failed: opbench submit --slurm --output" in run.opbench("status", run.folder, code=1)
    run.resume()
    run.wait_for_end()
    assert before < run.check()


# ---- full ----

def requeued(run):
    """By the administrator, while it runs."""
    run.submit("--nodes", "4", "--array", "4", run=SLOW)
    run.wait_for_results(2)
    run.cluster.run("scontrol", "requeue", f"{run.job}_1")
    run.wait_for_end(180)
    run.check()
    assert any(h["shard"] == "1/4" and h["cluster"].get("restarts") == "1" for h in divided.headers(run.folder))


def preempted(run):
    """By a job that is more urgent."""
    run.submit("--nodes", "4", "--array", "4", run=SLOW)
    run.wait_for_results(2)
    run.cluster.run("srun", "--partition=urgent", "--nodes=4", "--exclusive", "true")
    run.wait_for_end(180)
    run.check()
    assert any(h["cluster"].get("restarts") == "1" for h in divided.headers(run.folder))


def dead_node(run):
    """With all that runs on it: only the case under way is lost."""
    run.submit("--nodes", "4", "--array", "4", run=SLOW)
    run.wait_for_results(4)
    before = len(run.results())
    node = next(chunk["node"] for chunk in run.status() if chunk["state"] == "running")
    run.cluster.kill_node(node)
    run.wait_for_end(240)
    cases = run.check()
    assert before <= len(run.results()) <= cases + 1, "more than the case under way was measured again"


def lost_daemon(run):
    """Slurm begins the chunk elsewhere while its old copy goes on: each writes its own file, and both are joined."""
    run.submit("--nodes", "4", "--array", "4", run=("--backend", "native", "--min-time", "15", "--quiet"))
    run.cluster.wait_for(lambda: run.states().count("running") == 4 and len(divided.headers(run.folder)) == 4, "all chunks")
    first = next(chunk["node"] for chunk in run.status() if chunk["chunk"] == 1)
    run.cluster.kill_daemon(first)
    files = "shard-1-of-4_*"

    def has_two():
        run.begin_now()
        return len(list(run.folder.glob(files))) == 2
    run.cluster.wait_for(has_two, "a second writer", 240)
    assert [file.read_text().count('"finish_time"') for file in run.folder.glob(files)] == [0, 0], "the old copy was over"
    run.wait_for_end(300)
    run.cluster.wait_for(lambda: [file.read_text().count('"finished"') for file in run.folder.glob(files)] == [1, 1],
                         "the ends of both", 120)
    run.check()
    assert len({h["cluster"]["node"] for h in divided.headers(run.folder) if h["shard"] == "1/4"}) == 2


def node_down(run):
    """Set so by the administrator."""
    run.submit("--nodes", "4", "--array", "4", run=SLOW)
    run.wait_for_results(4)
    node = next(chunk["node"] for chunk in run.status() if chunk["state"] == "running")
    run.cluster.run("scontrol", "update", f"NodeName={node}", "State=DOWN", "Reason=test")
    run.wait_for_end(240)
    run.check()


def time_limit(run):
    """In the middle of a case: the records end with a finish, and the chunk goes on by itself."""
    some = ("--op", "torch.nn.Linear")
    run.submit("--nodes", "1", "--array", "1", "--time", "1", "--grace", "45",
               run=("--backend", "native", "--min-time", "8", "--quiet", *some))
    run.wait_for_end(600)
    run.check(*some)
    ends = [json.loads(open(file).readlines()[-1])["end"] for file in run.folder.glob("*.json")]
    assert ends.count("finished") == 1 and ends.count("interrupted") >= 1, ends
    assert "stopped, while Slurm says RUNNING" in run.logs(), run.logs()


QUICK = (whole_run, bad_node, given_up, cancelled)
FULL = (requeued, preempted, dead_node, lost_daemon, node_down, time_limit)


def main():
    program, why = os.path.abspath(sys.argv[1]), slurm_cluster.missing()
    if why is not None:
        print(f"skipped: {why}")
        return 77
    chosen = [what for what in QUICK + FULL if what.__name__ in sys.argv[2:]]
    for what in chosen or (FULL if "--full" in sys.argv[2:] else QUICK):
        with tempfile.TemporaryDirectory(prefix="opbench-submit-") as temporary:
            scratch = pathlib.Path(temporary)
            scratch.chmod(0o755)
            with slurm_cluster.Cluster(scratch) as cluster:
                what(Run(cluster, program, scratch))
        print(f"{what.__name__}: as it should be", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
