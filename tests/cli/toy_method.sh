#!/bin/bash
# A method is one new file and one line: the program with tests/toy/toy.c has its option, its tensor and its answers
# everywhere, although nothing else was changed for it.
. "$(dirname "$0")/lib/common.bash"
: "${NEAP_TOY:?is the program with one method more}" "${NEAP_TOY_METHODS:?is its methods.def}"
plain=$NEAP NEAP=$NEAP_TOY

# One line more than the library's list, and that is all; no file of the library or the program says its name.
diff "$NEAP_SOURCE/src/methods/methods.def" "$NEAP_TOY_METHODS" >difference
[[ $(grep -c '^[<>]' difference) -eq 1 ]] || fail "not one line more: $(<difference)"
says difference '> METHOD(toy, toy)'
if grep -rnwE 'toy|charm' "$NEAP_SOURCE"/{src,programs,include} >mentions; then fail "$(<mentions)"; fi
expect 2 "$plain" methods toy
expect 2 "$plain" train graph.txt --charm 1

# ---- its option: flags, help, manual, completion ----

expect 0 "$NEAP" train --method toy --help
says out '--charm X'
expect 0 "$NEAP" methods
says out 'toy'
expect 0 "$NEAP" methods toy
says out '--charm X'
tr -s ' \n' ' ' <out >words
says words 'would count (toy) [0.5; paper: 1; authors: 2]'
if grep -q -e '--padding' out; then fail 'toy has options that it left out'; fi
expect 0 "$NEAP" methods gap
if grep -q -e '--charm' out; then fail 'charm is an option of gap'; fi
expect 0 "$NEAP" manual
says out '\fB\-\-charm X\fR'
expect 0 "$NEAP" completion bash
# shellcheck source=/dev/null
. ./out
COMP_WORDS=(neap train graph.txt --ch) COMP_CWORD=3
_neap
[[ " ${COMPREPLY[*]} " == *' --charm '* ]] || fail "--ch completes to: ${COMPREPLY[*]}"
COMP_WORDS=(neap train --method to) COMP_CWORD=3
_neap
[[ ${COMPREPLY[*]} == toy ]] || fail "--method to completes to: ${COMPREPLY[*]}"

# Its range, an alias, the nearest name, and that other methods do not have it.
"$NEAP" generate sbm --nodes 150 --blocks 3 --p-in 0.2 --p-out 0.01 -o graph.txt -q || fail 'generate'
toy=("$NEAP" train graph.txt --method toy --dim 16 --batch 32)
for value in 9 -1 x nan ''; do expect 2 "${toy[@]}" -o model --charm "$value" && says err 'charm'; done
says err 'number'
expect 2 "${toy[@]}" -o model --chram 1
says err '--charm'
expect 0 "${toy[@]}" -o alias --appeal 1.5 --epochs 1
expect 0 "${toy[@]}" -o name --charm 1.5 --epochs 1
same alias name '--appeal is --charm'
expect 0 "$NEAP" train graph.txt -o gap --method gap --charm 1 --epochs 1 --dim 4
says err '--charm has no meaning for gap'
for preset in neap=0.5 paper=1 authors=2; do
    expect 0 "${toy[@]}" -o preset --preset "${preset%=*}" --epochs 1
    expect 0 "$NEAP" info preset
    grep -qE "^option.charm +${preset#*=}$" out || fail "charm of preset $preset: $(grep charm out)"
done

# ---- its tensor: model file, checkpoint, checks, estimate ----

train=("${toy[@]}" --charm 3 --lr 0.01 --epochs 12)
expect 0 "${train[@]}" -o model --threads 1
says err 'validation AUC'
expect 0 "$NEAP" check model
expect 0 "$NEAP" info model
grep -qE '^option.charm +3$' out || fail 'the model file has no option charm'
grep -qE '^tensor.T +F32 150 x 2 x 16$' out || fail "no tensor of rank 3: $(grep tensor out)"
expect 3 "$plain" score model graph.txt # who does not know the method says so
says err "toy"
expect 0 "${train[@]}" -o three --threads 3
same model three 'one and three threads'
expect 0 "$NEAP" estimate graph.txt --method toy --dim 16 --json
python3 - <<'END' || fail "the estimate does not follow from the declaration: $(<out)"
import json
r = json.load(open("out"))
size = 150 * 2 * 16 * 4
assert r["bytes_tables"] == 2 * size, r # and its best epoch
assert r["bytes_optimizer"] == 2 * size, r
END

# A run that is interrupted goes on to the same bytes, with the best epoch so far.
epochs=80
if [[ -n ${NEAP_SANITIZE-} ]]; then epochs=20; fi # takes as long
long=("${train[@]}" --epochs $epochs --patience $epochs --batch 8 --threads 1)
expect 0 "${long[@]}" -o whole
env --default-signal=INT "${long[@]}" -o part >out 2>err &
pid=$!
for _ in {1..2000}; do
    if [[ -e part.checkpoint ]] || ! kill -0 $pid 2>/dev/null; then break; fi
    sleep 0.005
