"""Held-out links of the bundled graph: AUC over three seeds, each with its own split (seeds from 101 on: not those the
options were chosen on), for GAP and for the heuristics. There is no goal: it says what the speed is worth."""
import statistics
import time

from common import Result, Row

SEEDS = (101, 102, 103)
HEURISTICS = [("degree product", "pa"), ("common neighbours", "cn"), ("Adamic-Adar", "aa"),
              ("resource allocation", "ra"), ("Katz", "katz"), ("paths of length 3", "l3"),
              ("the same, normalised", "walk3"), ("personalised PageRank", "ppr")]
METHODS = [("GAP", "gap", ()), ("GAP, untrained", "gap", ("--epochs", 0))]
METHODS += [(about, name, ("--method", name)) for about, name in HEURISTICS]


def test(bench, options, seed):
    start = time.perf_counter()
    said = bench.neap("train", bench.paper_graph("debian"), *options, "--seed", seed, "--test", 0.1, "-o",
                      bench.path("model"))
    return said["test"]["auc"], time.perf_counter() - start


def held_out(bench):
    methods = []
    for about, name, options in METHODS:
        if bench.quick and not options:
            options = ("--epochs", 1)
        runs = [test(bench, options, seed) for seed in SEEDS]
        aucs = [auc for auc, _ in runs]
        methods.append({"about": about, "method": name, "auc": statistics.mean(aucs), "std": statistics.stdev(aucs),
                        "seconds": statistics.mean(seconds for _, seconds in runs)})
    return Result(methods[0]["auc"], {"seeds": SEEDS, "methods": methods})


ROWS = [
    Row("held-out", "held-out links of the bundled graph, preset neap", "mean of three seeds", "auc", None, held_out),
]
