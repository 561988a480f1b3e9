#!/usr/bin/python3
"""TADW as a script with SciPy, for the benchmark: prints JSON with seconds and the peak of memory.

    scipy_tadw.py GRAPH TEXTS [--svd arpack|randomised]

GRAPH: two names in a line, TEXTS: name<TAB>text, both maybe compressed by gzip. The work is that of `neap train --method tadw`:
binary words times ln(n / df), 200 singular vectors, ten alternations over all nodes, halves of length 1. Nothing is n x n.
"""
import argparse
import gzip
import json
import resource
import time

import numpy as np
import scipy.sparse as sparse
from scipy.sparse.linalg import svds
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.utils.extmath import randomized_svd

K, F, RIDGE, ALTERNATIONS = 80, 200, 0.2, 10


def lines(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
        for line in file:
            if line[0] not in "#%":
                yield line.rstrip("\n").split("\t")


def read(graph, texts):
    number, ends = {}, []
    for source, target in lines(graph):
        ends.append((number.setdefault(source, len(number)), number.setdefault(target, len(number))))
    text = [""] * len(number)
    for name, words in lines(texts):
        if name in number:
            text[number[name]] = words
    return np.array(ends), text


def transitions(ends, n):
    a = sparse.coo_matrix((np.ones(len(ends)), ends.T), (n, n)).tocsr()
    a = ((a + a.T) > 0).astype(float)
    return sparse.diags(1 / np.maximum(np.asarray(a.sum(1)).ravel(), 1)) @ a


def features(text, how):
    a = CountVectorizer(token_pattern=r"(?u)\w+", binary=True, min_df=2).fit_transform(text).astype(float)
    a = a @ sparse.diags(np.log(a.shape[0] / np.asarray(a.sum(0)).ravel()))
    u = svds(a, F)[0] if how == "arpack" else randomized_svd(a, F, n_iter=10, random_state=1)[0]
    return u.T


def factor(p, T):
    H = np.random.default_rng(1).uniform(-0.1, 0.1, (K, F))
    eye = RIDGE / 2 * np.eye(K)
    b, v = np.linalg.eigh(T @ T.T)
    once = p @ T.T
    right = (once + p @ once) / 2  # M T'
    for _ in range(ALTERNATIONS):
        B = H @ T
        W = np.linalg.solve(B @ B.T + eye, H @ right.T)
        a, u = np.linalg.eigh(W @ W.T)
        H = u @ ((u.T @ W @ right @ v) / (a[:, None] * b + RIDGE / 2)) @ v.T
    return W, H


def unit(x):
    return x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-30)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graph")
    parser.add_argument("texts")
    parser.add_argument("--svd", choices=("arpack", "randomised"), default="arpack")
    args = parser.parse_args()
    start, busy = time.perf_counter(), time.process_time()
    ends, text = read(args.graph, args.texts)
    T = features(text, args.svd)
    singular = time.perf_counter()
    W, H = factor(transitions(ends, len(text)), T)
    vectors = np.hstack([unit(W.T), unit(T.T @ H.T)])
    end = time.perf_counter()
    print(json.dumps({"nodes": len(vectors), "seconds": end - start, "busy_seconds": time.process_time() - busy,
                      "seconds_features": singular - start,
                      "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}))


if __name__ == "__main__":
    main()
