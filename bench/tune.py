#!/usr/bin/python3
"""How the preset `neap` was chosen: validation AUC of one change at a time, and of what remained together.

    bench/tune.py [--build DIR] [--data DIR] [--seeds N] [--shares 55,90]

Each line is a setting, each column a graph at a share of its pairs; the number is the AUC on the validation pairs (a
tenth of the training pairs) of the best epoch, mean over the seeds. Test pairs are split off first and never looked
at. The seeds are 1001 and on, and results are reported on others; the graphs are the same, so some of the pairs that
validate here are test pairs there.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

SETTINGS = [
    "",
    "--self",
    "--dropout 0",
    "--dropout 0.25",
    "--epochs 60",
    "--dim 200",
    "--padding zero",
    "--lr 1e-3 --epochs 60",
    "--margin 0.5",
    "--margin 2",
    "--negatives 4",
    "--batch 512",
    "--decay linear",
    "--undirected",
]


def validation_auc(neap, graph, share, options, seed, folder):
    said = subprocess.run([neap, "train", graph, *options.split(), "--seed", str(seed), "--test",
                           str(round(1 - share / 100, 4)), "--valid", "0.1", "--json", "-q", "-o",
                           os.path.join(folder, "model.safetensors")],
                          check=True, capture_output=True, text=True).stdout
    return json.loads(said)["valid_auc"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="folder with the program")
    parser.add_argument("--data", default=os.environ.get("NEAP_DATA", ""), help="folder of cora, email, zhihu")
    parser.add_argument("--graphs", default="debian,email,cora")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--shares", default="55")
    parser.add_argument("--settings", default=None, help="only these, with ; between")
    args = parser.parse_args()
    neap = os.path.join(args.build, "neap")
    files = {"debian": os.path.join(ROOT, "data", "debian.tsv.gz")}
    files.update((g, os.path.join(args.data, g, "graph.txt")) for g in ("email", "cora", "zhihu"))
    columns = [(g, int(s)) for g in args.graphs.split(",") for s in args.shares.split(",")]
    settings = SETTINGS if args.settings is None else args.settings.split(";")
    print("%-40s" % "validation AUC" + "".join("%12s" % ("%s %d" % c) for c in columns) + "%12s" % "mean", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for options in settings:
            row = [statistics.mean(validation_auc(neap, files[g], share, options, 1001 + i, folder)
                                   for i in range(args.seeds)) for g, share in columns]
            print("%-40s" % (options or "as it is") + "".join("%12.4f" % x for x in row + [statistics.mean(row)]),
                  flush=True)


if __name__ == "__main__":
    main()
