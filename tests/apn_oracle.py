#!/usr/bin/env python3
"""apn_oracle.py MODEL SCORES - scores of a model of apn again, in NumPy from its file alone, against those of `neap score`."""
import sys

import numpy as np

import format_reader


def load(path):
    with open(path, "rb") as file:
        facts, tensors = format_reader.read_tensors(*format_reader.read_header(file.read()))
    arrays = {name: np.array(values, dtype=float if kind == "F32" else int).reshape(shape) for name, (kind, shape, values) in tensors.items()}
    return {key[7:]: value for key, value in facts.items() if key.startswith("option.")}, facts, arrays


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def convolve(x, option, t):
    width, d = int(option["kernel"]), x.shape[1]
    before = (width - 1) // 2
    padded = np.concatenate([np.zeros((before, d)), x, np.zeros((width - 1 - before, d))])
    z = t["b"] + sum(padded[j:j + len(x)] @ t["W"][j * d:(j + 1) * d] for j in range(width))
    return np.tanh(z) if option["activation"] == "tanh" else z


def recur(x, option, t):
    h, sides = t["U"].shape[0] // 2, []
    for side, order in enumerate((1, -1)):
        state, cell, rows = np.zeros(h), np.zeros(h), []
        W, U, b = t["W"][:, 4 * h * side:][:, :4 * h], t["U"][h * side:][:h], t["b"][0, 4 * h * side:][:4 * h]
        for row in x[::order]:
            i, f, o, g = np.split(row @ W + state @ U + b, 4)
            cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
            state = sigmoid(o) * np.tanh(cell)
            rows.append(state)
        sides.append(np.array(rows)[::order])
    return np.concatenate(sides, axis=1)


def softmax(z):
    e = np.exp(z - z.max())
    return e / e.sum()


def score(x, y, option, P):
    if not len(x) or not len(y):
        return 0.0
    A = x @ P @ y.T
    if option["pooling"] == "max":
        w, v = np.tanh(A.max(axis=1)), np.tanh(A.max(axis=0))
    else:
        w, v = np.tanh(A).mean(axis=1), np.tanh(A).mean(axis=0)
    r, s = softmax(w) @ x, softmax(v) @ y
    return r @ s / np.linalg.norm(r) / np.linalg.norm(s)


def main():
    option, facts, t = load(sys.argv[1])
    encode = recur if option["encoder"] == "lstm" else convolve
    text = np.split(t["text.words"], t["text.offsets"][1:-1])
    rows = [encode(t["E"][words], option, t) if len(words) else np.zeros((0, 1)) for words in text]
    names = bytes(t["names.bytes"].astype(np.uint8)).split(b"\0")[:-1]
    number, P, most, count = {name.decode(): i for i, name in enumerate(names)}, t.get("P"), 0, 0
    P = np.eye(t["b"].shape[1]) if P is None else P
    with open(sys.argv[2], encoding="utf-8") as lines:
        for line in lines:
            source, target, ours = line.split()
            x, y = rows[number[source]], rows[number[target]]
            theirs = score(x, y, option, P)
            if facts["undirected"] == "yes":
                theirs = (theirs + score(y, x, option, P)) / 2
            most, count = max(most, abs(theirs - float(ours))), count + 1
    print("%d scores, %.1e apart" % (count, most))
    sys.exit(most > 1e-4 or count < 10)


main()
