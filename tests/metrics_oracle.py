#!/usr/bin/env python3
"""The metrics against scikit-learn, and against OGB's definitions written out in numpy.

usage: metrics_oracle.py SOURCE     SOURCE: the folder with src/ and include/

Compiles the metrics of src/eval, src/base and src/support with $CC (else cc) into a shared object in a folder of its own, and calls it on
random data in which most scores tie. Needs numpy and scikit-learn.
"""
import ctypes
import glob
import os
import shlex
import subprocess
import sys
import tempfile

import numpy as np
from sklearn import metrics as sk

HITS_MOST = 100


def build(source, folder):
    path = os.path.join(folder, "metrics.so")
    files = [f"{source}/src/eval/{name}.c" for name in ("gaps", "labelings", "metrics")]
    files += sorted(glob.glob(f"{source}/src/base/*.c") + glob.glob(f"{source}/src/support/*.c"))
    command = shlex.split(os.environ.get("CC") or "cc") + [
        "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-D_DEFAULT_SOURCE", "-O2", "-fPIC", "-shared",
        f"-I{source}/include", f"-I{source}/src", *files, "-o", path, "-lpthread", "-lm"]
    subprocess.run(command, check=True)
    lib = ctypes.CDLL(path)
    for name in "ni_gaps_auc", "ni_gaps_ap", "ni_gaps_hits":
        getattr(lib, name).restype = ctypes.c_double
    return lib


def pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


def succeed(status):
    if status != 0:
        raise SystemExit(f"a metric failed with status {status}")


class Judge:
    """Counts comparisons and keeps the largest difference of each metric."""

    def __init__(self):
        self.worst, self.count, self.failed = {}, 0, False

    def near(self, name, found, expected, within, about):
        self.count += 1
        difference = abs(found - expected)
        self.worst[name] = max(self.worst.get(name, 0.0), difference)
        if not difference <= within:
            self.failed = True
            print(f"{name}: {found!r} instead of {expected!r} ({about})", file=sys.stderr)


# ---- OGB's definitions ----

def ogb_hits(positives, negatives, k):
    if len(negatives) < k:
        return 1.0
    return np.mean(positives > np.sort(negatives)[-k])


def ogb_ranks(positives, negatives):
    """negatives: one row for each positive."""
    above = (negatives > positives[:, None]).sum(axis=1)
    not_below = (negatives >= positives[:, None]).sum(axis=1)
    return 0.5 * (above + not_below) + 1


# ---- ours ----

class Gaps:
    def __init__(self, lib, positives, chunks):
        self.lib, self.handle = lib, ctypes.c_void_p()
        succeed(lib.ni_gaps_create(pointer(positives), ctypes.c_size_t(len(positives)), ctypes.byref(self.handle), None))
        for chunk in chunks:
            succeed(lib.ni_gaps_add(self.handle, pointer(chunk), ctypes.c_size_t(len(chunk)), None))

    def auc(self):
        return self.lib.ni_gaps_auc(self.handle)

    def ap(self):
        return self.lib.ni_gaps_ap(self.handle)

    def hits(self, k):
        return self.lib.ni_gaps_hits(self.handle, ctypes.c_uint32(k))

    def free(self):
        self.lib.ni_gaps_free(self.handle)


def own_rank(lib, positive, negatives):
    rank = ctypes.c_double()
    succeed(lib.ni_own_rank(ctypes.c_float(positive), pointer(negatives), ctypes.c_size_t(len(negatives)),
                            ctypes.byref(rank), None))
    return rank.value


def labeling(function, a, b):
    value = ctypes.c_double()
    succeed(function(pointer(a), pointer(b), ctypes.c_size_t(len(a)), ctypes.byref(value), None))
    return value.value


def f1(lib, truth, predicted, classes):
    micro, macro = ctypes.c_double(), ctypes.c_double()
    succeed(lib.ni_f1(pointer(truth), pointer(predicted), ctypes.c_size_t(len(truth)), ctypes.c_uint32(classes),
                      ctypes.byref(micro), ctypes.byref(macro), None))
    return micro.value, macro.value


# ---- comparisons ----

def draw_scores(random, n, kind):
    """All tie, many tie, hardly any ties."""
    if kind == 0:
        return np.full(n, 2.5, np.float32)
    if kind == 1:
        return random.integers(0, 8, n).astype(np.float32)
    return random.normal(0, 1, n).astype(np.float32)


