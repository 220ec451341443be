#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# From random inputs to an answer: an operator on drawn shapes, measured in two environments, and the five
# draws whose times differ most. Here an environment is a set of options; it may as well be two builds.
#
#   end_to_end.sh [OPTIONS_A [OPTIONS_B]]        options of `opbench time`; none, and --num-threads 2
set -e
spec=$(dirname "$0")/two_tensors.json
a=${1-}
b=${2---num-threads 2}
opbench fuzz "$spec" --draws 10 --run torch.add --args x,y --print-config >draws.json
# shellcheck disable=SC2086
{
    opbench time -q -c draws.json --min-run-time 0.1 --env A -o a.jsonl $a
    opbench time -q -c draws.json --min-run-time 0.1 --env B -o b.jsonl $b
}
for env in a b; do
    opbench show --json $env.jsonl |
        sed 's/.*"median": \([^,]*\),.*"title": "\([^"]*\)".*/\1\t\2/' >$env.tsv
done
echo 'B / A   call'
paste a.tsv b.tsv | awk -F '\t' '{ ratio = $3 / $1
    printf "%.6f\t%.3f   %s\n", (ratio < 1 ? 1 / ratio : ratio), ratio, $2 }' |
    sort -k1,1gr | head -5 | cut -f 2
