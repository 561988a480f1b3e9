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

echo 'my notes' >other.checkpoint
expect 3 "$NEAP" train graph.txt -o other "${quick[@]}"
says err 'is no checkpoint'
says other.checkpoint 'my notes'

# A pipe or a terminal may be named as often as one likes.
expect 0 "$NEAP" train graph.txt -o /dev/null --metrics /dev/null "${quick[@]}"
