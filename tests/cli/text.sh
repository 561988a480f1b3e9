#!/bin/bash
# Texts of nodes as a user gives them: what info says of them, and what cannot be read.
tools=$(cd "$(dirname "$0")/../../tools" && pwd)
. "$(dirname "$0")/lib/common.bash"

make_friends
cat >texts <<'END'
# who	what
alice	The red fox; the fox!
bob	a fox
alice	again
carol
stranger	not read
END
sed -i 's/^carol$/carol\t/' texts

# ---- what was read ----
expect 0 "$NEAP" info friends.txt --text texts
says err 'texts: 2 of 11 nodes have a text: 8 words, 5 different'
says err '1 line about nodes that the graph does not have: skipped'
says out 'nodes with text      2 of 11'
says out 'nodes without text   9'
says out 'lines                5, 1 of them not read'
says out 'words                8, 5 of them different'
says out 'words that are rare  3 occur only once'
says out 'words per text       4.00 on average, at most 6'
says out 'most frequent        fox 3, the 2, a 1, again 1, red 1'
expect 0 "$NEAP" info friends.txt --text texts --json
valid_json out
python3 - <<'END' || fail 'the JSON of the texts'
import json
t = json.load(open("out"))["text"]
assert (t["lines"], t["strangers"], t["nodes"], t["words"], t["distinct"], t["longest"]) == (5, 1, 2, 8, 5, 6), t
assert t["once"] == 3, t
assert t["frequent"][0] == {"word": "fox", "times": 3, "nodes": 2}, t
END
expect 0 "$NEAP" convert friends.txt friends.safetensors
expect 0 "$NEAP" info friends.safetensors --text texts
says out 'nodes with text      2 of 11'
"$NEAP" info friends.txt -q --text - <texts >out || fail "texts from a pipe"
expect 2 "$NEAP" info - --text - <texts
says err 'GRAPH and --text cannot both be standard input'
expect 2 "$NEAP" info friends.txt --features - --text - <texts
printf '0 1\n1 2\n' >numbers
printf 'zero\n\ntwo\n' >lines
expect 0 "$NEAP" info numbers --text lines --text-by-line
says out 'nodes with text      2 of 3'

# ---- what cannot be read ----
refuses()
{
    printf "$1" >bad
    expect 3 "$NEAP" info friends.txt --text bad
    says err "$2"
    empty out
}
refuses 'alice\tM\xfcller\n' 'bad:1:8: this is not UTF-8'
refuses 'alice\ta\nbob\ta\0b\n' 'bad:2:6: a NUL byte'
refuses 'alice a\n' 'bad:1:1: no tab'
refuses 'Alice\ta\n' 'none of its 1 lines has a text of a node'
expect 2 "$NEAP" info friends.txt --text-by-line
expect 3 "$NEAP" info friends.txt --text missing
expect 3 "$NEAP" info friends.txt --text friends.safetensors
says err 'texts are read from lines'

# One word only: read, but not by a training that leaves out rare words, or weighs what all texts have by 0.
printf 'alice\tword\n' >one
expect 0 "$NEAP" info friends.txt --text one
says err 'one: 1 of 11 nodes have a text: 1 word, 1 different'
expect 3 "$NEAP" train friends.txt -o m --method text --text one --dim 3
says err 'a smaller --min-count'
tr ' ' '\n' <friends.txt | sort -u | sed 's/$/\tword/' >all
expect 0 "$NEAP" train friends.txt -o m --method text --text all --dim 3
expect 3 "$NEAP" train friends.txt -o m --method tadw --text all
says err 'every word has weight 0'

# ---- descriptions of packages, of the nodes of a graph ----
printf 'Package: a\nDepends: b\nDescription: red\tfox\n\nPackage: b\nDescription: hen\n\nPackage: c\nDescription: no node\n' >Packages
printf 'a\tb\na\tgone\n' | gzip >g.tsv.gz
expect 0 python3 "$tools/debian-graph" --index Packages --descriptions --graph g.tsv.gz -o .
expect 0 "$NEAP" info g.tsv.gz --text g-descriptions.tsv.gz
says err 'g-descriptions.tsv.gz: 2 of 3 nodes have a text: 3 words, 3 different'
expect 2 python3 "$tools/debian-graph" --index Packages --graph g.tsv.gz

