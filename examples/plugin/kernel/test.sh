#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# test.sh FOLDER [OPBENCH]: the kernels of FOLDER/my_kernels.so beside native's, in turns, each result checked; then with
# a cold cache. Exit code 0: all of them are right.
set -e
folder=${1:-build}
opbench=${2:-opbench}
config=$(dirname "$0")/cases.json
export OPBENCH_PLUGIN_PATH="$folder"
"$opbench" run -c "$config" --backend native,my_kernels --check -i 20 --output "$folder/hot.json" --force
"$opbench" run -c "$config" --backend native,my_kernels --check -i 20 --output "$folder/cold.json" --force --cache cold
