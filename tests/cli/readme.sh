#!/bin/bash
# The commands of the README run as they are printed, and the files they write are there.
. "$(dirname "$0")/lib/common.bash"

sed -n '/^## On one screen/,/^## /p' "$NEAP_SOURCE/README.md" | sed -n '/^```sh/,/^```/p' | grep -v '^```' >lines
[[ $(grep -c '^neap ' lines) -ge 8 ]] || fail 'the README has no commands'
cp "$NEAP_SOURCE"/examples/*.txt .
while IFS= read -r line; do
    [[ $line == neap\ * ]] || continue
    expect 0 bash -c "${line/#neap/"$NEAP"} -q"
done <lines
for file in friends.safetensors held-out.safetensors why.html friends.npy friends.names.txt; do
    [[ -s $file ]] || fail "the README's lines left no $file"
done
