#!/bin/bash
# Nodes that were not in training are scored, ranked and explained from their links.
. "$(dirname "$0")/lib/common.bash"

make_friends
expect 0 "$NEAP" train friends.txt -o model "${quick[@]}"
cat >new.txt <<'END'
niaj alice
niaj carol
olivia grace
peggy sybil
alice bob
END

printf 'niaj\tbob\nolivia\tniaj\nalice\tolivia\n' >pairs
expect 0 "$NEAP" train friends.txt -o default --dim 4
expect 0 "$NEAP" score default pairs --new-edges new.txt
[[ $(awk -F'\t' 'NF == 4' out | wc -l) -eq 3 ]] || fail 'the default scores no new nodes'
expect 3 "$NEAP" score model pairs
says err 'niaj'
expect 0 "$NEAP" score model pairs --new-edges new.txt
[[ $(wc -l <out) -eq 3 ]] || fail 'three pairs, three scores'
says err '2 new nodes added'
says err 'no neighbour in the model'
says err 'left out: not between a new and a known node'

expect 0 "$NEAP" rank model niaj -k 3 --new-edges new.txt
[[ $(wc -l <out) -eq 3 ]] || fail 'no suggestions for a new node'
if cut -f3 out | grep -qxE 'alice|carol|niaj'; then fail 'a known link of a new node was suggested'; fi
expect 0 "$NEAP" explain model niaj bob --new-edges new.txt
says out 'neighbours of niaj'
says out 'alice'
expect 3 "$NEAP" rank model peggy --new-edges new.txt
expect 3 "$NEAP" rank model niaj --new-edges missing.txt

# Old pairs score as before.
printf 'alice\tbob\ngrace\tjudy\n' >old
expect 0 "$NEAP" score model old
cp out before
expect 0 "$NEAP" score model old --new-edges new.txt
same out before 'new nodes changed the score of old ones'

# Texts are for methods that read them.
printf 'niaj\ta text\n' >texts
expect 2 "$NEAP" score model pairs --new-edges new.txt --new-text texts
says err 'gap reads no texts: --new-text has no meaning for its models'

# A text is enough where the method says so: the words of the model place the node, others do not count.
make_texts friends.txt
expect 0 "$NEAP" train friends.txt -o model --method text --text texts.tsv --dim 8 -q
{ sed -n 's/^alice\t/twin\t/p' texts.tsv; printf 'odd\txyzzy\nbob\tnews\n'; } >fresh
expect 3 "$NEAP" rank model twin
expect 0 "$NEAP" rank model twin -k 1 --new-text fresh
[[ $(cut -f3 out) == alice ]] || fail 'a new node with the text of alice is not like her'
says err '1 new node added'
says err 'fresh: 3 nodes with a text'
says err '1 of them by text alone: no neighbour in the model'
says err '1 new node left out: no neighbour in the model, and no word that it reads'
says err '1 text of nodes that the model has: not read'
expect 0 "$NEAP" explain model twin alice --new-text fresh
says out 'words of twin'
expect 0 "$NEAP" embed model -o vectors.txt --new-text fresh
says err 'vectors.txt: 12 vectors of length 8'
[[ $(grep '^twin ' vectors.txt | cut -d' ' -f2-) == "$(grep '^alice ' vectors.txt | cut -d' ' -f2-)" ]] ||
    fail 'the vector of a new node is not that of its text'
expect 2 "$NEAP" embed model -o fresh --new-text fresh
expect 2 "$NEAP" score model --new-text - <fresh
says err '--new-text and PAIRS cannot both be standard input'
expect 2 "$NEAP" rank model --sources - --new-text - <fresh
expect 2 "$NEAP" nn model twin --new-edges - --new-text - <fresh
expect 2 "$NEAP" explain model twin alice --new-edges - --new-text - <fresh
printf 'odd alice\n' >new.txt
expect 0 "$NEAP" rank model odd -k 1 --new-text fresh --new-edges new.txt
says err '2 new nodes added'
expect 3 "$NEAP" explain model odd alice --new-text fresh --new-edges new.txt
says err 'odd has no word that could explain its score'
expect 3 "$NEAP" rank model twin --new-text missing
