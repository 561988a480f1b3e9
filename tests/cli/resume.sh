#!/bin/bash
# An interrupted run goes on as if nothing had happened, or refuses.
. "$(dirname "$0")/lib/common.bash"

"$NEAP" generate sbm --nodes 150 --blocks 3 --p-in 0.2 --p-out 0.01 -o graph.txt -q || fail 'generate'
epochs=80
if [[ -n ${NEAP_SANITIZE-} ]]; then epochs=20; fi # takes as long, which is long enough to be interrupted
run=("$NEAP" train graph.txt --method gap --dim 16 --batch 8 --valid 0 --threads 1 --epochs $epochs)
expect 0 "${run[@]}" -o whole --metrics whole.jsonl

# Stops a run once it has written its first checkpoint: SIGTERM is answered after a batch.
interrupt()
{
    rm -f part part.checkpoint
    env --default-signal=INT,TERM "${run[@]}" -o part --metrics part.jsonl >out 2>err &
    local pid=$!
    for _ in {1..2000}; do
        [[ -e part.checkpoint ]] && break
        kill -0 $pid 2>/dev/null || break
        sleep 0.005
    done
    kill "-$1" $pid 2>/dev/null
    wait $pid
}

for signal in INT TERM; do
    interrupt $signal
    code=$?
    [[ $code -eq 130 ]] || fail "exit code $code after SIG$signal; too quick a run?"
    says err '--resume'
    says err 'part.checkpoint'
    [[ -e part.checkpoint && ! -e part ]] || fail 'a checkpoint and no model were expected'
    expect 0 "$NEAP" check part.checkpoint

    # Other options, another graph: refused, and the checkpoint stays.
    expect 3 "${run[@]}" -o part --resume --seed 2
    expect 3 "${run[@]}" -o part --resume --lr 0.5
    head -50 graph.txt >other.txt
    expect 3 "$NEAP" train other.txt -o part "${run[@]:3}" --resume
    [[ -e part.checkpoint ]] || fail 'a refused resume removed the checkpoint'

    expect 0 "${run[@]}" -o part --metrics part.jsonl --resume --threads 2
    says err 'going on from part.checkpoint'
    same part whole "resumed after SIG$signal"
    [[ ! -e part.checkpoint ]] || fail 'the checkpoint was not removed'
    python3 - $epochs <<'END' || fail 'the metrics of the resumed run are not those of the whole run'
import json, sys
whole, part = ([json.loads(l) for l in open(f)] for f in ("whole.jsonl", "part.jsonl"))
assert [l["epoch"] for l in part] == [l["epoch"] for l in whole] == list(range(1, int(sys.argv[1]) + 1)), part
assert [l["loss"] for l in part] == [l["loss"] for l in whole]
END
done

# Nothing to go on from: afresh, with a notice.
expect 0 "${run[@]}" -o afresh --resume
says err 'no checkpoint to go on from: starting afresh'
same afresh whole

# A checkpoint of one's own choice; a damaged one is refused.
expect 0 "${run[@]}" -o other --checkpoint elsewhere
[[ ! -e elsewhere && ! -e other.checkpoint ]] || fail 'a checkpoint was left'
echo 'not a checkpoint' >broken
expect 3 "${run[@]}" -o other --checkpoint broken --resume
