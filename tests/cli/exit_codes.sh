#!/bin/bash
# Each exit code, for the reason that the manual gives.
. "$(dirname "$0")/lib/common.bash"

make_friends
expect 0 "$NEAP" train friends.txt -o model "${quick[@]}"

# 1: see numeric.sh.

# 2: usage.
expect 2 "$NEAP" train
expect 2 "$NEAP" nonsense

# 3: bad or missing input.
expect 3 "$NEAP" train missing.txt -o m
says err 'missing.txt'
expect 3 "$NEAP" train . -o m
: >empty.txt
expect 3 "$NEAP" train empty.txt -o m
echo lonely >one-column.txt
expect 3 "$NEAP" train one-column.txt -o m
expect 3 "$NEAP" train friends.txt -o m --memory 1K
says err 'the limit is 1 KiB'
expect 3 "$NEAP" embed friends.txt -o v.txt
expect 3 "$NEAP" rank model nobody
says err 'nobody'
expect 3 "$NEAP" explain model alice nobody
expect 3 "$NEAP" embed model -o v.txt --context nobody
printf 'alice bob\n\n# words\nalice nobody\n' >pairs.txt
expect 3 "$NEAP" score model pairs.txt
says err 'pairs.txt:4:7'
says err 'nobody'
[[ $(wc -l <out) -eq 1 ]] || fail 'the pair before the bad line was not scored'
echo 'alice' >pairs.txt
expect 3 "$NEAP" score model pairs.txt
says err 'pairs.txt:1:1: only 1 column'
echo 'alice "bob' >pairs.txt
expect 3 "$NEAP" score model pairs.txt
says err 'pairs.txt:1:7: a quoted name must end'
printf 'alice b\0b\n' >pairs.txt
expect 3 "$NEAP" score model pairs.txt
says err 'NUL'
expect 3 "$NEAP" score model no-pairs.txt

head -c 100 model >damaged
expect 3 "$NEAP" check damaged
says err 'neap: '
expect 3 "$NEAP" check missing
expect 0 "$NEAP" check model
says out ok

# 4: writing failed; said before the training begins.
expect 4 "$NEAP" train friends.txt -o no-such-folder/model "${quick[@]}"
says err 'no-such-folder'
if grep -q training err; then fail 'trained before it looked at the output'; fi
expect 4 "$NEAP" train friends.txt -o model --metrics no-such-folder/metrics "${quick[@]}"
mkdir folder
expect 4 "$NEAP" train friends.txt -o folder "${quick[@]}"
if [[ -w /dev/full ]]; then
    expect 4 "$NEAP" train friends.txt -o /dev/full "${quick[@]}"
    expect 4 "$NEAP" train friends.txt -o model --metrics /dev/full "${quick[@]}"
    rm -f model.checkpoint
fi

# A failure leaves the old model as it was, and nothing beside it.
cp model before
expect 3 "$NEAP" train empty.txt -o model
same model before
# shellcheck disable=SC2012
[[ $(ls model* | wc -l) -eq 1 ]] || fail "something is left beside the model: $(ls model*)"
