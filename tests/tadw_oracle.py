#!/usr/bin/env python3
"""TADW against NumPy: the same texts and the same first H, and M as a dense matrix.

usage: tadw_oracle.py NEAP     in a folder that may be written to

Checks the vectors after some alternations, and that the loss is the objective but for what no text reaches.
"""
import json
import random
import struct
import subprocess
import sys

import numpy as np

NODES, K, F = 60, 4, 9


def tensors(path):
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack("<Q", data[:8])
    header, body = json.loads(data[8:8 + length]), data[8 + length:]
    facts = header.pop("__metadata__")
    kind = {"F32": "<f4", "U8": "u1", "U32": "<u4", "U64": "<u8"}
    return facts, {name: np.frombuffer(body[slice(*t["data_offsets"])], kind[t["dtype"]]).reshape(t["shape"])
                   for name, t in header.items()}


def make_files():
    draw = random.Random(4)
    with open("graph.tsv", "w", encoding="ascii") as file:
        for u in range(NODES):
            for v in {(u + 1) % NODES, draw.randrange(NODES)} - {u}:
                print(u, v, round(draw.uniform(0.5, 3), 2), sep="\t", file=file)
    with open("text.tsv", "w", encoding="ascii") as file:
        for u in range(NODES - 2):  # two nodes have no text
            print(u, " ".join(f"w{draw.randrange(40) * (u % 4 + 1)}" for _ in range(draw.randrange(3, 30))), sep="\t", file=file)


def train(neap, name, epochs, *options):
    command = [neap, "train", "graph.tsv", "-o", name, "--text", "text.tsv", "--method", "tadw", "--dim", str(2 * K),
               "--text-dim", str(F), "--epochs", str(epochs), "--columns", "1,2,3", "--header", "no", "-q", *options]
    subprocess.run(command, check=True)
    return tensors(name)


def features(t, n):
    """T' (n x f): binary words times ln(n / df), times the basis."""
    offsets, words = t["text.offsets"], t["text.words"]
    a = np.zeros((n, len(t["vocabulary.offsets"]) - 1))
    for u in range(n):
        a[u, words[offsets[u]:offsets[u + 1]]] = 1
    return a * np.log(n / a.sum(0)) @ t["basis"].astype(float)


def transitions(t, n):
    a = np.zeros((n, n))
    offsets = t["graph.offsets"]
    for u in range(n):
        for e in range(offsets[u], offsets[u + 1]):
            a[u, t["graph.targets"][e]] += t["graph.weights"][e]
    a += a.T
    p = a / a.sum(1, keepdims=True)
    return (p + p @ p) / 2


def alternate(M, T, H, ridge):
    """W'H T = M: each factor by the normal equations, H as k f unknowns."""
    B = H @ T
    W = np.linalg.solve(B @ B.T + ridge / 2 * np.eye(K), B @ M.T)
    system = np.kron(W @ W.T, T @ T.T) + ridge / 2 * np.eye(K * F)
    return W, np.linalg.solve(system, (W @ M @ T.T).ravel()).reshape(K, F)


def unit(x):
    length = np.linalg.norm(x, axis=1, keepdims=True)
    return x / np.where(length > 0, length, 1)


def compare(neap, epochs, scale, halves, ridge):
    options = ("--text-scale", scale, "--halves", halves, "--ridge", str(ridge))
    _, start = train(neap, "start", 0, *options)
    facts, end = train(neap, "end", epochs, *options)
    n = int(facts["rows"])
    T = features(start, n)
    T = (unit(T) if scale == "rows" else T).T
    M, H = transitions(start, n), start["H"].astype(float)
    for _ in range(epochs):
        W, H = alternate(M, T, H, ridge)
    shape = unit if halves == "unit" else lambda x: x
    E = np.hstack([shape(W.T), shape(T.T @ H.T)])
    rows = T[np.linalg.norm(T, axis=1) > 1e-6 * np.linalg.norm(T)]
    reach = M @ np.linalg.pinv(rows, rcond=1e-5) @ rows
    loss = np.linalg.norm(reach - W.T @ H @ T) ** 2 + ridge / 2 * (np.linalg.norm(W) ** 2 + np.linalg.norm(H) ** 2)
    vectors, losses = np.abs(E - end["E"]).max() / np.abs(E).max(), abs(loss / n / float(facts["loss"]) - 1)
    bad = not (vectors < 1e-4 and losses < 1e-3)
    print(f"{epochs} alternations, {scale}, {halves}, ridge {ridge}: vectors {vectors:.1e}, loss {losses:.1e}",
          "FAILED" if bad else "")
    return bad


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    make_files()
    cases = [(1, "columns", "plain", 0.2), (5, "columns", "unit", 0.2), (4, "none", "plain", 2), (4, "rows", "plain", 0.5)]
    return int(any([compare(sys.argv[1], *case) for case in cases]))


if __name__ == "__main__":
    sys.exit(main())
