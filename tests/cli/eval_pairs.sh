#!/bin/bash
# Splits of others: three files, the names of which are the nodes, and all that eval link does with a split.
. "$(dirname "$0")/lib/common.bash"

make_friends
fast=(--methods "pa,ppr,fastrp" -t 1)

# What one of ours holds, written as others ship it, gives the same numbers.
expect 0 "$NEAP" eval link friends.txt "${fast[@]}" --ratios 70 --seeds 2 -o kept --json
cp out ours
for k in 1 2; do
    mkdir -p theirs/$k
    python3 - kept/clean-uniform-70-seed$k theirs/$k <<'END' || fail 'the split cannot be written again'
import gzip, json, struct, sys
ours, theirs = sys.argv[1:]
nodes = [line.rstrip("\n") for line in open(ours + "/nodes.txt")]
test = [line.rstrip("\n").split("\t")[:2] for line in open(ours + "/test.tsv")]
data = open(ours + "/test_negatives.npy", "rb").read()
start = 10 + struct.unpack("<H", data[8:10])[0]
other = struct.unpack("<%dI" % len(test), data[start:])
with gzip.open(theirs + "/train.tsv.gz", "wt") as file: file.write(open(ours + "/train.tsv").read())
with open(theirs + "/test_pos.txt", "w") as file: file.writelines("%s %s\n" % tuple(p) for p in reversed(test))
with open(theirs + "/test_neg.csv", "w") as file:
    file.writelines("%s,%s\n" % (p[0], nodes[w]) for p, w in zip(test, other))
END
done
expect 0 "$NEAP" eval link --pairs theirs "${fast[@]}" --json
says err 'theirs: 2 splits of others'
says err 'ppr on 2: AUC '
python3 - ours out <<'END' || fail 'given pairs have other numbers'
import json, sys
ours, theirs = (json.load(open(f)) for f in sys.argv[1:])
assert theirs["protocol"] == "given" and theirs["seeds"] == 2, theirs
for a, b in zip(ours["results"], theirs["results"]):
    assert (a["method"], a["untrained"]) == (b["method"], b["untrained"])
    if a["method"] != "fastrp":  # its start depends on the order of nodes
        assert abs(a["auc"]["mean"] - b["auc"]["mean"]) < 1e-9 and abs(a["ap"] - b["ap"]) < 1e-9, (a, b)
    assert b["negatives"] == "given" and b["calibration"] is None
END
expect 0 "$NEAP" eval link --pairs theirs/1 --methods evidence,pa --ablate --dim 4 --curve-steps 20 -o page
says out 'AUC, protocol given, 1 split'
says out 'evidence without walks'
says out 'How the given non-links were drawn is not known'
[[ -s page/report.html && -s page/results.json ]] || fail 'no page'

# Vectors and texts are of each split's own nodes; names that only the test has are nodes, too.
printf 'newcomer alice\n' >>theirs/1/test_pos.txt
"$NEAP" train friends.txt -o v "${quick[@]}" -q && "$NEAP" embed v -o v.vec -q || fail 'vectors'
expect 3 "$NEAP" eval link --pairs theirs --methods pa --vectors v.vec
says err newcomer
make_texts friends.txt
expect 0 "$NEAP" eval link --pairs theirs --methods text --vectors v.vec --allow-missing --text texts.tsv --dim 4
says err '1 node that training lacks'
grep -q '^v.vec' out || fail 'no row of the vectors'

# What is missing, or in the wrong place, is said.
refused() # CODE WORDS OPTIONS...
{
    expect "$1" "$NEAP" eval link --methods pa "${@:3}"
    says err "$2"
}
refused 2 'a graph is missing, or --pairs'
refused 2 "leave 'friends.txt' out" friends.txt --pairs theirs
for option in '--ratios 60' '--seeds 2' '--protocol clean' '--test-negatives degree' '--split kept' '--targets auto'; do
    # shellcheck disable=SC2086
    refused 2 "leave ${option% *} out" --pairs theirs $option
done
mkdir empty
refused 3 'there is no train.txt in empty, nor in a folder in it' --pairs empty
cp theirs/2/train.tsv.gz empty
refused 3 'there is no test_pos.txt in empty' --pairs empty
cp theirs/2/test_pos.txt theirs/2/test_neg.csv empty
cp theirs/2/test_neg.csv empty/test_neg.txt
refused 3 'leave one of them' --pairs empty
rm empty/test_neg.txt
head -n 1 theirs/2/test_pos.txt | tr ' ' , >>empty/test_neg.csv
refused 3 'a test pair, too' --pairs empty
gzip -dc theirs/2/train.tsv.gz | head -n 1 | tr '\t' ' ' >>empty/test_pos.txt
refused 5 'it would be no test' --pairs empty
