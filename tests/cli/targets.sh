#!/bin/bash
# --targets: suggestions, training and tests keep to them, and the model remembers.
. "$(dirname "$0")/lib/common.bash"

make_friends
make_purchases
cut -d' ' -f1 purchases.txt | sort -u >buyers
cut -d' ' -f2 purchases.txt | sort -u >items

# The opposite side: buyers get items, items get buyers; --targets all lifts it.
expect 0 "$NEAP" train purchases.txt -o shop --targets auto "${quick[@]}"
says err 'the targets of a node are those of the other side (6 and 5 nodes)'
expect 0 "$NEAP" rank shop ann tea -k 99
grep '^ann' out | cut -f3 | sort >got
grep -vxF -f items got >wrong
empty wrong
grep '^tea' out | cut -f3 | sort | grep -vxF -f buyers >wrong
empty wrong
expect 0 "$NEAP" rank shop ann -k 99 --targets all
cut -f3 out | grep -qxF ben || fail '--targets all does not suggest buyers'
expect 0 "$NEAP" info shop
says out opposite

# A list, gzip too.
printf '# what is on the shelf\ntea\n jam \n\nrice\n' >shelf
gzip -k shelf
expect 0 "$NEAP" train purchases.txt -o list --targets shelf "${quick[@]}" --undirected
says err 'shelf: 3 targets'
expect 0 "$NEAP" train purchases.txt -o packed --targets shelf.gz "${quick[@]}" --undirected
same list packed 'a packed list of targets'
expect 0 "$NEAP" rank list ben -k 99
cut -f3 out | sort >got
printf '%s\n' jam rice >wanted
same got wanted 'suggestions of a list'
expect 0 "$NEAP" train purchases.txt -o free "${quick[@]}" --undirected
expect 0 "$NEAP" rank free ben -k 99 --targets shelf
cut -f3 out | sort >got
same got wanted 'a list at rank alone'
"$NEAP" rank free ben -k 99 --targets - <shelf.gz 2>err | cut -f3 | sort >got
same got wanted 'a list from standard input'

# What is wrong is said with file and line.
printf 'tea\ncoffee\n' >bad
for command in 'train purchases.txt -o x' 'rank shop ann' 'eval link purchases.txt --methods pa'; do
    # shellcheck disable=SC2086
    expect 3 "$NEAP" $command --targets bad
    says err 'bad:2:1: there is no node'
done
for command in 'train friends.txt -o x' 'eval link friends.txt --methods pa'; do
    # shellcheck disable=SC2086
    expect 3 "$NEAP" $command --targets auto
    says err 'not bipartite'
    says err 'put a letter before the numbers of one column'
done
[[ ! -e x ]] || fail 'a refused training wrote a model'
expect 2 "$NEAP" train purchases.txt -o shelf --targets shelf "${quick[@]}"
says err overwrite

# Tests: --test and eval link, on splits that say so and come back the same.
expect 0 "$NEAP" train purchases.txt -o x --targets auto --test 0.2 "${quick[@]}" --json
python3 -c 'import json; assert json.load(open("out"))["targets"] == "opposite"' || fail 'targets in JSON'
run=("$NEAP" eval link purchases.txt --methods pa,gap --no-untrained --ratios 70 --seeds 1 --epochs 2 --dim 8)
expect 0 "${run[@]}" --targets auto -o splits --json
cp out drawn
says splits/clean-uniform-opposite-70-seed1/manifest.json '"targets": "opposite"'
expect 0 "$NEAP" check --split splits
expect 0 "$NEAP" eval link purchases.txt --split splits --methods pa,gap --no-untrained --epochs 2 --dim 8 --json
/usr/bin/python3 - <<'END' || fail 'a split that was read gives other results than the one that was drawn'
import json
a, b = (json.load(open(f)) for f in ("drawn", "out"))
key = lambda x: [(r["method"], r["auc"]["mean"], r["mrr"], r["targets"]) for r in x["results"]]
assert key(a) == key(b) and key(a)[0][3] == "opposite", (key(a), key(b))
END
if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    /usr/bin/python3 - <<'END' || fail 'a test negative is on the side of its source'
import numpy
d = "splits/clean-uniform-opposite-70-seed1/"
nodes = open(d + "nodes.txt").read().split("\n")[:-1]
items = set(open("items").read().split())
assert set(open(d + "targets.txt").read().split()) == items
for i, line in enumerate(open(d + "test.tsv")):
    source, target = line.split()[:2]
    for n in [numpy.load(d + "test_negatives.npy")[i], *numpy.load(d + "rank_negatives.npy")[i]]:
        assert (nodes[n] in items) == (target in items) != (source in items), (source, target, nodes[n])
END
fi
expect 2 "$NEAP" eval link purchases.txt --split splits --targets auto
says err 'leave --targets out'
expect 2 "$NEAP" eval link purchases.txt --protocol paper --targets auto
says err 'for the protocol clean'
sed -i 's/^tea$/ann/' splits/*/targets.txt
expect 3 "$NEAP" check --split splits
