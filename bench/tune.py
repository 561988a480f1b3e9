#!/usr/bin/python3
"""How the preset `neap` was chosen, and what other settings are worth: validation AUC of one after the other.

    bench/tune.py [--build DIR] [--data DIR] [--seed FIRST] [--seeds N] [--shares 55,90] [METHOD...]

Each line is a setting, each column a graph at a share of its pairs; the number is the AUC on the validation pairs, a
tenth of the training pairs, mean over the seeds: for gap that of the best epoch, for others that of the last, as they
train by default. Test pairs are split off first and never looked at. The seeds are 1001 and on, or what --seed says,
and results are reported on others; the graphs are the same, so some of the pairs that validate here are test pairs there. Lines of gap
and of others must not be compared: gap's is the largest over the epochs, and the graph that others validate on lacks the
nodes without a training pair.

gap-recipe is gap with what the paper does not have (docs/math.md, 21):

    bench/tune.py --seed 101 --seeds 1 --graphs cora,debian gap-recipe >docs/results/tuning-gap.txt
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

WINDOWS = ["--epochs 5 --window 10", "--epochs 1 --window 10", "--epochs 1 --window 5", "--epochs 1 --window 3",
           "--epochs 1 --window 2"]
RECIPE = ("--epochs 60 --lr 3e-3 --mask --sides 1 --degrees --alignment scaled --objective logistic --negatives 2 "
          "--weight-decay 0.3")
PAPER = ("--epochs 60 --lr 3e-3 --no-mask --sides 1 --no-degrees --alignment tanh --objective margin --negatives 1 "
         "--weight-decay 0")
SETTINGS = {
    "gap-recipe": [PAPER] + [" ".join((RECIPE, change)).strip() for change in (
        "", "--attention uniform", "--no-mask", "--sides 2", "--no-degrees", "--alignment tanh", "--objective margin",
        "--weight-decay 0", "--negatives 1", "--self", "--lr 1e-2")],
    "gap": ["", "--self", "--dropout 0", "--dropout 0.25", "--epochs 60", "--dim 200", "--padding zero",
            "--lr 1e-3 --epochs 60", "--margin 0.5", "--margin 2", "--negatives 4", "--batch 512", "--decay linear",
            "--undirected"],
    "deepwalk": WINDOWS,
    "node2vec": WINDOWS,
    "walklets": ["--epochs 5 --window 4", "--epochs 2 --window 4", "--epochs 1 --window 4", "--epochs 2 --window 2"],
    "line": ["--unit --epochs 5", "--no-unit --epochs 5", "--no-unit --epochs 5 --lr 0.01",
             "--no-unit --epochs 10 --lr 0.005", "--order 1 --epochs 5", "--order 2 --epochs 5"],
    "splitter": ["--personas %s --epochs %d" % (personas, epochs) for personas in ("components", "labels")
                 for epochs in (1, 2)],
    "verse": ["--epochs 5", "--epochs 20", "--epochs 60"],
    "attentivewalk": ["--epochs 20", "--epochs 80"],
}


def said_by(neap, *words):
    return json.loads(subprocess.run([neap, *map(str, words), "--json", "-q"], check=True, capture_output=True,
                                     text=True).stdout)


def best_epoch(neap, graph, share, options, seed, folder):
    return said_by(neap, "train", graph, "--method", "gap", *options.split(), "--seed", seed,
                   "--test", round(1 - share / 100, 4), "--valid", 0.1, "-o", os.path.join(folder, "model.safetensors"))["valid_auc"]


def last_epoch(neap, graph, share, method, options, seed, folder):
    """Of a split of the training pairs of a split."""
    inner = os.path.join(folder, "%d-%d-%s" % (share, seed, os.path.basename(os.path.dirname(graph))))
    if not os.path.exists(inner):
        said_by(neap, "eval", "link", graph, "--methods", "none", "--ratios", share, "--seeds", 1, "--seed", seed,
                "-o", inner)
    train, = (os.path.join(path, "train.tsv") for path, _, files in os.walk(inner) if "train.tsv" in files)
    return said_by(neap, "eval", "link", train, "--methods", method, "--no-untrained", "--ratios", 90, "--seeds", 1,
                   "--seed", seed, *options.split())["results"][0]["auc"]["mean"]


def validation_auc(neap, graph, share, method, options, seed, folder):
    if method in ("gap", "gap-recipe"):
        return best_epoch(neap, graph, share, options, seed, folder)
    return last_epoch(neap, graph, share, method, options, seed, folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("methods", nargs="*", metavar="METHOD", default=["gap"], help="of " + ", ".join(SETTINGS))
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="folder with the program")
    parser.add_argument("--data", default=os.environ.get("NEAP_DATA", ""), help="folder of cora, email, zhihu")
    parser.add_argument("--graphs", default="debian,email,cora")
    parser.add_argument("--seed", type=int, default=1001, help="the first one")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--shares", default="55")
    parser.add_argument("--settings", default=None, help="only these, with ; between")
    args = parser.parse_args()
    neap = os.path.join(args.build, "neap")
    files = {"debian": os.path.join(ROOT, "data", "debian.tsv.gz")}
    files.update((g, os.path.join(args.data, g, "graph.txt")) for g in ("email", "cora", "zhihu"))
    columns = [(g, int(s)) for g in args.graphs.split(",") for s in args.shares.split(",")]
    if "gap-recipe" in args.methods:
        print("paper: %s\nrecipe: %s\n" % (PAPER, RECIPE))
    print("%-50s" % "validation AUC" + "".join("%12s" % ("%s %d" % c) for c in columns) + "%12s" % "mean", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for method in args.methods:
            for options in SETTINGS[method] if args.settings is None else args.settings.split(";"):
                row = [statistics.mean(validation_auc(neap, files[g], share, method, options, args.seed + i, folder)
                                       for i in range(args.seeds)) for g, share in columns]
                said = options.replace(RECIPE, "recipe").replace(PAPER, "paper")
                print("%-50s" % (method + " " + (said or "as it is")) +
                      "".join("%12.4f" % x for x in row + [statistics.mean(row)]), flush=True)


if __name__ == "__main__":
    main()
