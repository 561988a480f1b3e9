#!/bin/bash
# NumPy makes the scores of gapcn and gapapn from the tensors in their files: the order of neighbours, the convolution, the
# attention.
. "$(dirname "$0")/lib/common.bash"
/usr/bin/python3 -c 'import numpy' 2>/dev/null || { echo 'no numpy: skipped'; exit 0; }

"$NEAP" generate sbm --nodes 40 --blocks 2 --p-in 0.3 --p-out 0.05 -o graph.txt -q || fail 'generate'
for ((u = 0; u < 40; u++)); do echo "$u $(((u * 7 + 1) % 40))"; done >pairs
models=()
make_model() # METHOD OPTION...
{
    models+=("model.${#models[@]}")
    expect 0 "$NEAP" train graph.txt --method "$@" --dim 8 --neighbors 30 --epochs 3 --lr 0.03 --valid 0 -o "${models[-1]}" -q
    expect 0 "$NEAP" score "${models[-1]}" pairs
    cp out "${models[-1]}.scores"
}
make_model gapcn --kernel 3
make_model gapcn --kernel 3 --filters 6 --activation linear --pooling mean --padding zero --undirected
make_model gapcn --kernel 4 --padding vector --no-matrix
make_model gapapn
make_model gapapn --kernel 2 --padding zero
/usr/bin/python3 - "${models[@]}" <<'END' || fail 'NumPy has other scores'
import json, struct, sys, numpy as np

def read(path):
    data = open(path, "rb").read()
    size, = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + size])
    facts, types = header.pop("__metadata__"), {"F32": "<f4", "U32": "<u4", "U64": "<u8", "U8": "u1"}
    tensors = {name: np.frombuffer(data[8 + size:][slice(*t["data_offsets"])], types[t["dtype"]]).reshape(t["shape"])
               for name, t in header.items()}
    return facts, {name: t.astype(float) if t.dtype == "f4" else t for name, t in tensors.items()}

def neighbours(facts, t):
    near = [set() for _ in range(len(t["E"]))]
    for u in range(len(near)):
        for v in t["graph.targets"][int(t["graph.offsets"][u]):int(t["graph.offsets"][u + 1])]:
            near[u].add(int(v)), near[int(v)].add(u)
    assert "hood.nodes" not in t and facts["option.self"] == "no", "neighbourhoods are not the links"
    common = lambda u, v: len(near[u] & near[v]) if facts["method"] == "gapcn" else 0
    return [sorted(near[u] - {u}, key=lambda v: (-common(u, v), v)) for u in range(len(near))]

def encode(x, facts, t):
    k, d = int(facts["option.kernel"]), x.shape[1]
    before = (k - 1) // 2
    padded = np.concatenate([np.zeros((before, d)), x, np.zeros((k - 1 - before, d))])
    z = t["b"] + np.array([padded[i:i + k].ravel() @ t["W"] for i in range(len(x))])
    return np.tanh(z) if facts["option.activation"] == "tanh" else z

def softmax(z):
    return np.exp(z) / np.exp(z).sum()

def pool(A, facts, extra):
    """Of each row; extra: the row's alignment with the padding vector."""
    missing, padding = int(facts["option.neighbors"]) - A.shape[1], facts["option.padding"]
    if padding == "zero":
        extra = np.zeros(len(A))
    if facts["option.pooling"] == "max":
        return np.tanh(np.max(A if padding == "none" else np.column_stack([A, extra]), axis=1))
    return (np.tanh(A).sum(axis=1) + missing * np.tanh(extra)) / (A.shape[1] + missing * (padding != "none"))

def score(x, y, facts, t):
    P = t.get("P", np.eye(x.shape[1]))
    pad = t.get("pad", np.zeros(x.shape[1]))
    A = x @ P @ y.T
    r, s = softmax(pool(A, facts, x @ P @ pad)) @ x, softmax(pool(A.T, facts, pad @ P @ y.T)) @ y
    return r @ s

for path in sys.argv[1:]:
    facts, t = read(path)
    rows = [encode(t["E"][near], facts, t) for near in neighbours(facts, t)]
    number = {name: u for u, name in enumerate(bytes(t["names.bytes"]).decode().split("\0"))}
    largest = 0
    for line in open(path + ".scores"):
        u, v = (number[name] for name in line.split()[:2])
        theirs = score(rows[u], rows[v], facts, t)
        if facts["undirected"] == "yes":
            theirs = (theirs + score(rows[v], rows[u], facts, t)) / 2
        assert abs(theirs - float(line.split()[2])) < 1e-4 * max(1, abs(theirs)), (path, line, theirs)
        largest = max(largest, abs(theirs))
    assert largest > 1e-2, (path, largest)
END
