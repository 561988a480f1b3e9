#!/bin/bash
# Pipes, devices, compressed and standard input.
. "$(dirname "$0")/lib/common.bash"

make_friends
expect 0 "$NEAP" train friends.txt -o model "${quick[@]}"

# Standard input, gzip and zstd give the same model as the file.
"$NEAP" train - -o piped -q "${quick[@]}" <friends.txt || fail 'a graph from standard input'
same model piped
gzip -k friends.txt
expect 0 "$NEAP" train friends.txt.gz -o packed "${quick[@]}"
says err gzip
same model packed
"$NEAP" train - -o packed -q "${quick[@]}" <friends.txt.gz || fail 'gzip from standard input'
same model packed
if command -v zstd >/dev/null; then
    zstd -q friends.txt
    expect 0 "$NEAP" train friends.txt.zst -o packed "${quick[@]}"
    same model packed
fi

# Pairs from standard input, with or without saying so; in any form that edges may have.
printf 'alice\tbob\ncarol\theidi\n' >pairs
expect 0 "$NEAP" score model pairs
cp out expected
"$NEAP" score model <pairs >out || fail 'pairs from standard input'
same out expected
"$NEAP" score model - <pairs >out || fail 'pairs from -'
same out expected
printf '\xef\xbb\xbfalice bob\r\n\r\n# words\r\ncarol   heidi' | "$NEAP" score model >out || fail 'CRLF'
same out expected
printf 'id;target;source\n1;"bob";alice\n2;heidi;carol\n' | gzip | "$NEAP" score model >out || fail 'gzip and header'
same out expected
cp expected again
expect 0 "$NEAP" score model again
same out expected 'scores scored again'

# A pair that is unknown ends the reading, or is nan; all others are scored in their places.
printf 'alice bob\nalice nobody\ncarol heidi\nno one\n' >pairs
expect 3 "$NEAP" score model pairs
says err 'pairs:2:7: '
same out <(head -1 expected)
expect 0 "$NEAP" score model pairs --skip-unknown
same out <(head -1 expected; printf 'alice\tnobody\tnan\n'; tail -1 expected; printf 'no\tone\tnan\n')
says err '2 pairs with an unknown node'
expect 0 "$NEAP" score model pairs --skip-unknown --json
valid_json out
says out 'null'
echo lonely >>pairs
expect 3 "$NEAP" score model pairs --skip-unknown
says err 'pairs:5:1: only 1 column'
for i in {1..1000}; do echo "stranger$i alice"; done >strangers
expect 0 "$NEAP" score model strangers --skip-unknown
[[ $(cut -f3 out | sort | uniq -c | tr -d ' ') == 1000nan ]] || fail 'a thousand strangers'
same <(cut -f1 out) <(cut -d' ' -f1 strangers)

# What is no graph, or no model, is called by its name.
expect 3 "$NEAP" train model -o m
says err 'model: this is a neap model, not a graph; `neap info` says what it holds'
"$NEAP" train - -o m <model 2>err
[[ $? -eq 3 ]] || fail 'a model from standard input as a graph'
says err 'a safetensors file'
expect 0 "$NEAP" convert friends.txt graph.safetensors
mv graph.safetensors graph
expect 0 "$NEAP" train graph -o from-graph "${quick[@]}"
same model from-graph
if command -v xz >/dev/null; then
    xz -k friends.txt
    expect 3 "$NEAP" train friends.txt.xz -o m
    says err 'xzcat FILE | neap train -'
fi
expect 3 "$NEAP" rank friends.txt alice
says err 'friends.txt: this is no model but text'
says err 'neap train'
echo short >short.txt
expect 3 "$NEAP" rank short.txt alice
says err 'this is no model but text'

# Names that a format cannot hold go beside it.
expect 0 "$NEAP" convert friends.txt friends.mtx
[[ $(sed -n 3p friends.mtx.names.txt) == carol && $(wc -l <friends.mtx.names.txt) -eq 11 ]] || fail 'names beside .mtx'

# Input of any length, in bounded memory: many chunks.
for _ in {1..10000}; do echo 'alice bob'; done >many
expect 0 "$NEAP" score model many
[[ $(wc -l <out) -eq 10000 && $(sort -u out | wc -l) -eq 1 ]] || fail 'ten thousand pairs'

# A reader that has seen enough is no error.
quiet()
{
    "$@" 2>err | head -1 >/dev/null
    local code=${PIPESTATUS[0]}
    [[ $code -eq 0 ]] || fail "exit code $code with a closed pipe: $*"
    empty err
}
for _ in {1..5}; do quiet "$NEAP" score model many; done
quiet "$NEAP" score model many --json
quiet "$NEAP" manual
quiet "$NEAP" rank model alice
"$NEAP" train friends.txt -o - "${quick[@]}" -q 2>err | true
[[ ${PIPESTATUS[0]} -eq 0 ]] || fail 'a model into a closed pipe'
empty err

# A reader of a named pipe that leaves early loses what was made: an error, like a full disk. The same into a file is not.
"$NEAP" generate er --nodes 2000 --edges 20000 -o large.txt -q || fail 'generate' # more bytes than a pipe holds
expect 0 "$NEAP" train large.txt -o large --method fastrp --dim 32
mkfifo early.txt
for command in 'train large.txt --method fastrp --dim 32 -o early.txt' 'embed large -o early.txt' 'convert large.txt early.txt' \
    'train friends.txt --method gap --dim 8 --epochs 2000 --valid 0 --threads 1 -o lost --metrics early.txt'; do
    head -c 1 <early.txt >/dev/null &
    # shellcheck disable=SC2086
    "$NEAP" $command -q 2>err
    [[ $? -eq 4 ]] || fail "a reader that left early went unnoticed: $command"
    says err 'early.txt: Broken pipe'
    wait
done
[[ ! -e lost ]] || fail 'a model although its metrics were lost'

# A full disk behind standard output is an error; so is no standard output at all.
if [[ -w /dev/full ]]; then
    for command in 'methods' 'help' 'manual' '--version' 'score model many' 'rank model alice' 'info friends.txt -q' \
        'check model' 'generate er --nodes 9 --edges 9 -q -o -'; do
        # shellcheck disable=SC2086
        "$NEAP" $command >/dev/full 2>err
        [[ $? -eq 4 ]] || fail "a full disk went unnoticed: $command"
        says err 'neap: '
    done
fi
"$NEAP" methods >&- 2>err
[[ $? -eq 4 ]] || fail 'a closed standard output went unnoticed'

# A pipe is written in place, and stays a pipe.
mkfifo vectors.txt
cat vectors.txt >copy &
"$NEAP" embed model -o vectors.txt -q || fail 'vectors into a pipe'
wait
[[ -p vectors.txt ]] || fail 'the pipe was replaced'
expect 0 "$NEAP" embed model -o plain.txt
same copy plain.txt
"$NEAP" train friends.txt -o - -q "${quick[@]}" | cat >copy
same copy model 'a model through standard output'
[[ $("$NEAP" generate er --nodes 9 --edges 20 -o - -q | wc -l) -ge 20 ]] || fail 'a graph through standard output'
[[ -c /dev/null ]] || fail '/dev/null is gone'
"$NEAP" embed model -o /dev/null -q 2>err
[[ -c /dev/null ]] || fail '/dev/null was replaced'

# A link to a model stays a link.
ln -s model link
expect 0 "$NEAP" train friends.txt -o link "${quick[@]}"
[[ -L link ]] || fail 'the link was replaced'
