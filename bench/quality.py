#!/usr/bin/python3
"""Held-out links of the bundled graph: mean and deviation of the AUC over seeds, each with its own split (seeds from
101 on: not those the options were chosen on), for GAP and for the heuristics.

    bench/quality.py [--build DIR] [--seeds N] [--presets neap,paper,authors]
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GRAPH = os.path.join(ROOT, "data", "debian.tsv.gz")


def run(neap, options, seed, folder):
    start = time.perf_counter()
    said = subprocess.run([neap, "train", GRAPH, *options, "--seed", str(seed), "--test", "0.1", "--json", "-q", "-o",
                           os.path.join(folder, "model.safetensors")],
                          check=True, capture_output=True, text=True).stdout
    return json.loads(said), time.perf_counter() - start


def spread(values):
    return "%.3f +- %.3f" % (statistics.mean(values), statistics.stdev(values) if len(values) > 1 else 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="folder with the program")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--presets", default="neap", help="the published ones take half an hour a seed")
    args = parser.parse_args()
    neap = os.path.join(args.build, "neap")
    rows = [("gap, untrained", ["--epochs", "0"])]
    rows += [("gap, preset " + preset, ["--preset", preset]) for preset in args.presets.split(",")]
    rows += [(name, ["--method", name]) for name in ("pa", "cn", "aa", "ra", "katz", "l3", "walk3", "ppr")]
    print("%-20s %16s %8s" % ("method", "AUC", "seconds"))
    with tempfile.TemporaryDirectory() as folder:
        for name, options in rows:
            runs = [run(neap, options, seed, folder) for seed in range(101, 101 + args.seeds)]
            print("%-20s %16s %8.1f" % (name, spread([r[0]["test"]["auc"] for r in runs]),
                                        statistics.mean(r[1] for r in runs)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
