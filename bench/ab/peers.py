# SPDX-License-Identifier: Apache-2.0
"""What others say of the same two loops: compare.py of Google Benchmark (Mann and Whitney's U test over repetitions, at its usual
5 %) and torch.utils.benchmark. Each is used as its manual says: one side after the other, as much time as opbench has."""

import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
COMPARE = pathlib.Path("/usr/share/benchmark/compare.py")
REPETITIONS = 10


class Google:
    name = "Google Benchmark"

    def __init__(self, folder):
        self.folder = folder
        for side in ("a", "b"):
            subprocess.run(["cc", "-O2", "-c", "-o", folder / side / "loop.o", HERE / "work_loop.c"], check=True)
            subprocess.run(["c++", "-O2", "-o", folder / side / "google", HERE / "work_google.cc", folder / side / "loop.o",
                            "-lbenchmark", "-lpthread"], check=True)

    def run(self, side, steps, seconds):
        out = self.folder / side / "google.json"
        subprocess.run([self.folder / side / "google", f"--benchmark_repetitions={REPETITIONS}",
                        f"--benchmark_min_time={seconds / REPETITIONS}", "--benchmark_format=json",
                        f"--benchmark_out={out}"], check=True, capture_output=True,
                       env={**os.environ, "WORK_STEPS": str(steps)})
        return out

    def verdict(self, steps, other, _kernel_ns, budget):
        files = [self.run("a", steps, budget / 2), self.run("b", other, budget / 2)]
        dump = self.folder / "google_compared.json"
        subprocess.run([sys.executable if self.has_scipy() else "/usr/bin/python3", COMPARE, "-d", dump, "benchmarks", *files],
                       check=True, capture_output=True)
        rows = [r for r in json.loads(dump.read_text()) if r.get("utest")]
        if not rows or rows[0]["utest"].get("time_pvalue", 1) >= 0.05:
            return "same"
        times = [sorted(b["real_time"] for b in json.loads(f.read_text())["benchmarks"] if b["run_type"] == "iteration")
                 for f in files]
        return "slower" if times[1][len(times[1]) // 2] > times[0][len(times[0]) // 2] else "faster"

    @staticmethod
    def has_scipy():
        try:
            import scipy  # noqa: F401
            return True
        except ImportError:
            return False


class Torch:
    name = "torch.utils.benchmark"

    def __init__(self, folder):
        self.folder = folder
        for side in ("a", "b"):
            subprocess.run(["cc", "-O2", "-fPIC", "-shared", "-o", folder / side / "loop.so", HERE / "work_loop.c"], check=True)

    def verdict(self, steps, other, kernel_ns, budget):
        times = max(1, round(20e3 / kernel_ns))  # a call by ctypes costs half a microsecond: not beside 2 us
        out = subprocess.run(["/usr/bin/python3", HERE / "torch_sides.py", self.folder, str(steps), str(other), str(times),
                              str(budget / 2)], check=True, capture_output=True, text=True)
        return json.loads(out.stdout)["verdict"]


def open_peers(folder):
    """Those whose packages are here."""
    peers = []
    if COMPARE.exists() and pathlib.Path("/usr/include/benchmark/benchmark.h").exists():
        peers.append(Google(folder))
    if subprocess.run(["/usr/bin/python3", "-c", "import torch"], capture_output=True).returncode == 0:
        peers.append(Torch(folder))
    return peers
