#!/usr/bin/env python3
"""The vectors in a model of dmte against NumPy.

usage: dmte_oracle.py MODEL...

From the words, the graph and the learned tensors of the file: c = tanh(mean of the words' vectors), P the row-normalised
symmetric adjacency without loops, t = [c, 0.3 P c, 0.1 P^2 c] W in double; E is [t, nodes] to 1e-4."""
import json
import struct
import sys

import numpy as np

TYPES = {"F32": "<f4", "U8": "u1", "U32": "<u4", "U64": "<u8"}


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + length])
    facts, tensors = header.pop("__metadata__"), {}
    for name, entry in header.items():
        a, b = (8 + length + x for x in entry["data_offsets"])
        tensors[name] = np.frombuffer(data[a:b], TYPES[entry["dtype"]]).reshape(entry["shape"])
    return facts, tensors


def transitions(tensors, n):
    weights = tensors.get("graph.weights", np.ones(len(tensors["graph.targets"])))
    links = np.zeros((n, n))
    for u in range(n):
        for e in range(int(tensors["graph.offsets"][u]), int(tensors["graph.offsets"][u + 1])):
            v = tensors["graph.targets"][e]
            if u != v:
                links[u, v] += weights[e]
                links[v, u] += weights[e]
    if "graph.weights" not in tensors:
        links = np.minimum(links, 1)
    sums = links.sum(1, keepdims=True)
    return np.divide(links, sums, out=np.zeros_like(links), where=sums > 0)


def contents(facts, tensors, n):
    c = np.zeros((n, tensors["words"].shape[1]))
    for u in range(n):
        word = tensors["text.words"][int(tensors["text.offsets"][u]):int(tensors["text.offsets"][u + 1])]
        length = int(facts["option.text-length"]) if facts["option.text-mean"] == "padded" else len(word)
        if len(word):
            c[u] = np.tanh(tensors["words"].astype(float)[word].sum(0) / length)
    return c


def compare(path):
    facts, tensors = read(path)
    n = len(tensors["E"])
    c, P = contents(facts, tensors, n), transitions(tensors, n)
    t = np.hstack([c, 0.3 * P @ c, 0.1 * P @ (P @ c)]) @ tensors["W"].astype(float)
    wrong = abs(np.hstack([t, tensors["nodes"]]) - tensors["E"]).max()
    if not wrong <= 1e-4:
        raise SystemExit(f"{path}: vectors differ by {wrong}")
    print(f"{path}: {n} vectors as NumPy makes them, to {wrong:.1e}")


for model in sys.argv[1:]:
    compare(model)
