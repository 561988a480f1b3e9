#!/bin/bash
# Scores and vectors of cane agree with NumPy's, which pads every text to its whole length.
. "$(dirname "$0")/lib/common.bash"

/usr/bin/python3 -c 'import numpy' 2>/dev/null || { echo 'no NumPy: skipped'; exit 0; }
make_friends
make_texts friends.txt
grep -v '^judy' texts.tsv >some.tsv # a node without text
printf 'alice bob\nbob alice\njudy heidi\nmallory ivan\ncarol carol\njudy judy\n' >pairs.txt
for options in '--undirected --attend-padding' '--no-attend-padding --score-by mean' '--undirected --text-length 4' \
    '--preset authors --text-length 40'; do
    read -ra options <<<"$options"
    expect 0 "$NEAP" train friends.txt --method cane --text some.tsv --dim 12 --epochs 3 --valid 0 --lr 0.02 -t 2 -o model "${options[@]}"
    expect 0 "$NEAP" embed model -o vectors.npy
    expect 0 "$NEAP" score model pairs.txt
    cp out scores
    expect 0 /usr/bin/python3 "$NEAP_SOURCE/tests/cane_oracle.py" model scores vectors.npy
    says out '7 comparisons'
done
