#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# An operator over shapes that are drawn at random (two_tensors.json says which), slowest first.
#
#   fuzzer.sh [DRAWS]        10 if not given
set -e
spec=$(dirname "$0")/two_tensors.json
opbench fuzz "$spec" --draws "${1:-10}" --run torch.add --args x,y --print-config >draws.json
opbench time -q -c draws.json --min-run-time 0.1 --backend "${BACKEND:-native}" -o draws.jsonl
# Median and call of each, from the figures in JSON.
opbench show --json draws.jsonl |
    sed 's/.*"median": \([^,]*\),.*"title": "\([^"]*\)".*/\1 \2/' | sort -k1,1gr
