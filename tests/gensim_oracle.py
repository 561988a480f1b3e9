#!/usr/bin/python3
"""deepwalk, node2vec and walklets against gensim's Word2Vec on exactly the same walks.

    tests/gensim_oracle.py [--build DIR] [--seeds N] [--keep]

Both learn from the training part of the same clean split, and the program measures both vectors on its test pairs. The
graphs are the bundled one and, if NEAP_DATA names the folder of the paper's graphs, Cora. --keep writes what is printed
into docs/results/gensim.txt. Ends with 0 if no mean differs by more than 1.5 points, else with 1; 77: no gensim. Takes
a few minutes.
"""
import argparse
import os
import shutil
import statistics
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "bench"))

try:
    import gensim
    import numpy as np
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

import gensim_walks
from common import Bench, NotRun, cores

SHARE, POINTS, DIM = 55, 1.5, 128
WALKS = ("--walks", "5", "--walk-length", "40", "--epochs", "2")
METHODS = {
    "deepwalk": ("--method", "deepwalk", "--window", "5"),
    "node2vec, p = 0.5, q = 2": ("--method", "node2vec", "--window", "5", "--p", "0.5", "--q", "2"),
    "walklets, 4 scales": ("--method", "walklets", "--window", "4"),
}


def option(words, name):
    return words[words.index(name) + 1]


def our_vectors(bench, graph, words, seed):
    """Trains the program; the vectors, their names beside them."""
    model, path = bench.path("model.safetensors"), bench.path("ours.npy")
    bench.neap("train", graph, *words, "--dim", DIM, "--seed", seed, "-o", model)
    bench.neap("embed", model, "-o", path)
    return path


def walks_of(bench, graph, words, seed):
    """All walks of the run, those of all epochs one after the other."""
    path = bench.path("walks.bin")
    plain = [word.removeprefix("--") for word in words]
    said = bench.drive("walks", graph, path, *plain, "seed", seed)
    return said["nodes"], np.fromfile(path, np.uint32).reshape(-1, said["length"])


def strides(walks, nodes, scale):
    """Sentences in which neighbours are `scale` steps apart."""
    return [text for first in range(scale) for text in gensim_walks.sentences(walks[:, first::scale], nodes)]


def their_vectors(bench, graph, words, seed):
    nodes, walks = walks_of(bench, graph, words, seed)
    window, path = int(option(words, "--window")), bench.path("theirs.npy")
    if option(words, "--method") == "walklets":
        models = [gensim_walks.train(strides(walks, nodes, scale), DIM // window, 1, cores(), seed)
                  for scale in range(1, window + 1)]
    else:
        models = [gensim_walks.train(gensim_walks.sentences(walks, nodes), DIM, window, cores(), seed)]
    np.save(path, np.hstack([gensim_walks.vectors(model, nodes) for model in models]))
    shutil.copy(bench.path("ours.names.txt"), bench.path("theirs.names.txt"))
    return path


def auc(bench, graph, split, vectors):
    """In points. A node without a training edge has a zero vector on both sides."""
    said = bench.neap("eval", "link", graph, "--methods", "none", "--split", split, "--vectors", vectors,
                      "--allow-missing")
    return 100 * said["results"][0]["auc"]["mean"]


def differences(bench, graph, splits, words, seeds):
    """AUC of ours and of theirs for each seed."""
    ours, theirs = [], []
    for seed in range(1, seeds + 1):
        split = os.path.join(splits, "clean-uniform-%d-seed%d" % (SHARE, seed))
        train = os.path.join(split, "train.tsv")
        ours.append(auc(bench, graph, split, our_vectors(bench, train, words, seed)))
        theirs.append(auc(bench, graph, split, their_vectors(bench, train, words, seed)))
    return ours, theirs


def compare(bench, name, graph, seeds, say):
    """Says the lines of a graph; the largest difference of two means."""
    worst, splits = 0, bench.path("splits-" + name)
    bench.neap("eval", "link", graph, "--methods", "none", "--ratios", SHARE, "--seeds", seeds, "-o", splits)
    for method, words in METHODS.items():
        ours, theirs = differences(bench, graph, splits, words + WALKS, seeds)
        apart = [a - b for a, b in zip(ours, theirs)]
        mean = statistics.mean(apart)
        worst = max(worst, abs(mean))
        say("%-10s %-26s %8.2f %8.2f %+8.2f   (%s)%s" % (
            name, method, statistics.mean(ours), statistics.mean(theirs), mean,
            ", ".join("%+.2f" % x for x in apart), "   TOO FAR" if abs(mean) > POINTS else ""))
    return worst


def compare_all(bench, seeds, say):
    worst = 0
    say("AUC in points, clean split at %d %%, mean of %d seeds (each); d = %d, %s; gensim %s" % (
        SHARE, seeds, DIM, " ".join(WALKS), gensim.__version__))
    say("%-10s %-26s %8s %8s %8s" % ("graph", "method", "neap", "gensim", "apart"))
    for name in ("debian", "cora"):
        try:
            worst = max(worst, compare(bench, name, bench.paper_graph(name), seeds, say))
        except NotRun as reason:
            say("%-10s not run: %s" % (name, reason))
    say("the largest difference is %.2f points; at most %.1f are allowed" % (worst, POINTS))
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="folder with the program and the library")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--keep", action="store_true", help="write docs/results/gensim.txt")
    args = parser.parse_args()
    said = ["$ tests/gensim_oracle.py --seeds %d" % args.seeds]

    def say(line):
        said.append(line)
        print(line, flush=True)

    with tempfile.TemporaryDirectory() as folder:
        worst = compare_all(Bench(args.build, folder), args.seeds, say)
    if args.keep:
        with open(os.path.join(ROOT, "docs", "results", "gensim.txt"), "w") as out:
            out.writelines(line + "\n" for line in said)
    return 0 if worst <= POINTS else 1


if __name__ == "__main__":
    sys.exit(main())
