#!/bin/bash
# The program in docs/split.md runs as printed and finds neap's AUC, also where names call for a header and quotes.
. "$(dirname "$0")/lib/common.bash"
: "${NEAP_SOURCE:?is the source tree}"

/usr/bin/python3 -c 'import numpy' 2>/dev/null || { echo 'no numpy: skipped'; exit 0; }
sed -n '/^    import csv/,/^$/s/^    //p' "$NEAP_SOURCE/docs/split.md" >example.py
grep -q '^auc = ' example.py || fail 'no program was found in docs/split.md'
echo 'print(repr(float(auc)))' >>example.py

# compare GRAPH: on a split of it, with vectors that know nothing.
compare()
{
    expect 0 "$NEAP" eval link "$1" --header no --methods pa --ratios 50 --seeds 1 -o "splits-$1"
    cd "splits-$1/clean-uniform-50-seed1" || fail 'no split was kept'
    /usr/bin/python3 -c 'import numpy
nodes = open("nodes.txt", "rb").read().count(b"\n")
numpy.save("vectors.npy", numpy.random.default_rng(1).normal(size=(nodes, 4)))' || fail 'no vectors'
    expect 0 "$NEAP" eval link "$work/$1" --header no --split . --vectors vectors.npy --methods none --json
    mv out ours
    expect 0 /usr/bin/python3 "$work/example.py"
    /usr/bin/python3 -c 'import json
theirs, ours = float(open("out").read()), json.load(open("ours"))["results"][0]["auc"]["mean"]
assert abs(theirs - ours) < 1e-9, (theirs, ours)' || fail "$1: another AUC"
    head -n 1 test.tsv >"$work/first"
    cd "$work" || exit 1
}

make_friends
tr ' ' '\t' <friends.txt >plain.tsv
compare plain.tsv

# Whichever of these pairs is the first to be tested looks like a header, so there is one before it.
for s in source from src head; do for t in target to dst tail; do printf '%s\t%s\n' $s $t; done; done >odd.tsv
printf '"a\ttab"\tfrom\n"a\ttab"\t"say ""yes"""\n\xff\thead\n\xff\t"a\ttab"\n' >>odd.tsv
compare odd.tsv
[[ $(<first) == $'source\ttarget' ]] || fail "no header: $(<first)"
