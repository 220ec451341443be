# SPDX-License-Identifier: Apache-2.0
#
# A chunk of a divided run, with a node for itself. Begun again, it goes on with what is missing.
# opbench submit wrote it, with what it needs to know above; opbench status says how far it is.

chunk=${SLURM_ARRAY_TASK_ID:?this is a job of an array, which opbench submit submits}
node=${SLURMD_NODENAME:-$HOSTNAME}
tries=$folder/slurm/tries
turn=0
pid=
stopped=

say() { echo "opbench: chunk $chunk on $node: $*"; }

# Each try has a file of its own: the node, and begun, stopped, done or failed.
note() { echo "$node $*" >"$tries/$chunk.$SLURM_JOB_ID.${SLURM_RESTART_COUNT:-0}.$turn"; }

# What is there of the chunk. Ends with 0 if that is all.
look() { "$program" status "$folder" --chunk "$chunk"; }

# Before the time is over, Slurm tells this shell alone. One signal ends opbench after the case
# under way, a second one at once; what is measured stays.
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

# Nodes on which the chunk failed twice. What was begun and has no end was lost with its node.
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

# Where it failed twice, the node may be at fault: another one gets it, with a joining behind it.
leave_bad_node() {
    local list job
    find_bad
    printf -v list '%s,' "${bad[@]}"
    [[ ,$list == *,$node,* ]] || return
    list=${list%,}
    if [ ${#bad[@]} -ge "$most_nodes" ]; then
        say "failed twice on each of $list; it is given up"
        exit 1
    fi
    say "failed twice on $list; it is run elsewhere"
    cd "$folder/slurm" || exit 1
    if ! job=$(sbatch --parsable --array="$chunk" --exclude="$exclude${exclude:+,}$list" chunks.sh); then
        say "it could not be submitted from here"
    elif ! sbatch --dependency="afterany:${job%%;*}" merge.sh; then
        say "the joining behind it could not be submitted from here"
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

# A job that is still running was told of its time. Others Slurm has ended, or begins again itself.
# The number alone would be the whole array, for one of its tasks.
job=${SLURM_ARRAY_JOB_ID}_$chunk
state=$(squeue --noheader --jobs="$job" --format=%T)
say "stopped, while Slurm says $state: $after"
[ "$state" = RUNNING ] || exit 1
if [ "$after" = "$before" ]; then
    note "failed time"
    leave_bad_node
fi
scontrol requeue "$job"
