"""Reading an edge list against python3-igraph. The file is uncompressed, with integer names: 10 million edges between
1 million nodes, drawn by NumPy from a fixed seed."""
import functools
import os
import statistics
import sys

from common import Goal, Result, Row, peak_of

IGRAPH = """
import sys, time, igraph
start = time.perf_counter()
graph = igraph.Graph.Read_Edgelist(sys.argv[1])
print(time.perf_counter() - start, graph.ecount())
"""


def edge_list(bench, edges=10_000_000):
    """The file, and the number of its edges; made once."""
    import numpy
    edges, path = bench.short(edges), bench.path("edges.txt")
    if os.path.exists(path):
        return path, edges
    draw = numpy.random.default_rng(7)
    with open(path, "w") as out:
        for start in range(0, edges, 500_000):
            pairs = draw.integers(0, edges // 10, size=(min(500_000, edges - start), 2)).tolist()
            out.writelines(["%d %d\n" % (u, v) for u, v in pairs])
    return path, edges


def read_with(command, edges):
    """Seconds that the reader reports, and the peak memory of its process in bytes."""
    said, peak = peak_of(command)
    seconds, count = said.split()
    if int(count) != edges:
        raise RuntimeError("%s read %s edges" % (command[0], count))
    return {"seconds": float(seconds), "peak": peak}


@functools.lru_cache(maxsize=None)
def readers(bench):
    path, edges = edge_list(bench)
    runs = {"neap": [], "igraph": []}
    for _ in range(3):  # in turn, so that both see the same machine
        runs["neap"].append(read_with([bench.driver("read_edges"), path], edges))
        runs["igraph"].append(read_with([sys.executable, "-c", IGRAPH, path], edges))
    return edges, runs


def speed(bench):
    _, runs = readers(bench)
    ours, theirs = (statistics.median(run["seconds"] for run in runs[who]) for who in ("neap", "igraph"))
    return Result(theirs / ours, runs, why="neap %.2f s, igraph %.2f s" % (ours, theirs))


def memory(bench):
    edges, runs = readers(bench)
    peak = max(run["peak"] for run in runs["neap"])
    return Result(peak / edges, runs, why="%.0f MB" % (peak / 1e6))


ROWS = [
    Row("read-speed", "reading 10 million edges, integer names", "seconds against python3-igraph", "times",
        Goal("at least", 5), speed),
    Row("read-memory", "reading 10 million edges, integer names", "peak memory an edge, whole process", "bytes",
        Goal("at most", 48), memory),
]
