#!/usr/bin/env python3
"""Hashes of every tensor and of 100 scores, for every method and preset, and for variants of the engine.

usage: run.py NEAP     prints one line for each; tests/cli/golden.sh compares them with golden.txt

The rebuilding of the house (issue 14) must not change them; where it does, the changelog says which and why.
"""
import hashlib
import json
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

NEAP = sys.argv[1]
PRESETS = ["neap", "paper", "authors"]
BRIEF = ["--dim", "16", "--epochs", "3", "--walks", "2", "--walk-length", "12", "--window", "4"]
HEURISTICS = {"pa", "popularity", "cn", "aa", "ra", "katz", "l3", "walk3", "ppr"}

VARIANTS = {  # name: (graph, options)
    "gap-mean": ("directed", ["--pooling", "mean", "--dropout", "0.3"]),
    "gap-vector": ("directed", ["--padding", "vector", "--neighbors", "9"]),
    "gap-vector-mean": ("directed", ["--padding", "vector", "--pooling", "mean", "--neighbors", "9"]),
    "gap-zero": ("directed", ["--padding", "zero", "--neighbors", "9"]),
    "gap-occurrence": ("directed", ["--dropout-per", "occurrence"]),
    "gap-undirected": ("undirected", ["--undirected"]),
    "gap-undirected-zero": ("undirected", ["--undirected", "--padding", "zero", "--neighbors", "9"]),
    "gap-weighted": ("weighted", []),
    "gap-no-matrix": ("directed", ["--no-matrix"]),
    "gap-logistic": ("directed", ["--objective", "logistic"]),
    "gap-adagrad": ("directed", ["--optimizer", "adagrad"]),
    "gap-adam-decay": ("directed", ["--optimizer", "adam", "--decay", "linear"]),
    "gap-valid": ("directed", ["--valid", "0.2", "--patience", "1", "--epochs", "6"]),
    "gap-degree": ("directed", ["--negative-sampling", "degree", "--no-reject-links", "--no-shuffle"]),
    "gap-self": ("loops", ["--self", "--self-loops"]),
    "gap-large-batch": ("directed", ["--batch", "4096", "--dim", "40"]),
    "gap-small-batch": ("directed", ["--batch", "7"]),
    "gap-k3": ("directed", ["--negatives", "3"]),
    "gap-k3-logistic": ("directed", ["--negatives", "3", "--objective", "logistic"]),
    "goat-undirected": ("undirected", ["--method", "goat", "--undirected"]),
    "goat-k3": ("directed", ["--method", "goat", "--negatives", "3"]),
    "deepwalk-hs": ("weighted", ["--method", "deepwalk", "--loss", "hs"]),
    "deepwalk-both": ("directed", ["--method", "deepwalk", "--loss", "both", "--sample", "1e-3"]),
    "deepwalk-valid": ("directed", ["--method", "deepwalk", "--valid", "0.2"]),
    "node2vec-pq": ("weighted", ["--method", "node2vec", "--p", "0.5", "--q", "2"]),
    "node2vec-along": ("directed", ["--method", "node2vec", "--p", "4", "--q", "0.25", "--along"]),
    "walklets-sample": ("directed", ["--method", "walklets", "--sample", "1e-3"]),
    "line-1": ("weighted", ["--method", "line", "--order", "1"]),
    "line-2": ("directed", ["--method", "line", "--order", "2", "--along"]),
    "line-no-unit": ("directed", ["--method", "line", "--no-unit"]),
    "line-valid": ("directed", ["--method", "line", "--valid", "0.2"]),
    "attentive-degree": ("directed", ["--method", "attentivewalk", "--starts", "degree", "--pair-score", "concat"]),
    "attentive-valid": ("undirected", ["--method", "attentivewalk", "--undirected", "--valid", "0.2"]),
    "splitter-valid": ("directed", ["--method", "splitter", "--valid", "0.2", "--personas", "labels"]),
    "splitter-average": ("directed", ["--method", "splitter", "--persona-score", "average", "--lambda", "0.5"]),
    "fastrp-weights": ("weighted", ["--method", "fastrp", "--hop-weights", "1,0.5,2", "--beta", "-0.5"]),
    "verse-restart": ("directed", ["--method", "verse", "--restart", "0.4"]),
}


