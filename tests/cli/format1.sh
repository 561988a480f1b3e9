#!/bin/bash
# Files of format 1, as version 0.1.0 of November 2026 wrote them, are read for ever: models score as they did, and a run
# goes on from its checkpoint to the same result. (tests/format1/README.md has the commands that made them.)
. "$(dirname "$0")/lib/common.bash"

old=$NEAP_SOURCE/tests/format1

for model in "$old"/*.safetensors; do
    name=$(basename "$model" .safetensors)
    expect 0 "$NEAP" check "$model"
    [[ $name = graph || $name = vectors ]] && continue
    expect 0 "$NEAP" score "$model" "$NEAP_SOURCE/examples/pairs.txt" -q
    close out "$old/$name.scores" "$name"
    expect 0 "$NEAP" info "$model"
    # What is written again is of today's format, and scores the same.
    expect 0 "$NEAP" rank "$model" alice -k 3
done
expect 0 "$NEAP" train "$old/graph.safetensors" -o again "${quick[@]}"

# resume METHOD OPTION...: the run that the checkpoint is from, to its end.
resume() {
    cp "$old/$1.checkpoint" "$1.checkpoint"
    expect 0 "$NEAP" check "$1.checkpoint"
    expect 0 "$NEAP" train "$NEAP_SOURCE/examples/friends.txt" -o "$1" --method "$@" --dim 4 --checkpoint "$1.checkpoint" --resume
    says err 'going on from'
    expect 0 "$NEAP" score "$1" "$NEAP_SOURCE/examples/pairs.txt" -q
    close out "$old/$1.resumed.scores" "$1 resumed"
}
resume gap --epochs 500 --valid 0.1 --patience 100000 --no-mask --no-self --no-degrees --alignment tanh --objective margin
resume deepwalk --epochs 300 --walks 2 --walk-length 8 --window 2
resume attentivewalk --epochs 400 --valid 0.1 --patience 100000
resume splitter --epochs 200 --walks 2 --walk-length 8 --window 2
