# SPDX-License-Identifier: Apache-2.0
#
# A chunk of a divided run, on a node of its own. When requeued, it continues with what is missing.
# Written by opbench submit, with its settings above; opbench status shows the progress.

chunk=${SLURM_ARRAY_TASK_ID:?this must run as a job array; use opbench submit}
node=${SLURMD_NODENAME:-$HOSTNAME}
tries=$folder/slurm/tries
turn=0
pid=
stopped=

say() { echo "opbench: chunk $chunk on $node: $*"; }

# Each try has its own file: the node, and begun, stopped, done or failed.
note() { echo "$node $*" >"$tries/$chunk.$SLURM_JOB_ID.${SLURM_RESTART_COUNT:-0}.$turn"; }

# What is done of the chunk. Exits with 0 if that is everything.
look() { "$program" status "$folder" --chunk "$chunk"; }

# Before the time is up, Slurm signals only this shell. One signal stops opbench after the current
# case, a second one at once; what was measured is kept.
stop() {
    trap '' TERM
    stopped=yes
    note stopped
    [ -n "$pid" ] || return
    kill -TERM "$pid" 2>/dev/null
    for ((second = 0; second < patience; second++)); do
        kill -0 "$pid" 2>/dev/null || return
        sleep 1
    done
    kill -TERM "$pid" 2>/dev/null
}

measure() {
    turn=$((turn + 1))
    note begun
    (cd "$directory" && exec "$program" run "${run[@]}" --shard "$chunk/$chunks" \
        --output "$folder/" --resume) &
    pid=$!
    [ -z "$stopped" ] || kill -TERM "$pid"
    wait "$pid"
    code=$?
    while kill -0 "$pid" 2>/dev/null; do
        wait "$pid"
        code=$?
    done
    pid=
}

# Nodes on which the chunk failed twice. A try that began and never ended was lost with its node.
find_bad() {
    local file where what
    local -A failures=()
    bad=()
    for file in "$tries/$chunk".*; do
        [ -f "$file" ] || continue
        read -r where what <"$file" || continue
        [[ $what == begun* || $what == failed* ]] || continue
        failures[$where]+=x
        [ "${failures[$where]}" != xx ] || bad+=("$where")
    done
}

# If it failed twice, the node may be at fault: another one gets the chunk, with a merge after it.
leave_bad_node() {
    local list job
    find_bad
    printf -v list '%s,' "${bad[@]}"
    [[ ,$list == *,$node,* ]] || return
    list=${list%,}
    if [ ${#bad[@]} -ge "$most_nodes" ]; then
        say "failed twice on each of $list; giving up"
        exit 1
    fi
    say "failed twice on $list; running elsewhere"
    cd "$folder/slurm" || exit 1
    if ! job=$(sbatch --parsable --array="$chunk" --exclude="$exclude${exclude:+,}$list" chunks.sh); then
        say "could not submit it from here"
    elif ! sbatch --dependency="afterany:${job%%;*}" merge.sh; then
        say "could not submit the merge after it from here"
    fi
    exit 1
}

trap stop TERM
leave_bad_node
before=$(look)
after=$before
while [ -z "$stopped" ]; do
    measure
    if after=$(look); then
        note "done"
        say "$after"
        exit 0
    fi
    [ -z "$stopped" ] || break
    note "failed $code"
    say "ended with $code: $after"
    leave_bad_node
done

# A job that is still running reached its time limit. Slurm ended the others, or requeues them itself.
# The job number alone would mean the whole array, not this task.
job=${SLURM_ARRAY_JOB_ID}_$chunk
state=$(squeue --noheader --jobs="$job" --format=%T)
say "stopped, while Slurm says $state: $after"
[ "$state" = RUNNING ] || exit 1
if [ "$after" = "$before" ]; then
    note "failed time"
    leave_bad_node
fi
scontrol requeue "$job"
