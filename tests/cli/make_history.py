#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the records of 20 nightly runs of three cases; with the 13th and a new library two of them are 10 % slower."""

import json

RUNS, STEP = 20, 12


def main():
    for run in range(RUNS):
        system = {"hostname": "ci", "pid": 100 + run, "kernel": "Linux 6.1", "machine": "x86_64", "cpu_model": "Some CPU",
                  "cpus_online": 4, "opbench_version": "0.1.0", "backends": {"blas": "0.3.22" if run >= STEP else "0.3.21"}}
        commit = {"commit": f"{0x1a2b3c00 + run:08x}" + "0" * 32, "branch": "main", "dirty": run == 3}
        print(json.dumps({"sys_info": system, "start_time": "2026-05-01T03:00:00", "start_unix": 1777604400 + 86400 * run,
                          "git": commit, "tags": {"night": str(run)}, "config_file": "nightly.json"}))
        for case in range(3):
            noise = 1 + 0.001 * (run * 7 + case * 3) % 0.01
            time = 0.001 * (case + 1) * (1.1 if run >= STEP and case < 2 else 1) * noise
            failed = run == 5 and case == 2
            record = {"op_name": "torch.add", "id": f"0|0|{case}", "key": f"{case + 1:032x}", "index": case,
                      "status": "crashed" if failed else "ok", "backend": "native", "device": "cpu", "threads": 1,
                      "mode": "discrete", "call": f"torch.add(f32[{64 * (case + 1)}])", "metric": {}}
            if not failed:
                time = round(time, 6)
                record["metric"] = {"forward": {"measure.time": [time, time]}}
                record["statistics"] = {"forward": {"count": 2, "median": time, "p25": time, "p75": time, "min": time}}
            print(json.dumps(record))


if __name__ == "__main__":
    main()
