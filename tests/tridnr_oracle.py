#!/usr/bin/env python3
"""TriDNR against NumPy: with the vectors of a model file, the scores of pairs, and the vectors of new nodes.

usage: tridnr_oracle.py NEAP     in a folder that may be written to

New nodes have a text, or a text and links: their vectors take steps on the words of the text, with negatives by the
same draws. (A training from its start is compared in tests/test_tridnr.c.)
"""
import json
import random
import struct
import subprocess
import sys

import numpy as np

NODES, SEED, LR, NEGATIVES, PASSES_MOST = 60, 7, 0.1, 5, 10
WORD, ODD, STREAM = (1 << 64) - 1, 0x9E3779B97F4A7C15, 37
NEW = {"lone": ("w1 w2 w2 w5 w9 strange", []), "both": ("w3 w3 w4 w40 w2", ["4", "9"]), "linked": ("strange", ["1", "2", "3"])}


def tensors(path):
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack("<Q", data[:8])
    header, body = json.loads(data[8:8 + length]), data[8 + length:]
    header.pop("__metadata__")
    kind = {"F32": "<f4", "U8": "u1", "U32": "<u4", "U64": "<u8"}
    return {name: np.frombuffer(body[slice(*t["data_offsets"])], kind[t["dtype"]]).reshape(t["shape"]) for name, t in header.items()}


def make_files():
    draw = random.Random(4)
    with open("graph.tsv", "w", encoding="ascii") as file:
        for u in range(NODES):
            for v in sorted({(u + 1) % NODES, draw.randrange(NODES)} - {u}):
                print(u, v, sep="\t", file=file)
    with open("text.tsv", "w", encoding="ascii") as file:
        for u in range(NODES - 2):  # two nodes have no text
            print(u, " ".join(f"w{draw.randrange(12) * (u % 4 + 1)}" for _ in range(draw.randrange(3, 30))), sep="\t", file=file)
    with open("new.tsv", "w", encoding="ascii") as texts, open("links.tsv", "w", encoding="ascii") as links:
        for name, (text, others) in NEW.items():
            print(name, text, sep="\t", file=texts)
            for other in others:
                print(name, other, sep="\t", file=links)


def strings(t, what):
    cut, data = t[what + ".offsets"].tolist(), t[what + ".bytes"].tobytes()
    return [data[a:b - 1].decode() for a, b in zip(cut, cut[1:])]


def mix(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & WORD
    x = (x ^ x >> 27) * 0x94D049BB133111EB & WORD
    return x ^ x >> 31


class Draws:
    """SplitMix64 from a start that is a hash of (seed, stream, epoch, item)."""

    def __init__(self, epoch, item):
        x = mix(SEED + ODD * STREAM & WORD)
        x = mix(x + ODD * (epoch + 1) & WORD)
        self.state = mix(x + ODD * (item + 1) & WORD)

    def next(self):
        self.state = self.state + ODD & WORD
        return mix(self.state)


def alias_of(weight):
    """Vose's table: (share of the column's own item, the other item)."""
    weight = [w * (len(weight) / sum(weight)) for w in weight]
    low, high = [i for i, w in enumerate(weight) if w < 1], [i for i, w in enumerate(weight) if w >= 1]
    table = [(np.float32(1), i) for i in range(len(weight))]
    while low and high:
        small, large = low.pop(), high[-1]
        table[small] = (np.float32(weight[small]), large)
        weight[large] -= 1 - weight[small]
        if weight[large] < 1:
            low.append(high.pop())
    return table


def negative(table, draws):
    bits = draws.next()
    column = (bits >> 32) * len(table) >> 32
    share, other = table[column]
    return column if np.float32((bits & 0xFFFFFF) * 2.0 ** -24) < share else other


def s(z):
    return 1 / (1 + np.exp(-z))


def read_text(t, table, words, neighbours, a, epochs):
    """x = a x + (1 - a) mean, then a step for each word; d in the model's file, or w."""
    outputs, passes = t["words"].astype(float), min(epochs, PASSES_MOST)
    mean = t["E"][neighbours].astype(float).mean(0) if neighbours else None
    x = np.zeros(outputs.shape[1]) if mean is None else mean.copy()
    for p in range(passes if words else 0):
        if mean is not None:
            x = a * x + (1 - a) * mean
        for i, word in enumerate(words):
            rate, draws = LR * (1 - (p * len(words) + i) / (passes * len(words))), Draws(p, i)
            others = [n for n in (negative(table, draws) for _ in range(NEGATIVES)) if n != word]
            x = x + rate * ((1 - s(x @ outputs[word])) * outputs[word] - s(outputs[others] @ x) @ outputs[others])
    return a * x + (1 - a) * mean if words and mean is not None and a <= 0.5 else x


def check(neap, a, epochs):
    subprocess.run([neap, "train", "graph.tsv", "-o", "model", "--text", "text.tsv", "--method", "tridnr", "--dim", "12", "--lr", str(LR),
                    "--epochs", str(epochs), "--seed", str(SEED), "--text-weight", str(a), "--header", "no", "-q"], check=True)
    t = tensors("model")
    names, vocabulary = strings(t, "names"), strings(t, "vocabulary")
    counts = np.bincount(t["text.words"], minlength=len(vocabulary))
    table = alias_of([max(int(c), 1) ** 0.75 for c in counts])
    vector = {name: t["E"][u].astype(float) for u, name in enumerate(names)}
    for name, (text, others) in NEW.items():
        words = [vocabulary.index(w) for w in text.split() if w in vocabulary]
        assert (name == "linked") == (not words)
        vector[name] = read_text(t, table, words, [names.index(o) for o in others], a, epochs)
    pairs = [(x, y) for x in [*NEW, "5", "11"] for y in vector]
    with open("pairs.tsv", "w", encoding="ascii") as file:
        file.writelines("%s\t%s\n" % pair for pair in pairs)
    said = subprocess.run([neap, "score", "model", "pairs.tsv", "--new-edges", "links.tsv", "--new-text", "new.tsv", "-q"], check=True,
                          capture_output=True, text=True).stdout.split("\n")
    found = np.array([float(line.split("\t")[-1]) for line in said if line])
    due = np.array([vector[x] @ vector[y] for x, y in pairs])
    assert len(found) == len(due) and np.abs(due).max() > 0.1, (len(found), np.abs(due).max())
    off = np.abs(found - due).max() / np.abs(due).max()
    assert off < 1e-4, off
    return len(due)


if __name__ == "__main__":
    make_files()
    count = sum(check(sys.argv[1], a, epochs) for a, epochs in ((0.8, 8), (0.4, 8), (0.8, 30)))
    print(count, "scores, those of new nodes among them, are NumPy's to 1e-4")
