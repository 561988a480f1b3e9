#!/usr/bin/env python3
"""cluster_oracle.py [VECTORS.npy LABELS] - `neap eval cluster` and `neap eval classify` against scikit-learn on the
same vectors.

NEAP is the program. Vectors are made here: overlapping blobs, and, if NEAP_DATA names the folder of the paper's graphs,
spectral vectors of e-mail. With arguments, also these vectors (rows in the order of VECTORS.names.txt) with the classes
of LABELS. Exit 0: all within the limits; 1: not; 77: there is no scikit-learn."""
import csv
import json
import os
import subprocess
import sys
import tempfile
import warnings

try:
    import numpy as np
    from sklearn import metrics
    from sklearn.cluster import KMeans, SpectralClustering
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

warnings.filterwarnings("ignore")
SEEDS = range(1, 4)
CLUSTER_POINTS, F1_POINTS = 2.0, 1.0
METRICS = {"nmi": metrics.normalized_mutual_info_score, "ami": metrics.adjusted_mutual_info_score,
           "ari": metrics.adjusted_rand_score}
failures = 0


class Task:
    """Vectors and classes as files, and the program on them. Node i is called i; the graph is a ring."""

    def __init__(self, folder, x, y):
        self.folder, self.x, self.y = folder, x.astype(np.float32), np.asarray(y)
        with open(f"{folder}/graph", "w", encoding="utf-8") as out:
            out.writelines(f"{i} {(i + 1) % len(y)}\n" for i in range(len(y)))
        with open(f"{folder}/labels", "w", encoding="utf-8") as out:
            out.writelines(f"{i}\t{c}\n" for i, c in enumerate(y))
        np.save(f"{folder}/x.npy", self.x)

    def run(self, what, *more):
        """The results, and for each seed and share what was found: {node: word}."""
        line = [os.environ["NEAP"], "eval", what, f"{self.folder}/graph", "-q", "--labels", f"{self.folder}/labels",
                "--vectors", f"{self.folder}/x.npy", "--seeds", str(len(SEEDS)), "-o", f"{self.folder}/out", *more]
        subprocess.run(line, check=True, stdout=subprocess.DEVNULL)
        with open(f"{self.folder}/out/results.json", encoding="utf-8") as file:
            return json.load(file)["results"]

    def found(self, seed, share=""):
        with open(f"{self.folder}/out/vectors-{seed}{share}.tsv", encoding="utf-8") as file:
            return {int(row[0]): int(row[2]) for row in list(csv.reader(file, delimiter="\t"))[1:]}


def judge(what, ours, theirs, points):
    """The same algorithm on the same vectors: much better is as wrong as much worse."""
    global failures
    bad = bool(abs(100 * (theirs - ours)) > points)
    failures += bad
    print(f"  {what:40} neap {100 * ours:6.2f}   scikit-learn {100 * theirs:6.2f}{'   FAILED' * bad}")


def judge_number(what, ours, theirs, limit):
    """Two ways to compute one number; silence is agreement."""
    global failures
    if abs(ours - theirs) > limit:
        failures += 1
        print(f"  {what}: {ours:.9g} instead of {theirs:.9g}   FAILED")


def median_gamma(x):
    pairs = np.random.RandomState(0).randint(0, len(x), (10000, 2))
    apart = ((x[pairs[:, 0]].astype(float) - x[pairs[:, 1]]) ** 2).sum(1)
    return 0.1 / np.median(apart[apart > 0])


def compare_cluster(task, name, theirs, *more):
    """The numbers of our own clusters exactly, and those of scikit-learn's clusters roughly."""
    result = task.run("cluster", *more)[0]
    clusters = [[task.found(seed)[i] for i in range(len(task.y))] for seed in SEEDS]
    for key, score in METRICS.items():
        judge_number(f"{name}: {key} of neap's own clusters", result[key]["mean"],
                     np.mean([score(task.y, c) for c in clusters]), 1e-6)
    other = [METRICS["nmi"](task.y, theirs(seed, result["gamma"])) for seed in SEEDS]
    judge(f"{name}: NMI", result["nmi"]["mean"], np.mean(other), CLUSTER_POINTS)
    return result


