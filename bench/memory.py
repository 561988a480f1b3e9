#!/usr/bin/python3
"""Memory of training against what `neap estimate` said, on three graphs of different shape.

Goal: the peak of the process is at most 1.25 times the estimate.

    bench/memory.py [--build DIR]
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GOAL = 1.25

# Evenly spread; hubs; small and real. The options make different parts the largest: tables, batches, graph.
CASES = [
    ("er, 200,000 nodes, 1,000,000 edges", ["er", "--nodes", "200000", "--edges", "1000000"], ["--dim", "64"]),
    ("ba, 50,000 nodes, 10 links each", ["ba", "--nodes", "50000", "--links", "10"],
     ["--dim", "128", "--batch", "1024", "--optimizer", "adagrad"]),
    ("Debian's dependencies", None, []),
]


def peak_of(command):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit("failed: " + " ".join(command))
    return usage.ru_maxrss * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="folder with the program")
    neap = os.path.join(parser.parse_args().build, "neap")
    worst = 0
    print("%-40s %10s %10s %7s" % ("graph", "estimate", "peak", "ratio"))
    with tempfile.TemporaryDirectory() as folder:
        for name, generated, options in CASES:
            graph = os.path.join(ROOT, "data", "debian.tsv.gz")
            if generated:
                graph = os.path.join(folder, "graph.txt")
                subprocess.run([neap, "generate", *generated, "-o", graph, "-q"], check=True)
            said = subprocess.run([neap, "estimate", graph, *options, "--json", "-q"], check=True,
                                  capture_output=True, text=True).stdout
            estimate = json.loads(said)["bytes"]
            model = os.path.join(folder, "model.safetensors")
            peak = peak_of([neap, "train", graph, *options, "--epochs", "1", "-o", model, "-q"])
            worst = max(worst, peak / estimate)
            print("%-40s %7.0f MB %7.0f MB %7.2f" % (name, estimate / 1e6, peak / 1e6, peak / estimate), flush=True)
    print("%-40s %10s %10.2f %7s" % ("largest ratio, goal <= %.2f" % GOAL, "", worst, "ok" if worst <= GOAL else "missed"))
    return 0 if worst <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
