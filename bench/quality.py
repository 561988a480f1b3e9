"""Held-out links of the bundled graph: AUC over three seeds, each with its own split (seeds from 101 on: not those the
options were chosen on), for GAP, the other systems and the heuristics, as they come. There is no goal: it says what the
speed is worth."""
import statistics
import time

from common import Goal, Result, Row

SEEDS = (101, 102, 103)
HEURISTICS = [("degree product", "pa"), ("degree of the target", "popularity"), ("common neighbours", "cn"), ("Adamic-Adar", "aa"),
              ("resource allocation", "ra"), ("Katz", "katz"), ("paths of length 3", "l3"),
              ("the same, normalised", "walk3"), ("personalised PageRank", "ppr")]
SYSTEMS = [("GOAT", "goat"), ("DeepWalk", "deepwalk"), ("node2vec", "node2vec"), ("LINE", "line"),
           ("Walklets", "walklets"), ("Watch Your Step", "attentivewalk"), ("Splitter", "splitter"), ("VERSE", "verse"),
           ("FastRP", "fastrp")]
METHODS = [("GAP", "gap", ()), ("GAP, untrained", "gap", ("--epochs", 0))]
METHODS += [(about, name, ("--method", name)) for about, name in SYSTEMS + HEURISTICS]


def test(bench, options, seed):
    start = time.perf_counter()
    said = bench.neap("train", bench.paper_graph("debian"), *options, "--seed", seed, "--test", 0.1, "-o",
                      bench.path("model"))
    return said["test"]["auc"], time.perf_counter() - start


def held_out(bench):
    methods = []
    for about, name, options in METHODS:
        if bench.quick and (not options or name in dict(SYSTEMS).values()):
            options += ("--epochs", 1)
        runs = [test(bench, options, seed) for seed in SEEDS]
        aucs = [auc for auc, _ in runs]
        methods.append({"about": about, "method": name, "auc": statistics.mean(aucs), "std": statistics.stdev(aucs),
                        "seconds": statistics.mean(seconds for _, seconds in runs)})
    return Result(methods[0]["auc"], {"seeds": SEEDS, "methods": methods})


def clean_auc(bench, graph, *options):
    """Of GAP in the clean protocol, at 55 %, mean over three splits."""
    epochs = ("--epochs", 1) if bench.quick else ()
    said = bench.neap("eval", "link", bench.paper_graph(graph), "--ratios", 55, "--seeds", 3, "--methods", "gap",
                      "--no-untrained", *options, *epochs)
    return said["results"][0]["auc"]["mean"]


def large_batches(bench):
    """What the preset's batches of 256 lose against 64, at the same number of epochs; 64 at the better of two rates.
    Batches of 1024 stand beside them, at twice the rate."""
    graphs = []
    for graph in ("cora", "email"):
        small = max(clean_auc(bench, graph, "--batch", 64, "--lr", rate) for rate in ("1e-3", "3e-3"))
        preset, large = clean_auc(bench, graph), clean_auc(bench, graph, "--batch", 1024, "--lr", "6e-3")
        graphs.append({"graph": graph, "batch_64": small, "batch_256": preset, "batch_1024": large})
    return Result(min(100 * (one["batch_256"] - one["batch_64"]) for one in graphs), {"graphs": graphs},
                  why="; ".join("%(graph)s: %(batch_64).3f at 64, %(batch_256).3f at 256, %(batch_1024).3f at 1024"
                                % one for one in graphs))


ROWS = [
    Row("batches", "clean AUC on cora and email at 55 %, three seeds, the preset's batches of 256 against 64",
        "the larger loss, in points", "points", Goal("at least", -0.3), large_batches),
    Row("held-out", "held-out links of the bundled graph, preset neap", "mean of three seeds", "auc", None, held_out),
]