done
kill -INT $pid 2>/dev/null
wait $pid
code=$?
[[ $code -eq 130 ]] || fail "exit code $code after Ctrl-C; too quick a run?"
expect 0 "$NEAP" check part.checkpoint
expect 0 "$NEAP" info part.checkpoint
for tensor in T best.T adam.T.m adam.T.v; do
    grep -qE "^tensor.${tensor//./\\.} +F32 150 x 2 x 16$" out || fail "no $tensor: $(grep tensor out)"
done
expect 3 "${long[@]}" -o part --resume --charm 2
says err 'charm'
expect 0 "${long[@]}" -o part --resume --threads 2
says err 'going on from part.checkpoint'
same part whole 'resumed'

# ---- its rows and answers ----

# Without charm it is gap without a matrix, and without what gap has beside the paper: the same scores, to the last digit.
head -40 graph.txt >pairs
cheap=(--dim 16 --epochs 3 --lr 0.01)
papers=(--no-mask --no-self --no-degrees --alignment tanh --objective margin)
for preset in neap paper; do
    expect 0 "$NEAP" train graph.txt -o zero --method toy --charm 0 --preset $preset "${cheap[@]}"
    expect 0 "$NEAP" train graph.txt -o gap --method gap --no-matrix --padding none --preset $preset "${papers[@]}" "${cheap[@]}"
    expect 0 "$NEAP" score zero pairs
    cp out scores
    expect 0 "$NEAP" score gap pairs
    same scores out "toy without charm, and gap, preset $preset"
done

# With charm, scores are what the definition says; all answers agree.
expect 0 "$NEAP" score model pairs
cp out scores
expect 0 "$NEAP" rank model 0 -k 200 --with-known
cp out ranks
expect 0 "$NEAP" explain model 0 75 --json
cp out reasons
expect 0 "$NEAP" embed model -o vectors.npy
[[ -s vectors.npy ]] || fail 'no vectors'
python3 - <<'END' || fail 'scores are not what they are by definition'
import array, json, math, struct

data = open("model", "rb").read()
length, = struct.unpack("<Q", data[:8])
header = json.loads(data[8:8 + length])
charm = float(header["__metadata__"]["option.charm"])

def tensor(name, code):
    first, end = header[name]["data_offsets"]
    return array.array(code, data[8 + length + first:8 + length + end])

rows, two, dim = header["T"]["shape"]
T, offset, target = tensor("T", "f"), tensor("graph.offsets", "Q"), tensor("graph.targets", "I")
names = bytes(tensor("names.bytes", "B")).decode().split("\0")[:-1]
number = {name: u for u, name in enumerate(names)}
links = [set() for _ in range(rows)]
for u in range(rows):
    for v in target[offset[u]:offset[u + 1]]:
        if u != v:
            links[u].add(v), links[v].add(u)
row = []
for u in range(rows):
    own, second = (T[(2 * u + i) * dim:(2 * u + i + 1) * dim] for i in (0, 1))
    row.append([x + charm / (1 + len(links[u])) * y for x, y in zip(own, second)])

def dot(x, y):
    return sum(a * b for a, b in zip(x, y))

def pooled(own, maxima):
    w = [math.exp(math.tanh(m)) for m in maxima]
    return [sum(a * x[k] for a, x in zip(w, own)) / sum(w) for k in range(dim)]

def score(s, t):
    X, Y = [row[u] for u in sorted(links[s])], [row[u] for u in sorted(links[t])]
    A = [[dot(x, y) for y in Y] for x in X]
    return dot(pooled(X, [max(a) for a in A]), pooled(Y, [max(a[j] for a in A) for j in range(len(Y))]))

def close(a, b):
    assert abs(a - b) < 1e-4 * (1 + abs(b)), (a, b)

for line in open("scores"):
    s, t, x = line.split()
    close(float(x), score(number[s], number[t]))
ranked = [line.split("\t") for line in open("ranks")]
assert len(ranked) == rows
for _, _, t, x in ranked[::17]:
    close(float(x), score(number["0"], number[t]))
close(json.load(open("reasons"))["score"], score(number["0"], number["75"]))
END

# A node that came later, an undirected graph, and the evaluation with its check for leaks.
printf 'new 3\nnew 4\n5 new\n' >new.txt
printf 'new 7\n' >pair
expect 0 "$NEAP" score model pair --new-edges new.txt
expect 0 "$NEAP" score model pairs --new-edges new.txt
same out scores 'new nodes changed the score of old ones'
expect 0 "${toy[@]}" -o undirected --undirected --epochs 2
expect 0 "$NEAP" rank undirected 1 2 3 -k 2
expect 0 "$NEAP" eval link graph.txt --methods toy,gap --ratios 80 --seeds 1 --dim 16 --epochs 12 --lr 0.01 -o results
grep -qE '^toy +0\.[6-9]' out || fail "toy learns nothing: $(<out)"
expect 0 "$NEAP" train graph.txt -o tested --method toy --dim 16 --epochs 3 --test 0.2
says out 'toy'