# ---- words as reasons ----
cat >words <<'END'
alice	sings alto, reads crime novels
bob	sings bass
carol	sings alto
dave	reads crime novels
erin	climbs, sings
END
expect 0 "$NEAP" train friends.txt -o m --method text --text words --dim 3 -q
expect 0 "$NEAP" rank m alice --with-known -k 3 --explain
grep -qP '^alice\t2\tdave\t[0-9.]+\t(crime|novels|reads), (crime|novels|reads), (crime|novels|reads)$' out ||
    fail "words are not the reasons: $(cat out)"
expect 0 "$NEAP" rank m alice --with-known -k 3 --explain --json
python3 - <<'END' || fail "words are not the reasons in JSON: $(cat out)"
import json
why = {s["node"]: [r["word"] for r in s["because"]] for s in json.load(open("out"))["suggestions"]}
assert sorted(why["dave"]) == ["crime", "novels", "reads"] and why["carol"] == ["alto", "sings"], why
END
expect 0 "$NEAP" explain m alice dave -k 1 --html page.html
[[ $(grep -c -E '^  (word     |4 others |2 others )' out) -eq 4 ]] || fail "columns are not below each other: $(cat out)"
says out 'weight  contribution'
says page.html '<dt>words of <bdi class="name">alice</bdi></dt><dd>5</dd>'
says page.html "share of its text's TF-IDF"
if grep -q -i attention page.html; then fail 'a method without attention'; fi
expect 0 "$NEAP" explain m alice dave --json
python3 - <<'END' || fail "a word that both texts have does not select itself: $(cat out)"
import json
e = json.load(open("out"))
shared = [r for side in ("by_source", "by_target") for r in e[side] if r["word"] in ("reads", "crime", "novels")]
assert len(shared) == 6 and all(r["selected"] == r["word"] and r["alignment"] == 1 for r in shared), shared
assert abs(sum(r["weight"] for r in e["by_source"]) - 1) < 1e-5 and not any("attention" in r for r in shared), shared
END

expect 0 "$NEAP" train friends.txt -o t --method tadw --text words -q
expect 2 "$NEAP" explain t alice dave
says err 'method tadw cannot explain a score; these can: evidence, gap, '

# A node without a word: there is nothing to align with.
expect 0 "$NEAP" explain m alice grace --html page.html
says out 'score 0'
says out 'words of grace: 0'
if grep -q -i nan out; then fail "not a number: $(cat out)"; fi
says page.html 'No words of <bdi class="name">grace</bdi> are known'

# What is given and not read is remarked, and what is missing named. Two inputs may be one file.
expect 0 "$NEAP" train friends.txt -o g --method gap --text words --features words --epochs 0
says err 'note: gap does not read the texts of nodes; --method evidence, apn, text, '
says err 'note: gap does not read the features of nodes; --method evidence, text, tadw does'
expect 0 "$NEAP" train friends.txt -o g --method text --text words
if grep -q note: err; then fail 'a remark without a reason'; fi
expect 2 "$NEAP" train friends.txt -o g --method cane --features words
says err 'note: cane does not read the features'
says err 'give it with --text FILE (lines of a node, a tab and its text)'
expect 3 "$NEAP" train friends.txt -o g --method text --text friends.txt
says err 'no tab'
expect 0 "$NEAP" train friends.txt -o g --method text --features friends.txt
expect 2 "$NEAP" train friends.txt -o words --method text --text words
says err 'words would overwrite words'
# What a method reads and gives: columns for people, the same in JSON.
expect 0 "$NEAP" methods
grep -q '^method  *text  *probability  *explains ' out || fail 'the columns have no names'
grep -q '^evidence  *if any  *yes  *yes ' out || fail 'evidence reads what there is, gives a probability and explains'
grep -q '^cane  *needed  *-  *yes ' out || fail 'a method that reads texts is not marked'
grep -q '^gap  *-  *-  *yes ' out || fail 'gap reads no texts'
[[ $(awk '$2 == "or" && $3 == "features" { print $1 }' out | xargs) == 'text tadw' ]] || fail 'methods that read features are not marked'
cp out columns
expect 0 "$NEAP" methods --json
python3 - columns out <<'END' || fail 'the columns are not those of JSON'
import json, sys
rows = [line.replace("if any", "any").replace("or features", "features").split() for line in open(sys.argv[1])][1:]
methods = json.load(open(sys.argv[2]))["methods"]
assert [row[0] for row in rows] == [m["name"] for m in methods]
for row, m in zip(rows, methods):
    assert (row[1] != "-") == (m["text"] or m["text_optional"]), m
    assert (row[2] == "yes") == m["probability"] and (row[3] == "yes") == m["explains"], m
