#!/bin/bash
# NumPy makes the scores of cene from the vectors in its file, and those of a new node from the vectors of its words, or from
# the states of the GRU that reads them.
. "$(dirname "$0")/lib/common.bash"
/usr/bin/python3 -c 'import numpy' 2>/dev/null || { echo 'no numpy: skipped'; exit 0; }

make_friends
make_texts friends.txt
printf 'alice\tbob\ngrace\tjudy\njudy\tgrace\n' >pairs
printf 'zoe\tnalice nbob nbob unheard ngrace\n' >new.tsv # known words but one; texts.tsv has them
train=("$NEAP" train friends.txt --text texts.tsv --method cene --dim 16 --epochs 9 --lr 0.1 --directed)
score() # score MODEL
{
    expect 0 "$NEAP" score "$1" pairs
    cp out "$1.scores"
    expect 0 "$NEAP" score "$1" <(printf 'zoe\tgrace\n') --new-text new.tsv
    cat out >>"$1.scores"
}
for rule in left-right concat both; do
    expect 0 "${train[@]}" --pair-score $rule -o $rule
    score $rule
done
for threads in 1 2 4; do
    expect 0 "${train[@]}" --content gru -o "gru.$threads" --threads $threads
    same gru.1 "gru.$threads" "$threads threads"
done
score gru.1
expect 0 python3 "$NEAP_SOURCE/tests/format_reader.py" gru.1
expect 2 "$NEAP" train friends.txt --method cene -o none
says err text
expect 2 "${train[@]}" --content lstm -o none
says err 'average|gru'
expect 2 "${train[@]}" --encoder gru -o none # an option of apn's
says err 'cnn|lstm'
expect 0 "$NEAP" eval link friends.txt --text texts.tsv --methods apn,cene --encoder lstm --filters 4 --content gru --dim 4 --epochs 1 \
    --ratios 50 --seeds 1 --no-untrained
says out apn
says out cene
/usr/bin/python3 - <<'END' || fail 'NumPy has other scores'
import json, struct, numpy as np

def tensors(path):
    data = open(path, "rb").read()
    size, = struct.unpack("<Q", data[:8])
    types = {"F32": "<f4", "U32": "<u4", "U64": "<u8", "U8": "u1"}
    return {name: np.frombuffer(data[8 + size:][slice(*t["data_offsets"])], types[t["dtype"]]).reshape(t["shape"])
            for name, t in json.loads(data[8:8 + size]).items() if name != "__metadata__"}

def sigmoid(z):
    return 1 / (1 + np.exp(-z))

def states(X, W, U, b):
    h, out = np.zeros(len(U)), []
    for x in X.astype(float):
        (r, u, g), (of_r, of_u, of_g) = np.split(x @ W + b[0], 3), np.split(h @ U, 3)
        u = sigmoid(u + of_u)
        h = (1 - u) * np.tanh(g + sigmoid(r + of_r) * of_g) + u * h
        out.append(h)
    return np.array(out)

for model in "left-right", "concat", "both", "gru.1":
    t = tensors(model)
    names = bytes(t["names.bytes"]).decode().split("\0")
    words = bytes(t["vocabulary.bytes"]).decode().split("\0")
    rows = t["words"][[words.index(word) for word in ("nalice", "nbob", "nbob", "ngrace")]]
    zoe = (states(rows, t["gru.W"], t["gru.U"], t["gru.b"]) if "gru.U" in t else rows).mean(axis=0)
    vector = lambda name: (zoe if name == "zoe" else t["E"][names.index(name)]).astype(float)
    for line in open(model + ".scores"):
        source, target, score = line.split()[:3]
        x, y = vector(source), vector(target)
        halves, whole = x[:8] @ y[8:], x @ y
        theirs = {"left-right": halves, "concat": whole}.get(model, halves + whole)
        assert abs(theirs - float(score)) < 1e-4 * max(1, abs(theirs)), (model, line, theirs)
        assert abs(theirs) > 1e-3, "nothing was learned"
END
