#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the core type is worth: native's float32 products with the kernels that OpenBLAS takes by itself, and with those
that opbench tells it to take.

usage: core_types.py PROGRAM [CORE]

PROGRAM is opbench. CORE stands for what the library takes by itself, for a machine whose OpenBLAS is right already:
Prescott is what 0.3.21 takes for an Intel processor that it does not know. Both sides run in turns, in fresh processes,
round by round and in changing order, so that what else happens on the machine meets both alike; what counts is the
median over the rounds of the ratio of the fastest samples, which other programs disturb least. Fails where the library falls back and telling it makes products
less than 3 times faster on the geometric mean. About half a minute."""

import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

ROUNDS = 7
WANTED = 3.0
VARIABLE = "OPENBLAS_CORETYPE"
# Samples of less than a millisecond, some of which a busy machine leaves alone.
PRODUCTS = [[[256, 256], [256, 64]], [[128, 512], [512, 128]], [[64, 256], [256, 256]], [[1024, 1024], [1024, 8]]]


def tensor(shape):
    return {"type": "tensor", "dtype": "float", "shape": shape}


def write_config(path):
    inputs = [{"args": [tensor(a), tensor(b)]} for a, b in PRODUCTS]
    entry = {"input_data_generator": "PyTorch:DefaultDataGenerator", "config": [{"input": inputs}]}
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"torch.mm": entry}, file)


def run(program, config, output, core):
    """The header, and the fastest sample of each case in ms; with core None the program decides."""
    environment = {k: v for k, v in os.environ.items() if k != VARIABLE}
    if core is not None:
        environment[VARIABLE] = core
    subprocess.run([program, "run", "-c", config, "-q", "--backend", "native", "--output", output, "--force",
                    "--min-time", "0.2", "-w", "3", "--num-threads", "1"], env=environment, check=True)
    with open(output, encoding="utf-8") as file:
        records = list(map(json.loads, file))
    times, cores = {}, set()
    for record in records:
        if record.get("status") == "ok":
            times[record["task_spec"]["sub_label"]] = record["statistics"]["forward"]["min"]
            cores.add(record["libraries"]["blas_core"])
    return records[0], times, cores


def main():
    if len(sys.argv) not in (2, 3) or not os.access(sys.argv[1], os.X_OK):
        sys.exit(__doc__.strip())
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="opbench-bench-") as folder:
        config, output = os.path.join(folder, "config.json"), os.path.join(folder, "records.json")
        write_config(config)
        header, _, told = run(program, config, output, None)
        cap = next(c for c in header["sys_info"]["library_caps"] if c["library"] == "OpenBLAS")
        own = sys.argv[2] if len(sys.argv) > 2 else cap.get("own", "")
        (core,) = told
        if own in ("", core):
            print(f"bench/core_types: OpenBLAS takes {core}'s kernels by itself, and that is right; there is nothing to "
                  "compare (give a core that an older release would take, such as Prescott)")
            return
        rounds = []
        for number in range(ROUNDS):
            sides = {}
            for side in ((own, core), (core, own))[number % 2]:
                _, sides[side], really = run(program, config, output, side)
                if really != {side}:
                    sys.exit(f"bench/core_types: {VARIABLE}={side} leads to the kernels of {', '.join(really)}")
            rounds.append(sides)
    print(f"| case | {own} | {core} | ratio |\n|---|---|---|---|")
    ratios = []
    for case in rounds[0][own]:
        slow, fast = ([sides[side][case] for sides in rounds] for side in (own, core))
        ratios.append(statistics.median(a / b for a, b in zip(slow, fast)))
        print(f"| `{case}` | {statistics.median(slow) * 1e3:.1f} us | {statistics.median(fast) * 1e3:.1f} us "
              f"| {ratios[-1]:.2f} |")
    mean = math.exp(statistics.fmean(map(math.log, ratios)))
    print(f"{header['sys_info']['cpu_model']}: {core}'s kernels are {mean:.2f} times as fast as {own}'s on the geometric "
          f"mean over {len(ratios)} products")
    if cap.get("by") == "opbench" and mean < WANTED:
        sys.exit(f"bench/core_types: less than {WANTED} times")


if __name__ == "__main__":
    main()
