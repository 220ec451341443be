#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The inner loops are vector code in every instruction set: without it all works, but several times slower.

usage: check_vectors.py OBJDUMP ISA OBJECT...
"""

import re
import subprocess
import sys

# Registers that are wider than those of the least set.
WIDE = {
    "avx512": r"%zmm\d",
    "avx512bf16": r"%zmm\d",
    "avx2": r"%ymm\d",
    "base": r"%xmm\d",
    "neon": r"\bv\d+\.(16b|8h|4s|2d)",
    "neonbf16": r"\bv\d+\.(16b|8h|4s|2d)",
    "sve": r"\bz\d+\.[bhsd]",
}
# Functions of which one instruction must match, and what it is where it is not any that has a wide register. None: this
# set need not, as the compiler does not find it.
LOOPS = {name: {} for name in """
    loop_add_f32 loop_mul_f64 loop_mul_i32 loop_relu_f32 loop_sqrt_f32 reduce_sum_f32 reduce_max_f32 add_rows_f32
    load_bf16_f32 load_u8_f32 store_bf16_f32 random_mask
""".split()}
# Its products are what costs; some compilers make them of shorter vectors than they make the rest.
LOOPS["random_words"] = {"avx512": r"\bvpmuludq.*%zmm", "avx2": r"\bvpmuludq.*%ymm", "base": r"\bpmuludq\b"}
LOOPS["load_f16_f32"] = {"neon": r"\bfcvtl2?\b", "sve": r"\bfcvt\s+z"}
LOOPS["store_f16_f32"] = {"sve": None}
LOOPS["convert_f16_f32"] = {"neon": r"\bfcvtn2?\b", "sve": r"\bfcvtn2?\b"}
HALVES = {
    "multiply": {"neon": r"\bfmla\s+v\d+\.4s, v\d+\.4s, v\d+\.s\[[0-3]\]", "neonbf16": r"\bbfdot\b", "sve": r"\bfmla\b",
                 "avx512": r"\bvfmadd.*%zmm", "avx512bf16": r"\bvdpbf16ps\b", "avx2": r"\bvfmadd.*%ymm"},
    "thin": {"neonbf16": r"\bbfdot\b", "sve": r"\bfmla\b", "avx512bf16": r"\bvdpbf16ps\b"},
}
ROWS = {name: {} for name in ("row_softmax_backward_f32", "row_norm_f32")}


def functions(objdump, path):
    """Name of each function to its instructions."""
    listing = subprocess.run([objdump, "-d", "--no-show-raw-insn", path], capture_output=True, text=True, check=True).stdout
    found, lines = {}, []
    for line in listing.splitlines():
        begin = re.match(r"[0-9a-f]+ <([^>.]*)[^>]*>:", line)
        if begin:
            lines = found.setdefault(begin.group(1), [])
        elif "\t" in line:
            lines.append(line.split("\t", 1)[1])
    return found


def main(objdump, isa, *objects):
    bad = checked = 0
    wanted = {**LOOPS, **HALVES, **ROWS}
    for path in objects:
        for name, lines in functions(objdump, path).items():
            pattern = wanted.get(name, {}).get(isa, WIDE[isa]) if name in wanted else None
            if pattern is None:
                continue
            checked += 1
            if not any(re.search(pattern, line) for line in lines):
                bad += 1
                print(f"{path}: {name} has no instruction like {pattern}")
    print(f"{checked} functions, {bad} without vectors")
    return bad > 0 or checked == 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
