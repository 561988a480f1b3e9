#!/bin/bash
# The default method where graphs leave it little to go by.
. "$(dirname "$0")/lib/common.bash"

quickly=(--curve-steps 5 --examples 200 -q)

# A sparse graph, many nodes of which have no link: most of what its vectors are made of is rounding.
expect 0 "$NEAP" train "$NEAP_SOURCE/data/debian.tsv.gz" --test 0.85 -o sparse "${quickly[@]}"
expect 0 "$NEAP" nn sparse libc6 -k 3
[[ $(wc -l <out) -eq 3 ]] || fail 'no neighbours by vectors'

# Evidence of texts alone, of a graph without texts.
make_friends
expect 2 "$NEAP" train friends.txt -o x --evidence text
says err 'needs texts or features'
expect 2 "$NEAP" eval link friends.txt --methods evidence --evidence text --ratios 60 --seeds 1
says err 'needs texts or features'

# Links that follow no rule: what was fitted says nothing, so that probabilities stay near one half.
"$NEAP" generate er --nodes 60 --edges 90 --seed 17 -o random.txt -q || fail 'generate'
"$NEAP" train random.txt -o random "${quickly[@]}" --curve-ridge 0 || fail 'train'
head -30 random.txt >pairs.txt
expect 0 "$NEAP" score random pairs.txt -q
awk -F'\t' '$4 < 0.001 || $4 > 0.999 { exit 1 }' out || fail 'sure of what cannot be known'