def neap(*args):
    done = subprocess.run([NEAP, *args], capture_output=True)
    if done.returncode:
        sys.exit(f"neap {' '.join(args)}: {done.stderr.decode()}")
    return done.stdout


def digest(data):
    return hashlib.sha256(data).hexdigest()[:24]


def tensors(path):
    """Name, type, shape and bytes of each tensor of a safetensors file."""
    data = Path(path).read_bytes()
    length, = struct.unpack("<Q", data[:8])
    for name, entry in sorted(json.loads(data[8:8 + length]).items()):
        if name != "__metadata__":
            first, end = (8 + length + offset for offset in entry["data_offsets"])
            yield name, entry["dtype"], entry["shape"], data[first:end]


def make_graphs(folder):
    """Small graphs, from no generator but a formula: 150 nodes in five blocks."""
    edges, state = [], 12345
    for u in range(150):
        for v in range(150):
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            chance = 0.18 if u // 30 == v // 30 else 0.012
            if u != v and (state >> 40) / 2**24 < chance:
                edges.append((u, v, 1 + (state >> 33) % 5))
    text = "".join(f"n{u}\tn{v}\n" for u, v, _ in edges)
    (folder / "directed").write_text(text)
    (folder / "undirected").write_text(text)
    (folder / "loops").write_text(text + "n3\tn3\nn70\tn70\n")
    (folder / "weighted").write_text("".join(f"n{u}\tn{v}\t{w}\n" for u, v, w in edges))
    pairs = [(u * 7 % 150, (u * u + 11 * u + 3) % 150) for u in range(100)]
    (folder / "pairs").write_text("".join(f"n{u}\tn{v}\n" for u, v in pairs if u != v))
    (folder / "new").write_text("newcomer\tn1\nn5\tnewcomer\nnewcomer\tn77\nother\tn140\n")


def answers(model, pairs, new, vectors, explains):
    """What can be asked of a model, each as bytes."""
    yield "scores", neap("score", model, pairs)
    yield "ranks", neap("rank", model, "n1", "n2", "n77", "-k", "5")
    yield "ranks-new", neap("rank", model, "newcomer", "--new-edges", new, "-k", "5")
    if vectors:
        neap("embed", model, "-o", model + ".npy")
        yield "vectors", Path(model + ".npy").read_bytes()
    if explains:
        yield "why", neap("explain", model, "n1", "n2", "--json")
        neap("embed", model, "--context", "n7", "-o", model + ".npy")
        yield "context", Path(model + ".npy").read_bytes()


def main():
    methods = json.loads(neap("methods", "--json"))["methods"]
    runs = []
    for method in methods:
        for preset in PRESETS:
            runs.append((f"{method['name']}-{preset}", "directed",
                         ["--method", method["name"], "--preset", preset, *BRIEF]))
    for name, (graph, options) in VARIANTS.items():
        given = [o for o in options if o.startswith("--")]
        brief = [x for o, v in zip(BRIEF[::2], BRIEF[1::2]) if o not in given for x in (o, v)]
        valid = [] if "--valid" in given else ["--valid", "0"]
        runs.append((name, graph, [*brief, *valid, *options]))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_graphs(folder)
        for name, graph, options in runs:
            model = str(folder / "model")
            method = options[options.index("--method") + 1] if "--method" in options else "gap"
            neap("train", str(folder / graph), "-o", model, "--threads", "2", *options)
            for tensor, dtype, shape, data in tensors(model):
                print(name, tensor, dtype, "x".join(map(str, shape)), digest(data))
            for what, data in answers(model, str(folder / "pairs"), str(folder / "new"),
                                      method not in HEURISTICS,
                                      method in ("gap", "goat", "splitter") and name != "splitter-valid"):
                print(name, what, "answer", "-", digest(data))


main()
