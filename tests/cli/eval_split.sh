#!/bin/bash
# Splits on disk: written, read by other tools, used again, and refused when they are not what they were.
. "$(dirname "$0")/lib/common.bash"

make_friends
fast=(--methods "gap,pa,ppr" --epochs 3 --dim 8 -t 1)

# The same numbers on the split that was kept, also by a method that was not there before.
expect 0 "$NEAP" eval link friends.txt "${fast[@]}" --ratios 60,80 --seeds 2 -o kept --json
cp out first
same out kept/results.json 'the results are kept as they are printed'
[[ $(find kept -name manifest.json | wc -l) -eq 4 ]] || fail "not four splits: $(ls kept)"
expect 0 "$NEAP" eval link friends.txt "${fast[@]}" --split kept --json
says err 'protocol clean, with their ratios and seeds'
python3 - first out <<'END' || fail 'a kept split gives other numbers'
import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
for r in a["results"] + b["results"]:
    r.pop("seconds"), r.pop("seconds_training")
assert a == b
END
expect 0 "$NEAP" eval link friends.txt --methods katz --split kept/clean-uniform-60-seed2
says out '1 seed'

# The split has the last word about what it is.
for option in '--ratios 60' '--seeds 2' '--seed 3' '--protocol clean' '--test-negatives degree'; do
    # shellcheck disable=SC2086
    expect 2 "$NEAP" eval link friends.txt --methods pa --split kept $option
    says err "leave ${option% *} out"
done

# Splits alone, and what was written is said.
expect 0 "$NEAP" eval link friends.txt --methods none --ratios 60 --seeds 2 -o alone
says err 'alone: 2 splits written'
empty out
same kept/clean-uniform-60-seed2/manifest.json alone/clean-uniform-60-seed2/manifest.json
[[ ! -e alone/results.json ]] || fail 'results of nothing'
expect 0 "$NEAP" eval link friends.txt --methods pa --split alone -o alone
says err 'alone: results.json and report.html written'

# Anybody can read it.
one=kept/clean-uniform-60-seed1
python3 - $one <<'END' || fail 'the files are not what they should be'
import json, os, struct, sys
folder = sys.argv[1]
read = lambda name: [line.split("\t") for line in open(f"{folder}/{name}").read().split("\n")[:-1]]
manifest = json.load(open(f"{folder}/manifest.json"))
nodes = [row[0] for row in read("nodes.txt")]
train, test, held = read("train.tsv"), read("test.tsv"), read("held_out.tsv")
assert len(nodes) == manifest["nodes"] and len(train) == manifest["train"] and len(test) == manifest["test"]
assert len(train) + len(held) == manifest["edges"] and all(p in held for p in test)
assert not {frozenset(p) for p in train} & {frozenset(p) for p in test}
assert manifest["protocol"] == "clean" and manifest["ratio"] == 0.6 and manifest["seed"] == 1
for name, about in manifest["files"].items():
    assert os.path.getsize(f"{folder}/{name}") == about["bytes"]
known = {frozenset(p) for p in train + held}
data = open(f"{folder}/rank_negatives.npy", "rb").read()
length = struct.unpack("<H", data[8:10])[0]
assert eval(data[10:10 + length])["shape"] == (len(test), 100)
numbers = struct.unpack(f"<{len(test) * 100}I", data[10 + length:])
for i, w in enumerate(numbers):
    source = test[i // 100][0]
    assert nodes[w] != source and frozenset((source, nodes[w])) not in known
END

# A graph is trained on as it stands there; a model of it passes, and its vectors can be measured.
expect 0 "$NEAP" train $one/train.tsv -o model "${quick[@]}"
expect 0 "$NEAP" check --split $one --model model
says out 'ok'
says out 'degrees, recounted'
expect 0 "$NEAP" embed model -o mine.vec
expect 0 "$NEAP" eval link friends.txt --split $one --vectors mine.vec --methods pa --allow-missing --json
says out '"method": "mine.vec"'
says out '"sees": "unknown"'
says err 'unknown which links they were trained on'
expect 0 "$NEAP" eval link friends.txt --split $one --vectors mine.vec --methods none --similarity cosine \
    --allow-missing
if grep -q '^pa ' out; then fail '--methods none runs methods'; fi
expect 0 "$NEAP" eval link friends.txt --split kept --vectors mine.vec --methods none --allow-missing
says out 'mine.vec: one file on 4 splits.'
if grep -q '[?]' err; then fail 'a line break became a question mark'; fi
head -n 5 mine.vec | sed '1d' >few.vec
expect 3 "$NEAP" eval link friends.txt --split $one --vectors few.vec --methods none
says err 'no vector for node'

# What is not as it was is refused, with the place.
cp -r $one bad
sed -i '2s/\t.*/\tnobody/' bad/test.tsv
expect 3 "$NEAP" eval link friends.txt --split bad --methods pa
says err 'bad/test.tsv:2'
says err "there is no node 'nobody'"
rm -r bad
cp -r $one bad
printf 'x' >>bad/rank_negatives.npy
expect 3 "$NEAP" eval link friends.txt --split bad --methods pa
says err 'checksum'
rm bad/manifest.json
expect 3 "$NEAP" eval link friends.txt --split bad --methods pa
says err 'there is no split in bad'
expect 3 "$NEAP" eval link friends.txt --split nowhere --methods pa
grep -v judy friends.txt >fewer.txt
expect 3 "$NEAP" eval link fewer.txt --split $one --methods pa
says err 'another graph'

# Protocols never meet in one table.
expect 0 "$NEAP" eval link friends.txt --methods pa --ratios 60 --seeds 1 --protocol paper-clean -o kept
expect 3 "$NEAP" eval link friends.txt --methods pa --split kept
says err 'paper-clean'
expect 0 "$NEAP" eval link friends.txt --methods pa --split kept/paper-clean-60-seed1
says out 'protocol paper-clean'

# No folder, no run.
: >file
expect 4 "$NEAP" eval link friends.txt --methods pa --ratios 60 -o file
says err 'file is a file, not a folder'
expect 4 "$NEAP" eval link friends.txt --methods pa --ratios 60 -o no/such
says err 'make the one that it is to be in first'

# A split of another graph is not replaced; one of the same graph is.
expect 3 "$NEAP" eval link fewer.txt --methods pa --ratios 60 --seeds 1 -o kept
says err 'kept/clean-uniform-60-seed1 holds a split of another graph'
expect 0 "$NEAP" eval link friends.txt --methods pa --ratios 60 --seeds 1 -o kept
expect 3 "$NEAP" eval link friends.txt --methods pa --split $one --undirected
says err 'that of the split is directed'
says err 'try --directed'
