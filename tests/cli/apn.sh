#!/bin/bash
# apn end to end: scores are those of NumPy from the model's file, and a word that only linked nodes share is found and named.
. "$(dirname "$0")/lib/common.bash"

# A ring of 40 nodes with chords. The two ends of an edge share one word that nobody else has, among ten of forty frequent ones;
# node 40 has no text.
python3 - <<'END'
import random
random.seed(7)
edges = [(u, (u + k) % 40) for u in range(40) for k in (1, 7)]
words = {u: ["common%d" % random.randrange(40) for _ in range(10)] for u in range(40)}
for u, v in edges:
    for end in (u, v):
        words[end].insert(random.randrange(len(words[end]) + 1), "edge%dx%d" % (u, v))
with open("graph.txt", "w") as g, open("texts.tsv", "w") as t:
    for u, v in edges + [(40, 0)]:
        print("n%d" % u, "n%d" % v, file=g)
    for u in words:
        print("n%d" % u, " ".join(words[u]), sep="\t", file=t)
END
expect 2 "$NEAP" train graph.txt -o model --method apn
says err 'apn reads the text of nodes, and there is none; give it with --text'
train=("$NEAP" train graph.txt --text texts.tsv --method apn --dim 24 --valid 0 --lr 0.01 --threads 1)
head -30 graph.txt >pairs
echo 'n40 n0' >>pairs
python=/usr/bin/python3
"$python" -c 'import numpy' 2>/dev/null || python=
for kind in '--undirected' '--encoder lstm --filters 10' '--kernel 2 --filters 7 --activation linear --pooling mean' \
    '--kernel 1 --no-matrix'; do
    read -ra options <<<"$kind"
    expect 0 "${train[@]}" -o model --epochs 2 "${options[@]}"
    expect 0 "$NEAP" check model
    expect 0 python3 "$NEAP_SOURCE/tests/format_reader.py" model
    expect 0 "$NEAP" score model pairs
    grep -q $'^n40\tn0\t0$' out || fail 'a node without text has another score than 0'
    cp out scores
    if [[ -n $python ]]; then
        expect 0 "$python" "$NEAP_SOURCE/tests/apn_oracle.py" model scores
        says out '31 scores'
    fi
    expect 0 "$NEAP" rank model n1 -k 40 --with-known
    python3 - <<'END' || fail "ranking and scores differ: $kind"
rank = {line.split()[2]: float(line.split()[3]) for line in open("out")}
score = {line.split()[1]: float(line.split()[2]) for line in open("scores") if line.startswith("n1\t")}
assert len(rank) >= 40 and score and all(abs(rank[v] - s) < 1e-5 for v, s in score.items()), (rank, score)
END
done
# A new node that has a text and no link is read in the context of itself; without a text its vector is zero.
printf 'late\tcommon1 common2 common3\n' >late.tsv
expect 0 "$NEAP" embed model -o late.csv --new-text late.tsv
python3 - <<'END' || fail 'a text gives a node no vector'
rows = {line.split(",")[0]: [float(x) for x in line.split(",")[1:]] for line in open("late.csv").read().split("\n")[1:-1]}
assert any(rows["late"]) and not any(rows["n40"]), rows["late"]
END
for threads in 1 2 4; do
    expect 0 "${train[@]}" -o "model.$threads" --epochs 2 --batch 16 --encoder lstm --filters 10 --threads "$threads"
    same model.1 "model.$threads" "$threads threads"
done
expect 2 "${train[@]}" -o model --encoder lstm --filters 7
says err 'must be even'

# Couples that share one word, which nobody else has, among ten frequent ones: it moves their score most.
python3 - <<'END'
import random
random.seed(8)
with open("couples.txt", "w") as g, open("couples.tsv", "w") as t:
    for u in range(30):
        print("a%d" % u, "b%d" % u, file=g)
        for side in "ab":
            words = ["common%d" % random.randrange(40) for _ in range(10)]
            words.insert(random.randrange(11), "secret%d" % u)
            print(side + str(u), " ".join(words), sep="\t", file=t)
END
expect 0 "$NEAP" train couples.txt --text couples.tsv -o couples --method apn --dim 24 --valid 0 --lr 0.01 --threads 1 --epochs 30 \
    --dropout 0 --kernel 1 --undirected
expect 0 "$NEAP" explain couples a3 b3 --html page.html
says out 'words of a3: 11; the 10 that move the score most'
says page.html 'Words of <bdi class="name">a3</bdi>'
python3 "$NEAP_SOURCE/tests/page_structure.py" page.html || fail 'a page that a screen reader stumbles over'
for u in 3 11 20 29; do
    expect 0 "$NEAP" explain couples "a$u" "b$u" --json
    python3 - "secret$u" <<'END' || fail "secret$u is not what explains a$u and b$u: $(cat out)"
import json, sys
e = json.load(open("out"))
for side in "by_source", "by_target":
    best = max(e[side], key=lambda r: r["contribution"])
    assert best["word"] == sys.argv[1], (side, best)
    assert abs(sum(r["contribution"] for r in e[side]) - e["score"]) < 1e-5
    assert sorted(r["position"] for r in e[side]) == list(range(len(e[side])))
END
done

# A new node needs nothing but its text: with that of b3 it scores as b3 does, by the same words.
awk -F '\t' -v OFS='\t' '$1 == "b3" { $1 = "twin"; print }' couples.tsv >fresh.tsv
printf 'a3\ttwin\na3\tb3\n' >pairs
expect 0 "$NEAP" score couples pairs --new-text fresh.tsv
[[ $(cut -f3 out | sort -u | wc -l) -eq 1 ]] || fail "twins differ: $(cat out)"
expect 0 "$NEAP" explain couples a3 twin --new-text fresh.tsv
says out secret3
expect 0 "$NEAP" rank couples twin -k 2 --new-text fresh.tsv
[[ $(cut -f3 out | sort | tr '\n' ' ') = 'a3 b3 ' ]] || fail "others than its model and its partner come first: $(cat out)"
