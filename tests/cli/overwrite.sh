#!/bin/bash
# No output destroys an input, and a checkpoint replaces nothing but a checkpoint.
. "$(dirname "$0")/lib/common.bash"

make_friends
cp friends.txt graph.txt
expect 0 "$NEAP" train graph.txt -o model "${quick[@]}"
cp model kept

# untouched COMMAND...: usage error, and both files are as they were.
untouched()
{
    expect 2 "$@"
    says err 'overwrite'
    same friends.txt graph.txt "$*"
    same kept model "$*"
}
untouched "$NEAP" train graph.txt -o graph.txt "${quick[@]}"
untouched "$NEAP" train graph.txt -o ./graph.txt "${quick[@]}"
untouched "$NEAP" train graph.txt -o other --checkpoint graph.txt "${quick[@]}"
untouched "$NEAP" train graph.txt -o other --checkpoint other "${quick[@]}"
untouched "$NEAP" train graph.txt -o other --metrics graph.txt "${quick[@]}"
untouched "$NEAP" train graph.txt -o other --metrics ./other "${quick[@]}"
untouched "$NEAP" embed model -o model
untouched "$NEAP" convert graph.txt graph.txt
untouched "$NEAP" explain model alice bob --html model
ln -s graph.txt link.txt
untouched "$NEAP" train graph.txt -o link.txt "${quick[@]}"

# Nor do the names that go beside it.
for beside in q.names.txt:q.npy ./q.names.txt:q.npy t.meta.tsv:t.tsv; do
    cp model "${beside%%:*}"
    untouched "$NEAP" embed "${beside%%:*}" -o "${beside##*:}"
    same model "${beside%%:*}" 'the model that embed read'
    [[ ! -e ${beside##*:} ]] || fail "${beside##*:} was written"
done
for out in x.mtx x.graph x; do
    cp graph.txt $out.names.txt
    untouched "$NEAP" convert $out.names.txt $out --to "$([[ $out == x ]] && echo metis || echo auto)"
    same graph.txt $out.names.txt 'the graph that convert read'
    [[ ! -e $out ]] || fail "$out was written"
done
cp graph.txt y.txt.names.txt # these formats have no file of names
expect 0 "$NEAP" convert y.txt.names.txt y.txt
same graph.txt y.txt.names.txt
cp model z.names.txt
expect 0 "$NEAP" embed z.names.txt -o z.txt
same model z.names.txt
cp graph.txt links.txt
untouched "$NEAP" explain model alice bob --new-edges links.txt --html links.txt
same graph.txt links.txt 'the edges that explain read'

# Nor do the tables that an evaluation keeps.
mkdir kept-in
make_circles
fast=(--dim 8 --epochs 1 --valid 0 --threads 1 --seeds 1)
for name in gap-100-1.tsv results.json vectors-1.tsv; do
    cp circles.txt "kept-in/$name"
    untouched "$NEAP" eval cluster graph.txt --labels "kept-in/$name" -o kept-in "${fast[@]}"
    same circles.txt "kept-in/$name" 'the classes that eval read'
    cp graph.txt "kept-in/$name"
    untouched "$NEAP" eval classify "kept-in/$name" --labels circles.txt -o ./kept-in "${fast[@]}"
    same graph.txt "kept-in/$name" 'the graph that eval read'
    rm "kept-in/$name"
done
cp circles.txt kept-in/mine.tsv
expect 0 "$NEAP" eval cluster graph.txt --labels kept-in/mine.tsv -o kept-in "${fast[@]}"
same circles.txt kept-in/mine.tsv

echo 'my notes' >other.checkpoint
expect 3 "$NEAP" train graph.txt -o other "${quick[@]}"
says err 'is no checkpoint'
says other.checkpoint 'my notes'

# A pipe or a terminal may be named as often as one likes.
expect 0 "$NEAP" train graph.txt -o /dev/null --metrics /dev/null "${quick[@]}"
