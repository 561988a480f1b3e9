#!/bin/bash
# Columns of score and rank: a method that has a probability prints it behind the score, others do not; --prior sets
# another share of links, and the output says which, and against what non-links.
. "$(dirname "$0")/lib/common.bash"

friends=$NEAP_SOURCE/examples/friends.txt pairs=$NEAP_SOURCE/examples/pairs.txt
expect 0 "$NEAP" train "$friends" -o sure --method evidence --dim 8
expect 0 "$NEAP" train "$friends" -o plain --method pa

columns() { # columns FILE N: N columns in each line
    awk -F'\t' -v n="$2" 'NF != n { bad = 1 } END { exit bad || !NR }' "$1" || fail "not $2 columns in $1"
}

expect 0 "$NEAP" score sure "$pairs"
columns out 4
says err 'probabilities: if 50 % of the pairs that you ask about are links (--prior), and the others non-links of the same node, drawn evenly'
cp out even
expect 0 "$NEAP" score sure "$pairs" --prior 0.01
says err 'if 1 % of the pairs that you ask about are links'
cp out rare
expect 0 "$NEAP" score sure "$pairs" --prior 0.01 --json
cp out rare.json
expect 0 "$NEAP" rank sure alice bob -k 5
columns out 5
cp out ranked
expect 0 "$NEAP" rank sure alice bob -k 5 --prior 0.01 --json
cp out ranked.json
expect 0 "$NEAP" rank sure alice bob -k 5 --explain
columns out 6
cp out because
expect 0 "$NEAP" rank sure alice bob -k 18 --with-known
cp out known
cut -f 1,3 ranked known | grep -v '^-' | "$NEAP" score sure - -q >scored || fail 'what was ranked cannot be scored'
python3 - <<'END' || fail 'score, rank and probability disagree'
import json, math
rows = lambda name: [line.rstrip("\n").split("\t") for line in open(name)]
logistic = lambda x: 1 / (1 + math.exp(-x))
near = lambda a, b: abs(a - b) <= 1e-5 * (1 + abs(b))
for name, prior in (("even", 0.5), ("rare", 0.01)):
    for s, t, score, probability in rows(name):
        assert near(float(probability), logistic(float(score) + math.log(prior / (1 - prior)))), (name, s, t)
told = json.load(open("rare.json"))
assert told["prior"] == 0.01 and told["negatives"] == "uniform", told
assert [list(row) for row in told["scores"]] == [["source", "target", "score", "probability"]] * len(told["scores"])
assert [row["probability"] for row in told["scores"]] == [float(row[3]) for row in rows("rare")]
told = json.load(open("ranked.json"))
assert told["prior"] == 0.01 and told["negatives"] == "uniform", told
assert all(list(row) == ["source", "rank", "node", "score", "probability"] for row in told["suggestions"])
assert [(r["source"], str(r["rank"]), r["node"]) for r in told["suggestions"]] == [tuple(r[:3]) for r in rows("ranked")]
assert [row[:5] for row in rows("because")] == rows("ranked") and any(row[5] for row in rows("because"))
both = rows("ranked") + rows("known")
assert len(both) == len(rows("scored"))
for ranked, scored in zip(both, rows("scored")):
    assert ranked[0] == scored[0] and ranked[2] == scored[1], (ranked, scored)
    assert near(float(ranked[3]), float(scored[2])) and near(float(ranked[4]), float(scored[3])), (ranked, scored)
for a, b in zip(rows("known"), rows("known")[1:]):
    assert a[0] != b[0] or (float(a[3]) >= float(b[3]) and float(a[4]) >= float(b[4])), (a, b)
END

# An unknown node has neither.
printf 'alice nobody\nalice bob\n' >strange
expect 0 "$NEAP" score sure strange --skip-unknown
columns out 4
says out 'nan	nan'

# A cosine is no probability, and a method without one prints what it always did.
expect 0 "$NEAP" nn sure alice -k 3
columns out 4
expect 0 "$NEAP" score plain "$pairs" --prior 0.01
columns out 3
if grep -q probabilities err; then fail 'a score is called a probability'; fi
expect 0 "$NEAP" score plain "$pairs" --json
if grep -q 'prior\|probability\|negatives' out; then fail 'a score is called a probability'; fi
expect 0 "$NEAP" rank plain alice -k 3
columns out 4

# Without directions a pair has one score, whichever node is named first.
expect 0 "$NEAP" train "$friends" -o both --method evidence --dim 8 --undirected
awk '!/^#/ && NF { print; print "alice " $2; print "sam " $1 }' "$friends" | awk '$1 != $2' >there
awk '{ print $2, $1 }' there >back
expect 0 "$NEAP" score both there -q
cp out there.scores
expect 0 "$NEAP" score both back -q
awk -F'\t' '{ print $2 "\t" $1 "\t" $3 }' out >back.scores
close there.scores back.scores 'from the other end'

# Trained against other non-links, the output says so.
expect 0 "$NEAP" train "$friends" -o popular --method evidence --dim 8 --negative-sampling degree
expect 0 "$NEAP" score popular "$pairs"
says err 'non-links of the same node, drawn in proportion to their degree'
expect 0 "$NEAP" rank popular alice -k 3 --prior 0.2 --json
says out '"negatives": "degree"'
says err 'if 20 % of the pairs that you ask about are links'
expect 0 "$NEAP" explain popular alice erin
says out 'non-links of the same node, drawn in proportion to their degree'
expect 0 "$NEAP" train "$friends" -o close --method evidence --dim 8 --negative-sampling two-hop
expect 0 "$NEAP" score close "$pairs"
says err 'drawn from neighbours of neighbours'
expect 0 "$NEAP" info close
says out 'two-hop'
