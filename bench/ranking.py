"""Ranking one source against all nodes of a large graph, exactly, against the two matrix products that any exact method
must make: X P E' and X E', by NumPy, with X the rows of the source's neighbours. The edges have a direction;
without one a model scores both orders, and everything is done twice."""
import json
import statistics
import sys
import time

from common import Goal, Result, Row, output_of

SOURCES = 12
PAIRS = 200  # few, so that asked again they are in the cache and only the work is measured


# Bounds of scores, which make ranking fast, are for the form of the paper.
PAPERS = ("--alignment", "tanh", "--no-degrees")


def numpy_products(nodes, dim, sizes):
    """Seconds of the two products for each number of neighbours, into memory that is there already."""
    import numpy
    draw = numpy.random.default_rng(7)
    E, P = (draw.standard_normal((rows, dim), numpy.float32) for rows in (nodes, dim))
    seconds = []
    for size in sizes:
        X, A, B = E[:size], numpy.zeros((size, nodes), numpy.float32), numpy.zeros((size, nodes), numpy.float32)
        A += 1
        B += 1
        start = time.perf_counter()
        numpy.matmul(X @ P, E.T, out=A)
        numpy.matmul(X, E.T, out=B)
        seconds.append(time.perf_counter() - start)
    return seconds


def one_against_all(bench):
    nodes, dim, model = bench.short(1_000_000), 128, bench.path("ranking.safetensors")
    graph = bench.generated("er", "--nodes", 1_000_000, "--edges", 10_000_000)
    bench.neap("train", graph, "--method", "gap", *PAPERS, "--dim", dim, "--epochs", 0, "--valid", 0, "-o", model)
    ours = bench.drive("rank_time", model, SOURCES)
    theirs = numpy_products(nodes, dim, ours["neighbours"])
    with_avx2 = json.loads(output_of([sys.executable, __file__, str(nodes), str(dim),
                                      *map(str, ours["neighbours"])], bench.env))
    ratio = statistics.median(mine / other for mine, other in zip(ours["seconds"], theirs))
    medians = [1e3 * statistics.median(seconds) for seconds in (ours["seconds"], theirs, with_avx2, ours["long_seconds"])]
    return Result(ratio, ours | {"nodes": nodes, "dim": dim, "numpy_seconds": theirs, "numpy_avx2_seconds": with_avx2},
                  why="neap %.0f ms, the products alone %.0f ms, with AVX2 as ours %.0f ms; a list so long that all scores "
                      "are made, not only those that bounds leave, takes %.0f ms" % tuple(medians))


def one_pair(bench):
    """A pair of a graph with a hundred times the nodes, and as many neighbours each, over one of the small graph."""
    cases = []
    for nodes in (10_000, 1_000_000):
        graph = bench.generated("er", "--nodes", nodes, "--edges", 10 * nodes)
        model = bench.path("pairs-%d.safetensors" % nodes)
        bench.neap("train", graph, "--method", "gap", *PAPERS, "--dim", 128, "--epochs", 0, "--valid", 0, "-o", model)
        cases.append(bench.drive("pair_time", model, PAIRS))
    small, large = cases
    return Result(large["again"] / small["again"], {"dim": 128, "cases": cases},
                  why="%.1f us a pair, %.1f us in the small graph; pairs that were not asked for before %.1f and %.1f us; a "
                      "query is made in %.0f us" % (large["again"], small["again"], large["first"], small["first"],
                                                    large["query"]))


ROWS = [
    Row("pair", "the score of one pair, asked for alone, 1M nodes and 10,000, d = 128", "time over that in the small graph",
        "times", Goal("at most", 1.5), one_pair),
    Row("ranking", "ranking one source against all of 1M nodes, exactly, d = 128",
        "time over NumPy's two products alone", "times", Goal("at most", 1.5), one_against_all),
]

if __name__ == "__main__":  # the products in a process of their own, where OpenBLAS may be told another CPU
    print(json.dumps(numpy_products(*map(int, sys.argv[1:3]), list(map(int, sys.argv[3:])))))