END

# A new node without links has no vector of its own (cane): the words have all of the score, but for rounding.
expect 0 "$NEAP" train friends.txt -o c --method cane --text words --epochs 3 --valid 0 --dim 20 -q
printf 'zoe\treads crime novels, sings alto\n' >zoe
expect 0 "$NEAP" explain c zoe dave --new-text zoe --json
if grep -q elsewhere out; then fail 'rounding is shown as a part of the score'; fi

# ---- features ----
printf 'alice red:2 blue\nbob red\ncarol green\ndave green:3\nstranger red\n' >features
expect 0 "$NEAP" info friends.txt --features features
says err 'features: 4 of 11 nodes have features: 5 values of 3 features'
says err '1 row of nodes that the graph does not have: skipped'
says out 'nodes with features  4 of 11'
says out 'nodes without any    7'
says out 'rows not read        1'
expect 0 "$NEAP" info friends.txt --features features --text texts --json
valid_json out
python3 -c 'import json; f = json.load(open("out"))["features"]; assert (f["nodes"], f["features"], f["values"]) == (4, 3, 5), f' ||
    fail 'the JSON of the features'
expect 2 "$NEAP" train friends.txt -o m --method text
says err 'give it with --text FILE, or features with --features FILE'
printf 'alice bob\ncarol dave\nalice carol\n' >pairs
expect 0 "$NEAP" train friends.txt -o m --method text --features features --dim 3 -q
expect 0 "$NEAP" check m
expect 0 "$NEAP" score m pairs -q
awk -F '\t' '{ if (NR == 1 && ($3 < 0.5 || $3 > 0.99)) exit 1; if (NR == 2 && $3 < 0.999) exit 1; if (NR == 3 && $3 > 1e-3) exit 1 }' out ||
    fail "cosines of features: $(cat out)"
expect 0 "$NEAP" train friends.txt -o both --method text --features features --text texts --min-count 1 --dim 3 -q
expect 0 "$NEAP" score both pairs -q
expect 0 "$NEAP" check both
expect 0 "$NEAP" explain both alice bob --html page.html
[[ $(grep -c '^  elsewhere  ' out) -eq 2 ]] || fail "features have no part in the score: $(cat out)"
says page.html 'What comes from features of the nodes is listed as elsewhere.'
expect 0 "$NEAP" explain both carol dave --html page.html # who have features and no words
says out 'words of dave: 0'
[[ $(grep -c '^  elsewhere  ' out) -eq 2 ]] || fail "features alone have no part in the score: $(cat out)"
says page.html 'The score does not come from words alone'
expect 0 "$NEAP" eval link friends.txt --methods text --features features --ratios 70 --dim 3 -q
expect 0 "$NEAP" embed m -o vectors.txt -q
expect 3 "$NEAP" info friends.txt --features vectors.txt
says err 'where the name of a feature is expected'
expect 0 "$NEAP" embed m -o vectors.npy -q
"$NEAP" info friends.txt --features <(cat vectors.npy) >out 2>err || fail "a table from a pipe: $(cat err)"
says err 'no names beside it: its rows are the nodes in the order of the graph file'
expect 3 "$NEAP" info friends.txt --features missing
