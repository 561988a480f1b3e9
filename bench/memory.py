"""Memory of training gap: against what `neap estimate` said, and against the least that a large run can do with."""
import reading
from common import Goal, Result, Row, peak_of

# Evenly spread; hubs; small and real. The options make different parts the largest: tables, batches, graph.
CASES = [
    ("er, 200,000 nodes, 1,000,000 edges", ("er", "--nodes", 200_000, "--edges", 1_000_000), ("--dim", 64)),
    ("ba, 50,000 nodes, 10 links each", ("ba", "--nodes", 50_000, "--links", 10),
     ("--dim", 128, "--batch", 1024, "--optimizer", "adagrad")),
    ("Debian's dependencies", None, ()),
]


def against_estimate(bench):
    """The largest peak over its estimate."""
    cases = []
    for name, words, options in CASES:
        path = bench.generated(*words) if words else bench.paper_graph("debian")
        options = ("--method", "gap", *options)
        estimate = bench.neap("estimate", path, *options)["bytes"]
        _, peak = peak_of([bench.program, "train", path, *options, "--epochs", 1, "-o", bench.path("model"), "-q"])
        cases.append({"graph": name, "estimate": estimate, "peak": peak, "ratio": peak / estimate})
    worst = max(cases, key=lambda case: case["ratio"])
    return Result(worst["ratio"], {"cases": cases}, why="%.0f MB on %s" % (worst["peak"] / 1e6, worst["graph"]))


def large(bench):
    """Adam on all rows touches all of its state in the first step, so that a few steps show the peak of the whole run.
    Ctrl-C then makes it write its checkpoint, which is part of it."""
    dim = 128
    path, _ = reading.edge_list(bench)
    graph = bench.neap("info", path)
    _, peak = peak_of([bench.program, "train", path, "--method", "gap", "--dim", dim, "--optimizer", "adam",
                       "--valid", 0, "--batch", 1024, "--progress", "always", "-o", bench.path("model")], ("edges/s", bench.short(20.0)))
    nodes, edges = graph["nodes"], graph["edges"]
    parts = {"table": 4 * dim * nodes, "optimizer": 8 * dim * nodes, "csr": 8 * (nodes + 1) + 4 * edges}
    least = sum(parts.values())
    return Result(peak / least, {"peak": peak, "nodes": nodes, "edges": edges, **parts},
                  why="%.0f MB beyond the %.0f MB of table, optimiser and CSR" % ((peak - least) / 1e6, least / 1e6))


ROWS = [
    Row("memory-estimate", "peak memory of training, three graphs", "the largest, over `neap estimate`", "times",
        Goal("at most", 1.25), against_estimate),
    Row("memory-10m", "peak memory of training, 10M edges, 1M nodes, d = 128, Adam", "over table + optimiser + CSR",
        "times", Goal("at most", 1.3), large),
]
