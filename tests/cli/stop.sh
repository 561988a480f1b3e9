#!/bin/bash
# SIGTERM ends a training soon, also in the middle of a step that takes minutes; what would take long is said before.
. "$(dirname "$0")/lib/common.bash"

# Starts a training, ends it with SIGTERM after a second, and expects the end within two more. Without files named
# model and model.checkpoint it would not be told apart from one that was never interrupted.
interrupted()
{
    local before after
    rm -f model model.checkpoint
    env --default-signal=TERM "$NEAP" train "$@" -o model >out 2>err &
    local pid=$!
    sleep 1
    before=$(date +%s%N)
    kill -TERM $pid 2>/dev/null
    wait $pid
    local code=$?
    after=$(date +%s%N)
    [[ $code -eq 130 ]] || fail "exit code $code of: train $*"
    ((after - before < 2000000000)) || fail "$(((after - before) / 1000000)) ms until the end of: train $*"
    [[ ! -e model ]] || fail 'a model was written'
}

# Every node with every other: an epoch, which is one step, would take a minute.
printf '%%%%MatrixMarket matrix coordinate pattern general\n40000 40000 3\n1 2\n2 3\n3 4\n' >wide.mtx
interrupted wide.mtx --method attentivewalk -t 2
says err 'compares all 40,000 nodes with each other: 80 epochs will take about'
says err 'interrupted'

# That it is a matter of memory as well is said before it starts, where there is a limit.
expect 3 "$NEAP" train wide.mtx --method attentivewalk -o model --memory 100M
says err 'the limit is 100 MiB'

# Two hubs that are neighbours: one pair of nodes with 64 million pairs of neighbours, four of them a step.
leaves=8000
awk -v n=$leaves 'BEGIN { for (i = 0; i < n; i++) print "a b" i "\nc d" i; print "a c" }' >hubs.txt
interrupted hubs.txt --neighbors 65536 --batch 1048576 --dim 512 --valid 0 -t 1
interrupted hubs.txt --neighbors 65536 --batch 1048576 --dim 512 --valid 0 --undirected -t 2

# Interrupted in its first step, a training has a checkpoint of its start.
[[ -e model.checkpoint ]] || fail 'there is no checkpoint'
expect 0 "$NEAP" check model.checkpoint
