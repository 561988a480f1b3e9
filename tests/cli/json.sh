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
json train friends.txt -o default --test 0.2
says out '"method": "evidence"'
says out '"auc_untrained": null'
if grep -q '"seconds": 0,' out; then fail 'no time passed in training'; fi
json score default friends.txt
says out '"probability"'
json rank default alice -k 2 --explain
says out '"probability"'
json explain default alice heidi
says out '"contribution"'
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
for key in linked source_links target_links shared attention contribution selected alignment; do
    says out "\"$key\":"
done
json convert hostile.txt g.mtx
json generate er --nodes 10 --edges 20 -o er.txt
json estimate friends.txt
json estimate friends.txt --method gap --memory 1M
says out '"seconds_epoch": null'
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

# Attention of a side sums to 1, contributions to the score. rank and the table for people use the same words for the
# same things; the table has the neighbours that contribute most, whatever attention they get.
expect 0 "$NEAP" rank friends alice -k 12 --explain --json
mv out rank.json
expect 0 "$NEAP" explain friends alice heidi -k 2
mv out table
expect 0 "$NEAP" explain friends alice heidi --json
python3 - <<'END' || fail 'the explanation does not add up'
import json
e = json.load(open("out"))
table = [line.split() for line in open("table")]
for side, elsewhere in (("by_source", "source_elsewhere"), ("by_target", "target_elsewhere")):
    assert abs(sum(x["attention"] for x in e[side]) - 1) < 1e-4, side
    assert abs(sum(x["contribution"] for x in e[side] + [e[elsewhere]]) - e["score"]) < 1e-4 + 1e-4 * abs(e["score"]), side
    assert e[side] == sorted(e[side], key=lambda x: (-x["attention"], -x["contribution"])), side
    most = sorted(e[side], key=lambda x: -abs(x["contribution"]))[:2]
    for x in most:
        row = [x["node"], "%.4f" % x["attention"], "%+.4f" % x["contribution"], x["selected"], "%+.4f" % x["alignment"]]
        assert row in table, row
assert ["neighbour", "attention", "contribution", "selected", "alignment"] in table
assert table[0][-2:] == ["score", "%.6g" % e["score"]], table[0]
assert (e["linked"], e["source_links"], e["target_links"], e["shared"]) == (False, 4, 4, 0), e

why = next(s for s in json.load(open("rank.json"))["suggestions"] if s["node"] == "heidi")["because"]
best = sorted((x for x in e["by_source"] if x["node"] != "alice" and x["contribution"] > 0),
              key=lambda x: -x["contribution"])[:3]
best = [x for x in best if x["contribution"] >= best[0]["contribution"] / 10]
assert [(x["node"], round(x["contribution"], 5)) for x in why] == [(x["node"], round(x["contribution"], 5)) for x in best]
END
