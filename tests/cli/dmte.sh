#!/bin/bash
# Vectors of dmte are those that NumPy makes of the words, links and tensors in the model file; the scores of a trained
# model tell two circles apart.
. "$(dirname "$0")/lib/common.bash"

make_friends
sed 's/$/ 1/; 5s/1$/4/; 9s/1$/2.5/' friends.txt >weighted.txt
awk 'BEGIN { split("alice bob carol dave ivan erin frank grace heidi judy", name)
    for (i = 1; i <= 10; i++) print name[i] "\tall " (i <= 5 ? "north wind north" : "south sun") " own" i % 3 }' >texts.tsv
common=(--text texts.tsv --method dmte --dim 6 --word-dim 70 --min-count 1 --epochs 3 --threads 2)

expect 0 "$NEAP" train friends.txt -o words "${common[@]}" # mallory has no text
expect 0 "$NEAP" train weighted.txt -o padded "${common[@]}" --text-mean padded --text-length 4 --valid 0.2
says err 'weights used'
expect 2 "$NEAP" train friends.txt -o odd "${common[@]}" --dim 7
says err 'two halves'
expect 2 "$NEAP" train friends.txt -o none --method dmte
says err 'text'

if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    expect 0 /usr/bin/python3 "$NEAP_SOURCE/tests/dmte_oracle.py" words padded
    says out 'as NumPy'
else
    echo 'no NumPy: vectors are not compared'
fi

for way in graph batch; do
    expect 0 "$NEAP" train friends.txt -o model "${common[@]}" --epochs 60 --lr 0.01 --diffusion $way
    expect 0 "$NEAP" train friends.txt -o again "${common[@]}" --epochs 60 --lr 0.01 --diffusion $way --threads 1
    same model again 'threads'
    printf 'alice ivan\nalice judy\nfrank heidi\nfrank bob\n' >pairs
    expect 0 "$NEAP" score model pairs
    awk '{ s[NR] = $3 } END { exit !(s[1] > s[2] && s[3] > s[4]) }' out || fail "another circle scores higher: $way"
done
