#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Compares two sides for a CI system: compare_builds.sh CONFIG BASELINE OTHER FOLDER
#
# The sides are written as for `opbench diff --a`, such as base:plugin=base/mine.so,backend=mine. FOLDER gets
#   records.json   what was measured: an artifact to keep, and to look at with `opbench show` and `opbench diff`
#   comment.md     for the pull request
#   verdicts.xml   JUnit, for the CI system's own view of tests
# Exit code: that of `opbench diff`: 0 nothing is worse, 1 something is, 2 wrong usage. OPBENCH is the program, if it is
# not in PATH; OPBENCH_DIFF_OPTIONS has more options of verdicts, such as "--threshold 2% --allow known.json", and
# OPBENCH_MEASURE_OPTIONS those of measuring, such as "--budget 3".
set -u
if [ $# -ne 4 ]; then
    echo "usage: compare_builds.sh CONFIG BASELINE OTHER FOLDER" >&2
    exit 2
fi
opbench=${OPBENCH:-opbench}
options=${OPBENCH_DIFF_OPTIONS:-}
measuring=${OPBENCH_MEASURE_OPTIONS:-}
mkdir -p "$4" || exit 2
rm -f "$4/comment.md" "$4/verdicts.xml" "$4/records.json" # of an earlier comparison

# Words of the options are meant to be split.
# shellcheck disable=SC2086
"$opbench" diff -c "$1" --a "$2" --b "$3" --records "$4/records.json" --format markdown -o "$4/comment.md" --force \
    --quiet $options $measuring
code=$?
if [ "$code" -eq 2 ]; then
    exit 2
fi
# The verdicts in another form, from the records.
# shellcheck disable=SC2086
"$opbench" diff "$4/records.json" --format junit -o "$4/verdicts.xml" --force $options
[ -f "$4/verdicts.xml" ] || exit 2
cat "$4/comment.md" # for the log
exit "$code"
