#!/usr/bin/env python3
"""Scores and vectors of cane against NumPy: the plain form, every text padded to its whole length.

usage: cane_oracle.py MODEL SCORES VECTORS     what `neap score` and `neap embed` (.npy) gave for the model

Exit 0: they agree to 1e-4; 1: not."""
import json
import struct
import sys

import numpy as np

TYPES = {"F32": "<f4", "U8": "u1", "U32": "<u4", "U64": "<u8"}


class Model:
    def __init__(self, path):
        data = open(path, "rb").read()
        (length,) = struct.unpack("<Q", data[:8])
        header, data = json.loads(data[8:8 + length]), data[8 + length:]
        self.facts = header.pop("__metadata__")
        self.tensors = {name: np.frombuffer(data[slice(*t["data_offsets"])], TYPES[t["dtype"]]).reshape(t["shape"])
                        for name, t in header.items()}
        cut = self.tensors["names.offsets"]
        names = self.tensors["names.bytes"].tobytes()
        self.names = [names[a:b].rstrip(b"\0").decode() for a, b in zip(cut, cut[1:])]
        self.undirected = self.facts["undirected"] == "yes"

    def option(self, name):
        return self.facts["option." + name]

    def windows(self, node):
        """H, (windows x h): tanh of a convolution over every two words."""
        words, cut = self.tensors["words"].astype(float), self.tensors["text.offsets"]
        length = int(self.option("text-length"))
        text = list(self.tensors["text.words"][int(cut[node]):int(cut[node + 1])])[:length]
        x = words[text + [len(words) - 1] * (length - len(text))]
        h = words.shape[1]
        C = self.tensors["filters"].astype(float)
        H = np.tanh(x[:-1] @ C[:h] + x[1:] @ C[h:])
        return H if self.option("attend-padding") == "yes" else H[:max(1, len(text))]

    def texts(self, a, b):
        Ha, Hb = self.windows(a), self.windows(b)
        F = np.tanh(Ha @ self.tensors["R"].astype(float) @ Hb.T)
        weights = [np.exp(F.mean(1)), np.exp(F.mean(0))]
        return [w @ H / w.sum() for w, H in zip(weights, (Ha, Hb))]

    def pair(self, a, b):
        """[t ; n] of both; of an undirected graph t is the mean of both orders."""
        t = self.texts(a, b)
        if self.undirected:
            t = [(x + y) / 2 for x, y in zip(t, self.texts(b, a)[::-1])]
        n = [self.tensors["E"][u].astype(float) for u in (a, b)]
        return [np.r_[x, y / max(1, np.linalg.norm(y))] for x, y in zip(t, n)]

    def means(self):
        """Of each node over its edges; of one without, in the context of itself."""
        cut, targets = self.tensors["graph.offsets"], self.tensors["graph.targets"]
        found = [[] for _ in self.names]
        for u in range(len(self.names)):
            for v in targets[int(cut[u]):int(cut[u + 1])]:
                if u != v:
                    for node, vector in zip((u, v), self.pair(u, v)):
                        found[node].append(vector)
        return np.array([np.mean(f or [self.pair(u, u)[0]], axis=0) for u, f in enumerate(found)])


def main():
    model, given = Model(sys.argv[1]), [line.rstrip("\n").split("\t") for line in open(sys.argv[2], encoding="utf-8")]
    means, far = model.means(), []
    for source, target, score in given:
        a, b = model.names.index(source), model.names.index(target)
        x, y = means[[a, b]] if model.option("score-by") == "mean" else model.pair(a, b)
        far.append(abs(x @ y - float(score)))
    far.append(np.abs(means - np.load(sys.argv[3])).max())
    print("%d comparisons, worst %.1e" % (len(far), max(far)))
    return 0 if max(far) < 1e-4 else 1


if __name__ == "__main__":
    sys.exit(main())