def compare_pools(lib, judge, random):
    for trial in range(120):
        n, m = (int(x) for x in random.integers(1, 700, 2))
        positives = draw_scores(random, n, trial % 3) + np.float32(trial % 2)
        negatives = draw_scores(random, m, trial // 3 % 3)
        cuts = np.sort(random.integers(0, m + 1, trial % 7))
        gaps = Gaps(lib, positives, np.split(negatives, cuts))
        truth, scores = np.r_[np.ones(n), np.zeros(m)], np.r_[positives, negatives]
        about = f"trial {trial}, {n} positives, {m} negatives"
        judge.near("AUC", gaps.auc(), sk.roc_auc_score(truth, scores), 1e-12, about)
        judge.near("AP", gaps.ap(), sk.average_precision_score(truth, scores), 1e-12, about)
        for k in 1, 3, 10, 50, HITS_MOST:
            judge.near("Hits@K", gaps.hits(k), ogb_hits(positives, negatives, k), 0, f"{about}, K = {k}")
        gaps.free()


def compare_ranks(lib, judge, random):
    for trial in range(20):
        positives, negatives = draw_scores(random, 40, trial % 3), np.empty((40, 5 * trial), np.float32)
        negatives[:] = draw_scores(random, negatives.size, trial // 3 % 3).reshape(negatives.shape)
        for positive, row, rank in zip(positives, negatives, ogb_ranks(positives, negatives)):
            judge.near("rank", own_rank(lib, positive, row), rank, 0, f"trial {trial}")


def labeling_pairs(random):
    """Every degenerate pair of small labelings, then random ones: even, uneven, related, many clusters."""
    for n in 0, 1, 2, 3, 5, 8:
        some = [np.zeros(n), np.arange(n), np.arange(n) // 2, np.arange(n) % 2, np.minimum(np.arange(n), 1)]
        yield from ((x, y) for x in some for y in some)
    for trial in range(100):
        n = int(random.integers(2, 1200))
        a = random.integers(0, random.integers(1, min(n, 60) + 1), n)
        b = random.integers(0, random.integers(1, n + 1), n)
        if trial % 3 == 1:
            b = np.where(random.random(n) < 0.7, a, b)
        if trial % 3 == 2:
            b = np.minimum(random.geometric(0.2, n), n) - 1
        yield a, b


def compare_labelings(lib, judge, random):
    for a, b in labeling_pairs(random):
        a, b = a.astype(np.uint32), b.astype(np.uint32)
        about = f"{len(a)} things"
        judge.near("NMI", labeling(lib.ni_nmi, a, b), sk.normalized_mutual_info_score(a, b), 1e-12, about)
        judge.near("ARI", labeling(lib.ni_ari, a, b), sk.adjusted_rand_score(a, b), 1e-12, about)
        # Twice all singletons: scikit-learn divides two rounding errors, and gives 0 or 1 depending on n.
        singletons = len(a) > 1 and len(set(a)) == len(set(b)) == len(a)
        expected = 1.0 if singletons else sk.adjusted_mutual_info_score(a, b)
        judge.near("AMI", labeling(lib.ni_ami, a, b), expected, 1e-9, about)


def compare_classes(lib, judge, random):
    for trial in range(60):
        n, classes = int(random.integers(1, 500)), int(random.integers(1, 40))
        truth = random.integers(0, classes, n).astype(np.uint32)
        other = (random.integers(0, classes, n) // (1 + trial % 3)).astype(np.uint32)
        predicted = np.where(random.random(n) < 0.5, truth, other)
        about = f"{n} things, {classes} classes"
        for name, found in zip(("micro", "macro"), f1(lib, truth, predicted, classes)):
            judge.near(f"F1 {name}", found, sk.f1_score(truth, predicted, average=name), 1e-12, about)


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    judge, random = Judge(), np.random.default_rng(7)
    with tempfile.TemporaryDirectory() as folder:
        lib = build(sys.argv[1], folder)
        for compare in compare_pools, compare_ranks, compare_labelings, compare_classes:
            compare(lib, judge, random)
    print(f"{judge.count} comparisons; largest differences:",
          ", ".join(f"{name} {worst:.1e}" for name, worst in judge.worst.items()))
    return 1 if judge.failed else 0


if __name__ == "__main__":
    sys.exit(main())
