#!/bin/bash
# What is fuzzed is what is shipped, and every target has a small corpus that `make test` replays.
. "$(dirname "$0")/lib/common.bash"

if grep -rniE 'fuzz' "$NEAP_SOURCE"/{src,include,programs} >err; then fail 'shipped code behaves otherwise when it is fuzzed'; fi

corpus=$NEAP_SOURCE/tests/fuzz/corpus
diff <(cd "$NEAP_SOURCE/tests/fuzz" && ls fuzz_*.c | sed 's/^fuzz_//; s/\.c$//' | sort) <(ls "$corpus" | sort) >err ||
    fail 'targets (<) and folders of the corpus (>) differ'
bytes=$(find "$corpus" -type f -printf '%s\n' | awk '{ n += $1 } END { print n + 0 }')
[[ $bytes -lt 300000 ]] || fail "the corpus has $bytes bytes; tools/fuzz --merge makes it small"

# A replay without an input is a failure, and so is an input that cannot be read.
replay=$NEAP_BUILD/tests/fuzz/fuzz_labels
mkdir none
expect 1 "$replay" none
printf 'ann\tnorth\nbob\tnorth\neve\tsouth\n' >labels
expect 0 "$replay" -mutants=3 labels
says out '4 inputs'

expect 2 "$NEAP_SOURCE/tools/fuzz" nonsense
says err 'graph_edges'
expect 2 "$NEAP_SOURCE/tools/fuzz" --seconds soon
