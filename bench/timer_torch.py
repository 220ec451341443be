# SPDX-License-Identifier: Apache-2.0
#
# torch.utils.benchmark on the bodies of bench/timer: "MEDIAN_NS SECONDS" for each line of standard input,
# which names a body. Arguments: "python" or "c++", and the folder of timer_body.h. Python calls the body
# through a library that is compiled here, so its times hold a call by ctypes.
import ctypes
import os
import subprocess
import sys
import tempfile
import time

import torch.utils.benchmark as benchmark


def python_timers(folder, scratch):
    source = os.path.join(scratch, "body.c")
    library = os.path.join(scratch, "body.so")
    with open(source, "w") as f:
        f.write('#include "timer_body.h"\nvoid body(void);\nvoid body(void) { bench_microsecond(); }\n')
    subprocess.run(["cc", "-O3", "-shared", "-fPIC", "-I", folder, source, "-o", library], check=True)
    body = ctypes.CDLL(library).body
    return {
        "nothing": benchmark.Timer("pass"),
        "microsecond": benchmark.Timer("body()", globals={"body": body}),
    }


def cpp_timers(folder):
    include = '#include "%s"' % os.path.join(folder, "timer_body.h")
    return {
        name: benchmark.Timer("bench_%s();" % name, global_setup=include, language="c++")
        for name in ("nothing", "microsecond")
    }


def main():
    language, folder = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        timers = python_timers(folder, scratch) if language == "python" else cpp_timers(folder)
        for timer in timers.values():
            timer.timeit(1)  # compiles the statement
        print("ready", flush=True)
        for line in sys.stdin:
            start = time.perf_counter()
            median = timers[line.strip()].blocked_autorange(min_run_time=0.2).median
            print("%.17g %.17g" % (median * 1e9, time.perf_counter() - start), flush=True)


main()
