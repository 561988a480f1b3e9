#!/bin/bash
# --json gives one valid JSON object on standard output, whatever the names are.
. "$(dirname "$0")/lib/common.bash"

make_friends
{
    printf 'al"ice\\ bo\xc3\xbcb\nbo\xc3\xbcb \xff\xfe\n\xff\xfe al"ice\\\n'
    printf 'al"ice\\ \x01\x1b[31m\n\x01\x1b[31m bo\xc3\xbcb\n'
} >hostile.txt
cat friends.txt >>hostile.txt

json()
{
    expect 0 "$NEAP" "$@" --json
    valid_json out
}

json train hostile.txt -o model --test 0.2 "${quick[@]}"
for key in nodes edges epochs loss seconds options test; do says out "\"$key\":"; done
json train friends.txt -o friends "${quick[@]}"
json embed model -o v.txt
printf 'alice\tbob\n' >pairs
json score model pairs
: >none
json score model none
json rank model alice bob -k 2 --explain
says out '"because"'
json rank model 'al"ice\' -k 20 --with-known
json explain model alice 'al"ice\' --html e.html
json explain model alice bob
says out '"alignment"'
json convert hostile.txt g.mtx
json generate er --nodes 10 --edges 20 -o er.txt
json estimate friends.txt
json info hostile.txt
json info model
json check model
json methods
json methods gap
expect 0 "$NEAP" --version --json
valid_json out

# A check that fails says so in JSON too.
head -c 60 model >damaged
expect 3 "$NEAP" check damaged --json
valid_json out
says out '"ok": false'

# Attention of a side sums to 1, contributions to the score.
expect 0 "$NEAP" explain friends alice heidi --json
python3 - <<'END' || fail 'the explanation does not add up'
import json
e = json.load(open("out"))
for side in ("by_source", "by_target"):
    assert abs(sum(x["weight"] for x in e[side]) - 1) < 1e-4, side
    assert abs(sum(x["contribution"] for x in e[side]) - e["score"]) < 1e-4 + 1e-4 * abs(e["score"]), side
    weights = [x["weight"] for x in e[side]]
    assert weights == sorted(weights, reverse=True), side
END
