#!/bin/bash
# neap bench: how fast training is, and where the time goes; what it says fits together.
. "$(dirname "$0")/lib/common.bash"

expect 0 "$NEAP" generate ba --nodes 2000 --links 5 -o graph.txt
bench=("$NEAP" bench graph.txt --dim 16 --threads 1 --seconds 0.2)

expect 0 "${bench[@]}" --batch 64 --json
valid_json out
python3 - <<'END_OF_PYTHON' || fail 'the numbers do not fit together'
import json
b = json.load(open("out"))
def near(x, y, within):
    assert abs(x - y) <= within * max(abs(x), abs(y)), (x, y)
assert (b["nodes"], b["threads"], b["batch"]) == (2000, 1, 64), b
assert b["graph_edges"] > 9000 and b["batches"] > 1 and 0 <= b["table_batches"] <= b["batches"], b
assert b["seconds"] >= 0.2 and b["edges"] <= 64 * b["batches"] and b["entries"] > b["edges"], b
near(b["edges_per_second"], b["edges"] / b["seconds"], 1e-6)
near(b["share_of_peak"], b["flops"] / b["seconds"] / b["peak"], 1e-6)
assert 0 < b["share_of_peak"] < 1, b
names = [s["name"] for s in b["stages"]]
for wanted in ("draw", "pool", "pull", "optimize"):
    assert wanted in names, names
assert all(s["seconds"] >= 0 and s["about"] for s in b["stages"]), b
assert sum(s["seconds"] for s in b["stages"]) <= b["seconds"]
near(sum(s["seconds"] for s in b["stages"]), b["seconds"], 0.25)
END_OF_PYTHON

# For people: speed, share of peak, the way the pairs took, a bar for each stage; a larger batch, if it was faster.
expect 0 "${bench[@]}" --batch 4 --progress always
says out ' edges/s: '
says out ' % of peak: '
says out ' alignments per edge, '
grep -Eq '^  pool +[0-9]+ %  #* +alignments' out || fail 'no bar for the stage pool'
if grep '^--' out | grep -Evq '^--batch 16 would be [0-9.]+ times as fast'; then fail 'advice about another batch'; fi
if grep -q 'training for' err; then fail 'progress of a run that is over at once'; fi

# What it does not read it does not take; what is not a graph, or not a time, is refused.
for option in '--epochs 3' '--valid 0.1' '--test 0.1' '--method pa' '-o model' '--seconds 0' '--seconds soon'; do
    # shellcheck disable=SC2086
    expect 2 "$NEAP" bench graph.txt $option
    empty out
done
expect 2 "$NEAP" bench
expect 3 "$NEAP" bench missing.txt
expect 3 "$NEAP" bench graph.txt --memory 1K
: >empty.txt
expect 3 "$NEAP" bench empty.txt

interrupt_after 'training for' "$NEAP" bench graph.txt --seconds 600
says err 'interrupted while training'
empty out
