#!/usr/bin/python3
"""Reading an edge list: neap against python3-igraph, in one run.

Goals: at least 5 times as fast as igraph's edge-list reader, and at most 48 bytes of memory an edge, names
and the whole process included. The file is uncompressed, with integer names: 10 million edges between
1 million nodes, drawn by numpy from a fixed seed.

    bench/read_edges.py [--build DIR] [--edges N] [--runs N]
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)

IGRAPH = """
import sys, time, igraph
start = time.perf_counter()
graph = igraph.Graph.Read_Edgelist(sys.argv[1])
print(time.perf_counter() - start, graph.ecount())
"""


def write_graph(path, edges, nodes):
    import numpy
    draw = numpy.random.default_rng(7)
    with open(path, "w") as out:
        for start in range(0, edges, 500_000):
            pairs = draw.integers(0, nodes, size=(min(500_000, edges - start), 2)).tolist()
            out.writelines(["%d %d\n" % (u, v) for u, v in pairs])


def build_driver(build, folder):
    driver = os.path.join(folder, "read_edges")
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-o", driver, os.path.join(HERE, "read_edges.c"),
                    "-I" + os.path.join(ROOT, "include"), "-L" + build, "-lneap", "-Wl,-rpath," + build], check=True)
    return driver


def measure(command, edges):
    """Seconds that the reader reports, and the peak memory of its process in bytes."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    words = process.stdout.read().split()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode or int(words[1]) != edges:
        sys.exit("%s failed" % command[0])
    return float(words[0]), usage.ru_maxrss * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="folder with libneap.so")
    parser.add_argument("--edges", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "graph.txt")
        write_graph(path, args.edges, max(2, args.edges // 10))
        driver = build_driver(os.path.abspath(args.build), folder)
        neap, igraph = [], []
        for _ in range(args.runs):  # in turn, so that both see the same machine
            neap.append(measure([driver, path], args.edges))
            igraph.append(measure([sys.executable, "-c", IGRAPH, path], args.edges))
    ours, theirs = (statistics.median(run[0] for run in runs) for runs in (neap, igraph))
    ratio = theirs / ours
    per_edge = max(run[1] for run in neap) / args.edges
    print("edges %d, median of %d runs in turn" % (args.edges, args.runs))
    print("%-8s %8.3f s  peak %6.0f MB" % ("neap", ours, max(run[1] for run in neap) / 1e6))
    print("%-8s %8.3f s  peak %6.0f MB" % ("igraph", theirs, max(run[1] for run in igraph) / 1e6))
    print("%-22s %8s %8s  %s" % ("", "measured", "goal", ""))
    print("%-22s %8.2f %8s  %s" % ("times as fast", ratio, ">= 5", "ok" if ratio >= 5 else "missed"))
    print("%-22s %8.1f %8s  %s" % ("bytes an edge, at peak", per_edge, "<= 48", "ok" if per_edge <= 48 else "missed"))
    return 0 if ratio >= 5 and per_edge <= 48 else 1


if __name__ == "__main__":
    sys.exit(main())
