"""Ranking one source against all nodes of a large graph, exactly, against the two matrix products that any exact method
must make: X P E' and X E', by NumPy, with X the rows of the source's neighbours. The edges have a direction;
without one a model scores both orders, and everything is done twice."""
import json
import statistics
import sys
import time

from common import Goal, Result, Row, output_of

SOURCES = 12


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
    bench.neap("train", graph, "--dim", dim, "--epochs", 0, "--valid", 0, "-o", model)
    ours = bench.drive("rank_time", model, SOURCES)
    theirs = numpy_products(nodes, dim, ours["neighbours"])
    with_avx2 = json.loads(output_of([sys.executable, __file__, str(nodes), str(dim),
                                      *map(str, ours["neighbours"])], bench.env))
    ratio = statistics.median(mine / other for mine, other in zip(ours["seconds"], theirs))
    medians = [1e3 * statistics.median(seconds) for seconds in (ours["seconds"], theirs, with_avx2, ours["long_seconds"])]
    return Result(ratio, ours | {"nodes": nodes, "dim": dim, "numpy_seconds": theirs, "numpy_avx2_seconds": with_avx2},
                  why="neap %.0f ms, the products alone %.0f ms, with AVX2 as ours %.0f ms; a list so long that all scores "
                      "are made, not only those that bounds leave, takes %.0f ms" % tuple(medians))


ROWS = [
    Row("ranking", "ranking one source against all of 1M nodes, exactly, d = 128",
        "time over NumPy's two products alone", "times", Goal("at most", 1.5), one_against_all),
]

if __name__ == "__main__":  # the products in a process of their own, where OpenBLAS may be told another CPU
    print(json.dumps(numpy_products(*map(int, sys.argv[1:3]), list(map(int, sys.argv[3:])))))
