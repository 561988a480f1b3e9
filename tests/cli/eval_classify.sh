#!/bin/bash
# neap eval classify: classes predicted from vectors, with the most frequent class as a yardstick.
. "$(dirname "$0")/lib/common.bash"

make_friends
make_circles
fast=(--seeds 2 --epochs 3 --dim 8 -t 1)

expect 0 "$NEAP" eval classify friends.txt --labels circles.txt "${fast[@]}" --shares 40,60
says out 'logistic regression on vectors, protocol clean, 2 seeds'
for row in 'gap +100 % +40 %' 'gap +100 % +60 %' 'most-frequent +- +40 %' 'most-frequent +- +60 %'; do
    grep -Eq "^$row +[01]\.[0-9]{4} " out || fail "no row $row"
done

# Vectors that say the class outright: everything is right, whoever says one class is not.
printf '11 2\n' >v.txt
sed 's/\tnorth/ 9 0/; s/\tsouth/ 0 9/' circles.txt >>v.txt
expect 0 "$NEAP" eval classify friends.txt -l circles.txt --vectors v.txt "${fast[@]}" --shares 50 --seeds 3 --json -o kept
valid_json out
same out kept/results.json
python3 - out <<'END' || fail 'the results do not make sense'
import json, sys
r = json.load(open(sys.argv[1]))
assert (r["task"], r["labelled"], r["classes"], r["seeds"]) == ("classify", 11, 2, 3), r
ours, frequent = r["results"]
assert (ours["method"], ours["share"], ours["train"], ours["test"]) == ("v.txt", 50, 6, 5), ours
assert ours["micro_f1"] == ours["macro_f1"] == {"mean": 1, "std": 0}, ours
assert frequent["method"] == "most-frequent" and 0 < frequent["macro_f1"]["mean"] < 0.7, frequent
truth = dict(line.rstrip("\n").split("\t") for line in open("circles.txt"))
hits = 0
for seed in 1, 2, 3:
    rows = [line.rstrip("\n").split("\t") for line in open(f"kept/vectors-{seed}-50.tsv")]
    assert rows[0] == ["node", "class", "predicted"] and len(rows) == 6, rows
    tested = [node for node, _, _ in rows[1:]]
    assert all(truth[node] == c == predicted for node, c, predicted in rows[1:]), rows
    train = [c for node, c in truth.items() if node not in tested]
    most = max(["north", "south"], key=train.count)
    hits += sum(truth[node] == most for node in tested)
assert abs(frequent["micro_f1"]["mean"] - hits / 15) < 1e-9, (frequent, hits)
END

expect 0 "$NEAP" eval classify friends.txt -l circles.txt "${fast[@]}" --methods gap --vectors v.txt --ratios 60,80 \
    --protocol paper --shares 50 --json
says out '"leaky": true'
[[ $(grep -c '"method"' out) -eq 4 ]] || fail 'not one row for the file, two for gap and one for the yardstick'

{ echo '11 2'; sed 's/\tnorth/ 1e-9 0/; s/\tsouth/ 0 1e-9/' circles.txt; } >short.txt
expect 0 "$NEAP" eval classify friends.txt -l circles.txt --vectors short.txt --shares 30
says err 'all nodes are predicted to be of one class'

expect 2 "$NEAP" eval classify friends.txt -l circles.txt --shares 0
expect 2 "$NEAP" eval classify friends.txt -l circles.txt --shares 100
expect 2 "$NEAP" eval classify friends.txt -l circles.txt --shares 1 --vectors v.txt
says err 'a share of 1 % of 11 labelled nodes leaves none to train'
expect 2 "$NEAP" eval classify friends.txt -l circles.txt --shares 50,50
expect 2 "$NEAP" eval classify friends.txt -l circles.txt --allow-missing
expect 0 "$NEAP" eval classify friends.txt -l circles.txt --shares 50 --vectors v.txt --seeds 1 --json -o once
says out '"std": null'
says err '1 of 1: v.txt, seed 1, 50 % of the labels: micro F1'
says err 'once: 1 table of nodes and results.json written'
expect 2 "$NEAP" eval classify friends.txt
expect 3 "$NEAP" eval classify friends.txt -l missing.txt
expect 3 "$NEAP" eval classify friends.txt -l circles.txt --vectors missing.txt

data=$NEAP_SOURCE/data
expect 0 "$NEAP" eval classify "$data/debian.tsv.gz" -l "$data/debian-sections.tsv.gz" --seeds 1 --shares 5 \
    --methods gap --ratios 20 --epochs 1 --valid 0 --dim 4 --neighbors 4
grep -q '^most-frequent' out || fail 'no yardstick for the bundled graph'
