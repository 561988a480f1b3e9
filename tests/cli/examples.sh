#!/bin/bash
# Every example that help prints works as printed, in the order of the commands.
. "$(dirname "$0")/lib/common.bash"

make_friends
make_circles
make_purchases
make_graphs
cp friends.txt graphs/email/graph.txt # small, because every method is trained on it twelve times
cp circles.txt graphs/email/labels.txt
printf 'alice\tbob\ncarol\theidi\n' >pairs.txt
make_texts friends.txt
mv texts.tsv about.txt
mkdir published
head -n -3 friends.txt >published/train.txt
tail -n 3 friends.txt >published/test_pos.txt
printf 'alice judy\nbob mallory\ncarol trent\n' >published/test_neg.txt
mkdir bin
ln -s "$NEAP" bin/neap
PATH=$work/bin:$PATH

"$NEAP" help >overview
list_commands overview >commands
count=0
while read -r command; do
    # shellcheck disable=SC2086
    "$NEAP" help $command | sed -n '/^Examples:/,$s/^  //p' >examples
    [[ -s examples ]] || fail "$command has no example"
    while read -r line; do
        bash -c "$line" >out 2>err </dev/null || fail "the example fails: $line"
        count=$((count + 1))
    done <examples
done <commands
[[ $count -ge 20 ]] || fail "only $count examples"
[[ -s friends.safetensors && -s explain.html && -s neap.1 ]] || fail "an example did not write its file"
