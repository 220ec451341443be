#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Two ways to the same product, over sizes and thread counts, in one table: torch.mm with a transposed
# operand against torch.nn.functional.linear. Records are kept in FILE.
#
#   compare.sh [FILE]        products.jsonl if not given
set -e
file=${1:-products.jsonl}
for n in 16 64 256; do
    opbench time -q -o "$file" --label 'x w^T' --description "n = $n" --num-threads 1,2 \
        --backend "${BACKEND:-native}" --min-run-time 0.1 \
        --sub-label torch.mm --op torch.mm "f32[$n,$n]" "f32[$n,$n]:[1,$n]"
    opbench time -q -o "$file" --label 'x w^T' --description "n = $n" --num-threads 1,2 \
        --backend "${BACKEND:-native}" --min-run-time 0.1 \
        --sub-label torch.nn.functional.linear --op torch.nn.functional.linear "f32[$n,$n]" "f32[$n,$n]"
done
opbench compare --trim "$file"
