#!/bin/bash
# neap eval link: one table for all methods, the same pairs, honest labels.
. "$(dirname "$0")/lib/common.bash"

make_friends
fast=(--ratios 60,80 --seeds 2 --epochs 3 --dim 8 -t 1)

expect 0 "$NEAP" eval link friends.txt "${fast[@]}"
says out 'protocol clean'
for method in gap pa cn aa ra katz l3 walk3 ppr; do
    grep -Eq "^$method +[01]\.[0-9]{4} " out || fail "no row for $method"
done
if grep -q leaky out; then fail 'clean is not leaky'; fi

expect 0 "$NEAP" eval link friends.txt "${fast[@]}" --methods gap,pa --json
valid_json out
cp out once
expect 0 "$NEAP" eval link friends.txt "${fast[@]}" --methods gap,pa --json
python3 - once out <<'END' || fail 'the numbers do not make sense'
import json, sys
once, again = (json.load(open(f)) for f in sys.argv[1:])
assert len(once["results"]) == 4 and not once["leaky"]
for a, b in zip(once["results"], again["results"]):
    numbers = [a["auc"]["mean"], a["ap"], a["mrr"], *a["hits"].values(), *a["pool_hits"].values()]
    assert all(0 <= x <= 1 for x in numbers), numbers
    assert a["pairs"] > 0 and a["hits"]["1"] <= a["hits"]["10"] <= a["hits"]["50"]
    for key in ("seconds", "seconds_training"):
        a.pop(key), b.pop(key)
    assert a == b, "not repeatable"
END

# The degree product of eval is that of train --test: the same split.
expect 0 "$NEAP" eval link friends.txt --methods pa --ratios 80 --seeds 1 --json
cp out eval.json
expect 0 "$NEAP" train friends.txt -o m --method pa --test 0.2 --json
python3 - eval.json out <<'END' || fail 'eval and train --test disagree'
import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
assert abs(a["results"][0]["auc"]["mean"] - b["test"]["auc"]) < 1e-9
END

# What is odd about the input is counted, and so is what each row could see.
{ cat friends.txt; printf 'alice bob\nbob alice\nivan ivan\n'; } >odd.txt
expect 0 "$NEAP" eval link odd.txt "${fast[@]}" --methods gap,pa
says out '1 self-loop dropped, 1 repeated edge merged'
says out 'training links'
expect 0 "$NEAP" eval link odd.txt "${fast[@]}" --methods gap,pa --protocol paper --json
python3 - out <<'END' || fail 'self-loops, repeats and what was seen are not told'
import json, sys
top = json.load(open(sys.argv[1]))
assert top["leaky"] and "leaky" in top["sees"]
assert top["self_loops"] == {"dropped": 0, "kept": 1} and top["repeats"]["merged"] == 1 and top["ties"] >= 0
sees = {r["method"]: r["sees"] for r in top["results"]}
assert sees == {"gap": "test links", "pa": "training links"}, sees
for r in top["results"]:
    assert r["pairs"] > 0 and r["skipped"] >= 0 and r["loops"] >= 0 and 0 <= r["auc_no_loops"] <= 1
    assert set(r) >= {"method", "protocol", "ratio", "negatives", "auc", "ap", "mrr", "hits", "seconds"}
END

expect 0 "$NEAP" eval link friends.txt "${fast[@]}" --methods gap --protocol paper
says out 'leaky'
says out 'test links included'
expect 0 "$NEAP" eval link friends.txt "${fast[@]}" --methods gap --protocol paper-clean
if grep -q leaky out; then fail 'paper-clean is not leaky'; fi

expect 2 "$NEAP" eval link friends.txt --methods gap,nosuch --ratios 60
says err nosuch
expect 2 "$NEAP" eval link friends.txt --ratios 0
expect 2 "$NEAP" eval link friends.txt --ratios 60,
expect 2 "$NEAP" eval link friends.txt --protocol dirty
expect 2 "$NEAP" eval nothing friends.txt
expect 3 "$NEAP" eval link missing.txt
