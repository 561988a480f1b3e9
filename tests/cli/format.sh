#!/bin/bash
# The second implementation, written from docs/format.md in plain Python, reads what the program writes and refuses
# what the program refuses.
. "$(dirname "$0")/lib/common.bash"

reader() { python3 "$NEAP_SOURCE/tests/format_reader.py" "$@"; }

make_friends
expect 0 "$NEAP" train friends.txt -o model "${quick[@]}"
expect 0 "$NEAP" train friends.txt -o small "${quick[@]}" --neighbors 2 --padding vector --undirected
expect 0 "$NEAP" train friends.txt -o split --method splitter --dim 8 --epochs 1
expect 0 "$NEAP" train friends.txt -o attentive --method attentivewalk --dim 8 --epochs 1
expect 0 "$NEAP" convert friends.txt graph.safetensors
expect 0 "$NEAP" embed model -o vectors.safetensors
for file in model small split attentive graph.safetensors vectors.safetensors; do
    expect 0 "$NEAP" check "$file"
    expect 0 reader "$file"
done

size=$(stat -c %s model)
for place in 3 20 500 $((size / 2)) $((size - 1)); do
    cp model damaged
    byte=$(od -An -tu1 -j "$place" -N 1 damaged)
    printf "\\x$(printf %x $((byte ^ 4)))" | dd of=damaged bs=1 seek="$place" conv=notrunc status=none
    expect 3 "$NEAP" check damaged
    expect 3 reader damaged
done
