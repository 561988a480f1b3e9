#!/bin/bash
# NumPy makes the vectors and scores of gapmlp from the tensors in its file.
. "$(dirname "$0")/lib/common.bash"
/usr/bin/python3 -c 'import numpy' 2>/dev/null || { echo 'no numpy: skipped'; exit 0; }

make_friends
printf 'alice\tbob\ngrace\tjudy\n' >pairs
for form in flat mean; do
    expect 0 "$NEAP" train friends.txt --method gapmlp --form $form --dim 8 --hidden 11 --neighbors 9 --epochs 9 --lr 0.1 -o $form
    expect 0 "$NEAP" score $form pairs
    cp out $form.scores
    expect 0 "$NEAP" embed $form -o $form.npy
done
/usr/bin/python3 - <<'END' || fail 'NumPy has other vectors'
import json, struct, numpy as np

def tensors(path):
    data = open(path, "rb").read()
    size, = struct.unpack("<Q", data[:8])
    types = {"F32": "<f4", "U32": "<u4", "U64": "<u8", "U8": "u1"}
    return {name: np.frombuffer(data[8 + size:][slice(*t["data_offsets"])], types[t["dtype"]]).reshape(t["shape"])
            for name, t in json.loads(data[8:8 + size]).items() if name != "__metadata__"}

for form in "flat", "mean":
    t = tensors(form)
    n, d = t["E"].shape
    near = [set() for _ in range(n)]
    for u in range(n):
        for v in t["graph.targets"][int(t["graph.offsets"][u]):int(t["graph.offsets"][u + 1])]:
            near[u].add(int(v)), near[v].add(u)
    assert max(map(len, near)) <= 9, "neighbourhoods are samples"
    vectors = np.load(form + ".npy")
    for u in range(n):
        x = t["E"][sorted(near[u] - {u})].astype(float)
        if form == "flat":
            h = np.maximum(np.concatenate([x.ravel(), np.zeros(9 * d - x.size)]) @ t["W1"] + t["b1"][0], 0)
        else:
            h = np.maximum(x @ t["W1"] + t["b1"], 0).mean(axis=0)
        assert abs(h @ t["W2"] + t["b2"][0] - vectors[u]).max() < 1e-4, (form, u)
    names = bytes(t["names.bytes"]).decode().split("\0")
    for line in open(form + ".scores"):
        source, target, score = line.split()[:3]
        theirs = vectors[names.index(source)].astype(float) @ vectors[names.index(target)]
        assert abs(theirs - float(score)) < 1e-4 * max(1, abs(theirs)) and abs(theirs) > 1e-3, (form, line, theirs)
END
