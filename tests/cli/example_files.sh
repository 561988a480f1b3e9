#!/bin/bash
# What is in examples/ compiles, runs and is right, on the graph beside it.
. "$(dirname "$0")/lib/common.bash"
: "${NEAP_SOURCE:?is the source tree}" "${NEAP_BUILD:?is the build folder}"
CC=${CC:-cc}
examples=$NEAP_SOURCE/examples
graph=$examples/friends.txt

# A library built with a sanitizer wants its run-time in the program too.
link=()
symbols=$(nm -D "$NEAP_BUILD/libneap.so") || fail 'libneap.so'
[[ $symbols == *__asan_init* ]] && link+=("-fsanitize=address,undefined")
[[ $symbols == *__tsan_init* ]] && link+=("-fsanitize=thread")
"$CC" -std=c99 -Wall -Wextra -Wpedantic -Werror "-I$NEAP_SOURCE/include" "${link[@]}" "$examples/rank.c" -o rank \
    "-L$NEAP_BUILD" -lneap "-Wl,-rpath,$NEAP_BUILD" >out 2>err || fail 'rank.c does not compile'

# There are two in the choir whom alice does not know yet; bob, carol and dave do.
expect 0 ./rank "$graph" alice
empty err
[[ $(wc -l <out) -eq 5 ]] || fail 'not five suggestions'
[[ $(head -n 2 out | cut -f 1 | sort | tr '\n' ' ') == 'erin frank ' ]] || fail "alice is offered strangers first: $(<out)"
[[ $(head -n 1 out | cut -f 3) =~ ^(bob|carol|dave)$ ]] || fail "not because of a common friend: $(<out)"
expect 1 ./rank "$graph" alicia
says err "'alice'"
expect 1 ./rank no-such-file alice
says err no-such-file
expect 2 ./rank

# The program's own suggestion is the same: one library, one answer.
expect 0 "$NEAP" train "$graph" -o model --undirected
expect 0 "$NEAP" rank model alice -k 5
cut -f 3 out >by_program
./rank "$graph" alice | cut -f 1 >by_library
same by_program by_library 'rank.c and neap rank'

# Everybody in friends.txt has a circle, and vectors know it better than whoever guesses.
expect 0 "$NEAP" eval cluster "$graph" --labels "$examples/circles.txt" --epochs 20
says err '18 of 18 nodes labelled, 3 classes'
awk '/^gap/ { exit !($4 > 0.5) }' out || fail "the circles are not found: $(<out)"
expect 0 "$NEAP" eval classify "$graph" --labels "$examples/circles.txt" --shares 50 --epochs 5

PATH=/usr/bin:$PATH
if ! python3 -c 'import numpy' 2>/dev/null; then
    echo 'python3 has no numpy: read_model.py was not run'
    exit 0
fi

# close_to A B: equal but for rounding.
close_to()
{
    awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(d < 1e-4 && d > -1e-4) }' || fail "$1 is not $2"
}

# check_scores MODEL PAIR...: NumPy and neap agree.
check_scores()
{
    local model=$1 pair
    shift
    for pair; do
        tr ' ' '\t' <<<"$pair" >pairs
        expect 0 "$NEAP" score "$model" pairs
        cut -f 3 out >ours
        # shellcheck disable=SC2086
        expect 0 python3 "$examples/read_model.py" "$model" $pair
        close_to "$(<ours)" "$(sed -n 's/^score\t.*\t//p' out)"
    done
}

expect 0 "$NEAP" train "$graph" -o gap --method gap --undirected --valid 0 --epochs 50
check_scores gap 'alice erin' 'erin alice' 'frank grace' 'bob sam'
expect 0 "$NEAP" train "$graph" -o recipe --method gap --undirected --valid 0 --mask --sides 2 --degrees --alignment scaled
check_scores recipe 'alice erin' 'erin alice' 'frank grace'
expect 0 "$NEAP" train "$graph" -o even --method gap --valid 0 --degrees --attention uniform
check_scores even 'carol dave' 'dave carol' 'alice olga'
expect 0 "$NEAP" train "$graph" -o capped --method gap --neighbors 3 --dim 16 --valid 0
check_scores capped 'carol dave' 'dave carol' 'alice olga'
expect 0 python3 "$examples/read_model.py" capped
says out hood.nodes
says out $'P\tfloat32\t16\t16'
{ echo 'sam sam'; cat "$graph"; } >loops.txt
expect 0 "$NEAP" train loops.txt -o paper --preset paper --dim 16 --epochs 3
check_scores paper 'sam alice' 'alice sam' 'paul nick'
expect 0 "$NEAP" train "$graph" -o authors --preset authors --dim 16 --epochs 1
expect 1 python3 "$examples/read_model.py" authors alice bob
says err '--pooling max'
