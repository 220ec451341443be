#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Stands in for ncu and nsys where they are not installed: shows its arguments (the private name of the
# shared memory as SHM), writes its file, and becomes the command that it was given. It knows its role by
# the arguments. With STAND_IN_FAILS=N it ends with exit code N instead; with STAND_IN_SHM the mode of the
# shared memory is shown. The number that tells files of the same second apart is not shown.
name=${0##*/}
echo "$name: $*" | sed -E 's/opbench_[0-9]+_[0-9a-f]{16}/SHM/; s/_[0-9]+_[0-9]{10}(_[0-9]+)?_/_PID_TIME_/; s# [^ ]*/opbench # opbench #'
echo
file=
shm=$(echo "$*" | grep -oE "opbench_[0-9]+_[0-9a-f]{16}")
while [ $# -gt 0 ]; do
    case $1 in
    --log-file | -o) file=$2 && shift ;;
    worker | */opbench | opbench | true | false | sh) break ;;
    esac
    shift
done
[ -e "$file" ] && echo "$file is there already" >&2 && exit 9
echo "device $CUDA_VISIBLE_DEVICES" > "$file"
[ -n "$STAND_IN_SHM" ] && stat -c 'mode %a' "/dev/shm/$shm"
[ -n "$STAND_IN_FAILS" ] && exit "$STAND_IN_FAILS"
exec "$@"
