#!/usr/bin/env python3
"""read_model.py MODEL [SOURCE TARGET] - opens a model with nothing but NumPy, and scores a pair with it.

The file is described in docs/format.md, the arithmetic in docs/math.md. `neap score` says the same."""
import json
import sys

import numpy as np

TYPES = {"F32": "<f4", "U8": "u1", "U32": "<u4", "U64": "<u8"}


def open_tensors(path):
    """The tensors as arrays by name, and the metadata, of any kind of file and version of the format. `neap check` looks
    a file of unknown origin over."""
    data = open(path, "rb").read()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + length])
    facts = header.pop("__metadata__")
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        tensors[name] = np.frombuffer(data[begin:end], TYPES[entry["dtype"]]).reshape(entry["shape"])
    return tensors, facts


def edges_of(t):
    """Source and target of each edge."""
    return np.repeat(np.arange(len(t["graph.offsets"]) - 1), np.diff(t["graph.offsets"].astype(np.int64))), t["graph.targets"]


def neighbours(t, facts, u):
    """Whom the model reads for node u, ascending."""
    if "hood.offsets" in t:  # some node has more links than option.neighbors
        return t["hood.nodes"][t["hood.offsets"][u]:t["hood.offsets"][u + 1]].astype(np.int64)
    sources, targets = edges_of(t)
    linked = np.union1d(targets[sources == u], sources[targets == u]).astype(np.int64)
    others = linked[linked != u]
    loop = facts["option.self-loops"] == "yes" and len(others) < len(linked)
    itself = [u] if loop or (facts["option.self"] == "yes" and len(others)) else []
    return np.union1d(others, itself).astype(np.int64)


def softmax(z):
    e = np.exp(z)
    return e / e.sum()


def pooled(best, size, facts):
    """tanh of the best alignments with a side of so many neighbours, or what is instead of it; zero padding counts as one
    more of 0."""
    if facts.get("option.attention") == "uniform":
        return np.zeros_like(best)
    padded = facts["option.padding"] == "zero" and size < int(facts["option.neighbors"])
    best = np.maximum(best, 0) if padded else best
    scaled = facts.get("option.alignment") == "scaled"
    return np.clip(best / np.sqrt(int(facts["option.dim"])), -30, 30) if scaled else np.tanh(best)


def degrees(t, facts, u):
    """Logarithms of the degrees of node u: links; in a directed graph edges away from it, and to it. Those of nodes that
    came after training do not count."""
    sources, targets = edges_of(t)
    rows, loop = int(facts["rows"]), sources == targets
    out, into = np.sum((sources == u) & (targets < rows) & ~loop), np.sum((targets == u) & (sources < rows) & ~loop)
    return np.log1p([out + into] if facts["undirected"] == "yes" else [out, into])


def score(t, facts, source, target):
    terms = 0.0  # --degrees
    if "degrees" in t:
        terms = float(t["degrees"][0] @ np.concatenate(([1], degrees(t, facts, source), degrees(t, facts, target))))
    s, u = neighbours(t, facts, source), neighbours(t, facts, target)
    if len(s) == 0 or len(u) == 0:
        return terms
    X, Y = t["E"][s], t["E"][u + int(facts["rows"]) if facts.get("option.sides") == "2" else u]
    M = X @ t["P"] @ Y.T if "P" in t else X @ Y.T  # --no-matrix
    r_s = softmax(pooled(M.max(axis=1), len(u), facts)) @ X
    r_t = softmax(pooled(M.max(axis=0), len(s), facts)) @ Y
    return float(r_s @ r_t) + terms


def main():
    if len(sys.argv) not in (2, 4):
        sys.exit("usage: read_model.py MODEL [SOURCE TARGET]")
    t, facts = open_tensors(sys.argv[1])
    for name in sorted(t):
        print(name, t[name].dtype, *t[name].shape, sep="\t")
    if len(sys.argv) == 2:
        return
    if facts.get("method") not in ("gap", "goat") or facts["option.pooling"] != "max" or facts["option.padding"] == "vector":
        sys.exit("read_model.py: this example only knows gap and goat, --pooling max, and no padding by a vector")
    names = bytes(t["names.bytes"]).split(b"\0")[:-1]
    s, u = (names.index(name.encode()) for name in sys.argv[2:4])
    both = facts["undirected"] == "yes"
    value = (score(t, facts, s, u) + score(t, facts, u, s)) / 2 if both else score(t, facts, s, u)
    print("score", *sys.argv[2:4], "%.6f" % value, sep="\t")


if __name__ == "__main__":
    main()