def compare_clusters(task):
    x, k = task.x, len(set(task.y))
    compare_cluster(task, "k-means", lambda s, _: KMeans(k, n_init=10, random_state=s).fit_predict(x),
                    "--algorithm", "kmeans")
    for given, expected in (("auto", median_gamma(x)), ("1", 1)):
        name = f"gamma {given}"
        for assign, word in (("discretise", "discretize"), ("kmeans", "kmeans")):
            result = compare_cluster(
                task, f"spectral, {assign}, {name}",
                lambda s, gamma: SpectralClustering(k, gamma=gamma, assign_labels=word, random_state=s).fit_predict(x),
                "--algorithm", "spectral", "--assign", assign, "--gamma", given)
            judge_number(f"{name}: relative to what is expected", result["gamma"] / expected, 1, 0.05)


def compare_classes(task):
    shares = (20, 50, 80)
    results = task.run("classify", "--shares", ",".join(map(str, shares)))
    for share, result in zip(shares, results):
        scores = {"micro": [], "macro": []}
        for seed in SEEDS:
            test = np.zeros(len(task.y), bool)
            test[list(task.found(seed, f"-{share}"))] = True
            model = OneVsRestClassifier(LogisticRegression(C=1, max_iter=1000))
            guess = model.fit(task.x[~test], task.y[~test]).predict(task.x[test])
            for kind, values in scores.items():
                values.append(metrics.f1_score(task.y[test], guess, average=kind))
        for kind, values in scores.items():
            judge(f"{share} % of the labels: {kind} F1", result[f"{kind}_f1"]["mean"], np.mean(values), F1_POINTS)


def blobs():
    draw = np.random.RandomState(7)
    y = draw.randint(0, 6, 240)
    return 0.4 * (draw.randn(240, 12) + 1.6 * draw.randn(6, 12)[y]), y


def read_labels(path, names):
    known = dict(line.split() for line in open(path, encoding="utf-8"))
    numbers = {}
    return np.array([numbers.setdefault(known[name], len(numbers)) for name in names])


def spectral_vectors(path):
    """The names of the nodes and 64 vectors of the normalised adjacency, each scaled by the root of its value."""
    edges = [line.split() for line in open(path, encoding="utf-8")]
    names = sorted({name for edge in edges for name in edge})
    at = {name: i for i, name in enumerate(names)}
    a = np.zeros((len(names), len(names)))
    for u, v in edges:
        a[at[u], at[v]] = a[at[v], at[u]] = 1
    root = 1 / np.sqrt(1 + a.sum(1))
    u, s, _ = np.linalg.svd(root[:, None] * a * root)
    return names, u[:, :64] * np.sqrt(s[:64])


def main():
    sets = {"blobs": blobs()}
    data = os.environ.get("NEAP_DATA")
    if data:
        names, x = spectral_vectors(os.path.join(data, "email", "graph.txt"))
        sets["e-mail"] = x, read_labels(os.path.join(data, "email", "labels.txt"), names)
    else:
        print("skipped: e-mail, since NEAP_DATA is not set")
    if len(sys.argv) == 3:
        names = open(sys.argv[1].removesuffix(".npy") + ".names.txt", encoding="utf-8").read().split("\n")
        sets[sys.argv[1]] = np.load(sys.argv[1]), read_labels(sys.argv[2], [n for n in names if n])
    for name, (x, y) in sets.items():
        print(f"{name}: {x.shape[0]} vectors of length {x.shape[1]}, {len(set(y))} classes")
        with tempfile.TemporaryDirectory() as folder:
            task = Task(folder, x, y)
            compare_clusters(task)
            compare_classes(task)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
