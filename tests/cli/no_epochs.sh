#!/bin/bash
# A method that learns in epochs is also shown untrained; one that has vectors but no epochs is not.
. "$(dirname "$0")/lib/common.bash"

quick=(--epochs 1 --dim 8 -q)
expect 0 "$NEAP" generate sbm --nodes 80 --blocks 4 --p-in 0.3 --p-out 0.02 -o g.txt -q

expect 0 "$NEAP" eval link g.txt --methods fastrp,verse --ratios 55 --seeds 1 "${quick[@]}"
says out 'verse untrained'
[[ $(grep -c '^fastrp' out) -eq 1 ]] || fail 'fastrp has one row, trained or not'

expect 0 "$NEAP" train g.txt -o m --method verse --test 0.2 "${quick[@]}"
says out 'untrained'
expect 0 "$NEAP" train g.txt -o m --method fastrp --test 0.2 --dim 8 -q
says out 'fastrp '
! grep -q untrained out || fail 'fastrp has nothing to train'

expect 0 "$NEAP" train g.txt -o m --method fastrp --epochs 3 --dim 8
says err '--epochs has no meaning for fastrp'
