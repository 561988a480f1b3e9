#!/bin/bash
# Files of format 2 are read for ever, with the negatives that they were made with: what they call `degree` is
# `degree-0.75` now, trains the same model from the start, and goes on from a checkpoint to the same result.
. "$(dirname "$0")/lib/common.bash"

old=$NEAP_SOURCE/tests/format2 friends=$NEAP_SOURCE/examples/friends.txt pairs=$NEAP_SOURCE/examples/pairs.txt
same_scores() { # same_scores MODEL SCORES
    expect 0 "$NEAP" score "$1" "$pairs" -q
    close out "$2"
}

for name in gap-authors gap-degree; do
    model=$old/$name.safetensors
    expect 0 "$NEAP" check "$model"
    expect 0 "$NEAP" info "$model"
    says out ' degree-0.75'
    same_scores "$model" "$old/$name.scores"
done

expect 0 "$NEAP" train "$friends" -o authors --preset authors --dim 4 --epochs 2 --neighbors 3
same_scores authors "$old/gap-authors.scores"
then=(--no-mask --no-self --no-degrees --alignment tanh --objective margin) # the preset neap of that time
expect 0 "$NEAP" train "$friends" -o damped "${then[@]}" --dim 4 --epochs 30 --valid 0 --method gap --negative-sampling degree-0.75
same_scores damped "$old/gap-degree.scores"
expect 0 "$NEAP" train "$friends" -o degree "${then[@]}" --dim 4 --epochs 30 --valid 0 --method gap --negative-sampling degree
expect 0 "$NEAP" score degree "$pairs" -q
cmp -s out "$old/gap-degree.scores" && fail 'degree is still what it was'

cp "$old/gap-degree.checkpoint" run
expect 0 "$NEAP" check run
again=(train "$friends" -o resumed "${then[@]}" --method gap --epochs 400 --valid 0 --dim 4 --checkpoint run --resume)
expect 3 "$NEAP" "${again[@]}" --negative-sampling degree
says err 'it has negative-sampling degree-0.75, this run has degree'
expect 0 "$NEAP" "${again[@]}" --negative-sampling degree-0.75
says err 'going on from'
same_scores resumed "$old/gap-degree.resumed.scores"
