#!/usr/bin/env python3
"""cluster_oracle.py [VECTORS.npy LABELS] - clustering and classification against scikit-learn on the same vectors.

Needs NEAP_SOURCE (the source tree) and NEAP_BUILD (a build without sanitizers); CC is the compiler. Vectors are
made here: overlapping blobs, and, if NEAP_DATA names the folder of the paper's graphs, spectral vectors of e-mail.
With arguments, also these vectors (rows in the order of VECTORS.names.txt) with the classes of LABELS.
Exit 0: all within the limits; 1: not; 77: there is no scikit-learn."""
import os
import subprocess
import sys
import tempfile
import warnings

try:
    import numpy as np
    from sklearn.cluster import KMeans, SpectralClustering
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import f1_score, normalized_mutual_info_score
    from sklearn.multiclass import OneVsRestClassifier
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

warnings.filterwarnings("ignore")
SEEDS = range(4)
CLUSTER_POINTS, F1_POINTS = 2.0, 1.0
SOURCE, BUILD = os.environ["NEAP_SOURCE"], os.environ["NEAP_BUILD"]
failures = 0


def build(folder):
    driver = os.path.join(folder, "eval_driver")
    libraries = ["-lopenblas", "-larpack", "-lz", "-lzstd", "-ljansson", "-lpthread", "-lm"]
    subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-O2", f"-I{SOURCE}/src", f"-I{SOURCE}/include",
                    f"{SOURCE}/tests/eval_driver.c", f"{BUILD}/libneap.a", *libraries, "-o", driver], check=True)
    return driver


def run(driver, what, x, seed, *more):
    path = os.path.join(os.path.dirname(driver), "vectors")
    np.ascontiguousarray(x, dtype=np.float32).tofile(path)
    words = [driver, what, path, *map(str, x.shape), str(seed), *map(str, more)]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()


def judge(what, ours, theirs, points):
    """The same algorithm on the same vectors: much better is as wrong as much worse."""
    global failures
    bad = bool(abs(100 * (theirs - ours)) > points)
    failures += bad
    print(f"  {what:38} neap {100 * ours:6.2f}   scikit-learn {100 * theirs:6.2f}{'   FAILED' * bad}")


def median_gamma(x):
    pairs = np.random.RandomState(0).randint(0, len(x), (10000, 2))
    apart = ((x[pairs[:, 0]].astype(float) - x[pairs[:, 1]]) ** 2).sum(1)
    return 0.1 / np.median(apart[apart > 0])


def compare_clusters(driver, x, y):
    k = len(set(y))

    def nmi(make):
        return np.mean([normalized_mutual_info_score(y, make(seed)) for seed in SEEDS])

    judge("k-means, NMI", nmi(lambda s: run(driver, "kmeans", x, s, k)),
          nmi(lambda s: KMeans(k, n_init=10, random_state=s).fit_predict(x)), CLUSTER_POINTS)
    for name, gamma, given in (("gamma from the data", median_gamma(x), 0), ("gamma 1", 1, 1)):
        for what, assign in (("discretise", "discretize"), ("spectral", "kmeans")):
            theirs = nmi(lambda s: SpectralClustering(k, gamma=gamma, assign_labels=assign,
                                                      random_state=s).fit_predict(x))
            judge(f"{what}, {name}, NMI", nmi(lambda s: run(driver, what, x, s, k, given)), theirs, CLUSTER_POINTS)


def compare_classes(driver, x, y):
    path = os.path.join(os.path.dirname(driver), "labels")
    np.asarray(y, dtype=np.uint32).tofile(path)
    for share in (0.2, 0.5, 0.8):
        scores = []
        for seed in SEEDS:
            micro, macro, *part = run(driver, "classify", x, seed, share, path)
            train, test = np.array(part) == "1", np.array(part) == "2"
            model = OneVsRestClassifier(LogisticRegression(C=1, max_iter=1000)).fit(x[train], y[train])
            guess = model.predict(x[test])
            scores.append([float(micro), f1_score(y[test], guess, average="micro"),
                           float(macro), f1_score(y[test], guess, average="macro")])
        scores = np.mean(scores, axis=0)
        for name, ours, theirs in (("micro", *scores[:2]), ("macro", *scores[2:])):
            judge(f"share {share}, {name} F1", ours, theirs, F1_POINTS)


def blobs():
    draw = np.random.RandomState(7)
    y = draw.randint(0, 12, 600)
    return draw.randn(600, 24) + 1.3 * draw.randn(12, 24)[y], y


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
    with tempfile.TemporaryDirectory() as folder:
        driver = build(folder)
        for name, (x, y) in sets.items():
            x = x.astype(np.float32)
            print(f"{name}: {x.shape[0]} vectors of length {x.shape[1]}, {len(set(y))} classes")
            compare_clusters(driver, x, y)
            compare_classes(driver, x, y)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
