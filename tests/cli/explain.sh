#!/bin/bash
# What people read about a pair, a ranking and a run says what is in the graph, what was read, and why there is nothing.
. "$(dirname "$0")/lib/common.bash"

make_friends
expect 0 "$NEAP" train friends.txt -o model --self "${quick[@]}"

expect 0 "$NEAP" explain model alice bob
says out 'They are linked in the graph. Neighbours of both: 3.'
says out 'neighbours of alice: 4, and itself; the largest contribution first'
expect 0 "$NEAP" explain model alice erin -k 1
says out 'They are not linked in the graph the model was trained on. Neighbours of both: 1.'
says out 'neighbours of alice: 4, and itself; the one that moves the score most'
says out '4 others'

# Of a node with more neighbours than the model reads, a sample is not called all of them.
expect 0 "$NEAP" train friends.txt -o capped --self --neighbors 3 "${quick[@]}"
expect 0 "$NEAP" explain capped alice bob --html page.html
says out 'neighbours of alice: 2 of 4 read, and itself; the largest contribution first'
says out 'Neighbours of both: 3.'
says page.html '<dd>4 <small>2 read</small></dd>'
says page.html '2 of 4 neighbours read, and the node itself.'
says page.html '<dt>neighbours of both</dt><dd>3</dd>'
says page.html 'They are linked in the graph.'
whole() { python3 "$NEAP_SOURCE/tests/page_structure.py" "$@" 2>err || fail 'a page that a screen reader stumbles over'; }
whole page.html
expect 0 "$NEAP" train friends.txt -o circles --method splitter --dim 8 --epochs 1 --threads 1
expect 0 "$NEAP" explain circles alice bob --html circles.html
says circles.html 'circles</strong>'
whole circles.html

# A sum of evidence, as text, page and JSON: the same numbers, which add up.
expect 0 "$NEAP" train friends.txt -o sum --dim 4 --threads 1
expect 0 "$NEAP" explain sum alice erin --html sum.html --prior 0.1
says out 'if 10 % of the pairs that you ask about are links and the others are non-links of the same node, drawn evenly'
says out 'start, the same for all pairs'
says out 'all together'
says out 'The same sum, by the neighbours that it goes through:'
says sum.html 'From the start to the answer'
says sum.html 'base rate'
says sum.html 'What if a link were not there?'
whole sum.html
cp out text
expect 0 "$NEAP" explain sum alice erin --prior 0.1 --json
python3 - <<'END' || fail 'the numbers of an explanation disagree'
import json, math
said, text = json.load(open("out")), open("text").read()
total = said["start"] + sum(kind["contribution"] for kind in said["evidence"])
assert abs(total - said["score"]) < 1e-6, (total, said["score"])
assert math.isclose(said["probability"], 1 / (1 + math.exp(-said["score"] - math.log(0.1 / 0.9))), rel_tol=1e-5)
assert "%+9.4f  all together" % said["score"] in text and "%+9.4f  start" % said["start"] in text
assert said["through"] == sorted(said["through"], key=lambda row: -abs(row["contribution"]))
assert all(point[0] < after[0] for kind in said["evidence"] for point, after in zip(kind["curve"], kind["curve"][1:]))
END

# Mean pooling selects nobody.
expect 0 "$NEAP" train friends.txt -o mean --pooling mean "${quick[@]}"
expect 0 "$NEAP" explain mean alice bob --html page.html
says out 'attention  contribution  alignment'
if grep -q -e selected -e none out; then fail 'mean pooling and a selection'; fi
if grep -q -e 'elect' -e '<circle' page.html; then fail 'mean pooling and marks of selections'; fi
expect 0 "$NEAP" explain mean alice bob --json
says out '"selected": null'

# A score for people has six digits; where it is data it is exact.
expect 0 "$NEAP" rank model alice -k 1
exact=$(cut -f4 out)
expect 0 "$NEAP" explain model alice "$(cut -f3 out)"
python3 - "$exact" "$(sed -n '1s/.* //p' out)" <<'END' || fail 'rank and explain disagree'
import sys
exact, shown = sys.argv[1:]
assert len(shown.lstrip("-0.").replace(".", "")) <= 6, shown
assert abs(float(exact) - float(shown)) <= 2e-5 * abs(float(exact)), (exact, shown)
END

# Nothing to suggest is said, not shown as nothing.
printf 'hub a\nhub b\nhub c\na b\n' >star.txt
expect 0 "$NEAP" train star.txt -o star "${quick[@]}"
expect 0 "$NEAP" rank star hub
empty out
says err 'hub is linked with every other node; --with-known ranks those too'
expect 0 "$NEAP" rank star hub c --json
valid_json out
says err 'hub is linked with every other node'
expect 0 "$NEAP" rank star hub -q
empty err
expect 0 "$NEAP" rank star hub --with-known
[[ $(wc -l <out) -eq 4 ]] || fail '--with-known ranks those too'
if grep -q 'linked with every' err; then fail 'a remark beside a ranking'; fi

# A time that was not measured has a reason; memory is in units of 1024.
expect 0 "$NEAP" estimate friends.txt --method gap --memory 1M
says out 'not measured'
says out '(the run needs more than --memory allows, 1.0 MiB)'
if grep -q ' [KMG]B' out; then fail 'units of 1000'; fi
expect 0 "$NEAP" estimate friends.txt --method gap --epochs 0
says out '(--epochs 0 trains nothing)'
for method in fastrp evidence; do
    expect 0 "$NEAP" estimate friends.txt --method $method
    says out '(the method has no epochs'
done

# A run that is too large is told what this method could do with less.
for method in gap deepwalk; do
    "$NEAP" train friends.txt -o large --method "$method" --memory 1M >out 2>err && fail 'it does not fit'
    says err 'a smaller --dim'
    [[ $method = gap ]] && says err '--optimizer adagrad'
    if [[ $method != gap ]] && grep -q -e --batch -e --optimizer err; then fail 'an option it does not read'; fi
done
"$NEAP" methods | grep -q '^attentivewalk  *-  *-  *-  *walks' || fail 'a name runs into what stands behind it'

expect 0 "$NEAP" estimate friends.txt --method gap --memory 1G
if grep -q 'not measured' out; then fail 'the run fits'; fi
