#!/usr/bin/python3
"""How the settings of the systems in the paper's tables are chosen: at most six tries a system, on validation pairs.

    bench/tune_systems.py [--build DIR] [--data DIR] [--seconds N] [--threads N] [SYSTEM...]

Cora is split at 55 % with seed 101. Its test pairs are put aside and not looked at here (presets of some text systems
had been shaped on them before: docs/evaluation.md). The training pairs are split once more, nine to one, and each try is
trained on the nine parts and gets the AUC of the tenth: the validation pairs.
That is the same for every system. The best of its tries, the quicker of equals, becomes its line in
programs/paper/settings.def; all tries are kept in docs/results/tuning-systems.txt. A try that takes longer than --seconds
counts as one and has no AUC. Results are reported for seeds 1 to 3 and 11 to 13.

A try is a preset and options that differ from it. gap and its variants have the preset `paper` in the paper's
protocols and `neap`, which was chosen by bench/tune.py, in clean: here they are tried in paper-clean with S and dropout
as the paper has them on Cora. All others have one setting for all protocols, tried in clean.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SEED, SHARE, INNER = 101, 55, 90
MOST = 6

GAP = ["paper lr=3e-3 epochs=30 batch=512", "paper lr=1e-3 epochs=30 batch=512", "paper lr=1e-3 epochs=60 batch=256",
       "paper lr=3e-3 epochs=60 batch=512", "paper lr=1e-2 epochs=15 batch=512", "paper lr=1e-4 epochs=100 batch=64"]
VARIANT = GAP[:4]
WALKS = ["neap epochs=5 window=10", "neap epochs=1 window=10", "neap epochs=1 window=5", "neap epochs=1 window=3",
         "neap epochs=1 window=2", "neap epochs=5 window=2 walks=2"]
TRIES = {
    "gap": GAP,
    "goat": VARIANT,
    "gapcn": VARIANT,
    "gapapn": VARIANT,
    "gapmlp": VARIANT,
    "deepwalk": WALKS,
    "node2vec": WALKS[:4] + ["neap epochs=1 window=4 walks=5", "neap epochs=1 window=3 q=0.5"],
    "walklets": ["neap", "neap epochs=3", "neap epochs=2", "neap epochs=1", "neap epochs=2 window=2", "paper"],
    "line": ["neap", "neap unit=no", "neap unit=no epochs=10 lr=0.01", "neap unit=no epochs=10 lr=0.005", "neap order=1",
             "neap order=2"],
    "splitter": ["neap", "neap epochs=2", "neap personas=labels", "neap personas=labels epochs=2"],
    "verse": ["neap", "neap epochs=20", "neap epochs=60"],
    "attentivewalk": ["neap", "neap epochs=20", "paper", "paper epochs=80", "neap starts=degree"],
    "fastrp": ["neap", "neap dim=200", "neap dim=512"],
    "text": ["neap"],
    "apn": ["neap", "neap lr=3e-3", "neap epochs=40", "neap filters=200", "neap dropout=0", "paper"],
    "tadw": ["neap", "paper", "neap ridge=1", "neap ridge=0.05", "neap text-scale=rows", "neap dim=200 tf=log"],
    "tridnr": ["neap", "paper", "paper epochs=20", "paper text-weight=0.5", "paper window=4", "paper lr=0.025"],
    "cene": ["neap", "neap epochs=200", "neap text-weight=0.3", "neap negatives=5", "neap lr=1e-3", "paper"],
    "cane": ["paper", "neap rho-node=0.3 rho-cross=0.3 lr=1e-3", "neap rho-node=0.3 rho-cross=0.3",
             "neap rho-node=0.3 rho-cross=0.3 score-by=mean", "neap"],
    "dmte": ["neap", "neap lr=3e-3", "neap word-dim=100", "neap min-count=5", "neap batch=64", "paper"],
}
FAMILY = ("gap", "goat", "gapcn", "gapapn", "gapmlp")


def run(neap, *words, seconds=None):
    return json.loads(subprocess.run([neap, *map(str, words), "--json", "-q"], check=True, capture_output=True, text=True,
                                     timeout=seconds).stdout)


def training_pairs(neap, graph, protocol, folder):
    """The file of training pairs of the outer split; its test pairs stay unread."""
    inner = os.path.join(folder, protocol)
    if not os.path.exists(inner):
        run(neap, "eval", "link", graph, "--methods", "none", "--protocol", protocol, "--ratios", SHARE, "--seeds", 1,
            "--seed", SEED, "-o", inner)
    train, = (os.path.join(path, "train.tsv") for path, _, files in os.walk(inner) if "train.tsv" in files)
    return train


def flags(options):
    """name=value as the program takes it."""
    for name, value in options:
        yield from {"yes": ["--" + name], "no": ["--no-" + name]}.get(value, ["--" + name, value])


def parse(text):
    preset, *options = text.split()
    return preset, [tuple(o.split("=", 1)) for o in options]


def validate(args, facts, system, text, folder):
    """AUC on the validation pairs (None: took too long), seconds."""
    family = system in FAMILY
    protocol = "paper-clean" if family else "clean"
    preset, options = parse(text)
    words = ["eval", "link", training_pairs(args.neap, os.path.join(args.data, "cora", "graph.txt"), protocol, folder),
             "--methods", system, "--no-untrained", "--protocol", protocol, "--ratios", INNER, "--seeds", 1, "--seed", SEED,
             "--preset", preset, "-t", args.threads, *flags(options)]
    if family:
        words += ["--neighbors", 100, "--dropout", 0.5]
    if facts["text"]:
        words += ["--text", os.path.join(args.data, "cora", "text.txt"), "--text-by-line"]
    start = time.monotonic()
    try:
        auc = run(args.neap, *words, seconds=args.seconds)["results"][0]["auc"]["mean"]
    except subprocess.TimeoutExpired:
        auc = None
    return auc, time.monotonic() - start


def settings_line(facts, system, text):
    """The line of settings.def: what the two presets of the tables would set otherwise is part of it."""
    preset, options = parse(text)
    named = dict(options)
    if system not in FAMILY:
        for option in facts["options"]:
            if option["neap"] != option["paper"]:
                named.setdefault(option["name"], option[preset])
    words = " ".join("%s=%s" % pair for pair in named.items())
    return 'SYSTEM("%s", "%s", "%s")' % (system, "paper" if system in FAMILY else "", words)


def replace_line(path, system, line):
    with open(path) as file:
        lines = [one for one in file.read().rstrip("\n").split("\n") if not one.startswith('SYSTEM("%s",' % system)]
    with open(path, "w") as file:
        file.write("\n".join(lines + [line]) + "\n")


def keep(path, system, lines):
    """The lines of the other systems stay."""
    before = []
    if os.path.exists(path):
        with open(path) as file:
            before = [one for one in file.read().split("\n") if re.match(r"\S+ +(neap|paper)( |$)", one)]
    others = [one for one in before if one.split()[0] != system]
    order = list(TRIES)
    rows = sorted(others + lines, key=lambda one: order.index(one.split()[0]) if one.split()[0] in order else len(order))
    head = ("AUC on validation pairs of Cora at %d %%, seed %d; * is the line of programs/paper/settings.def. "
            "bench/tune_systems.py says how." % (SHARE, SEED))
    with open(path, "w") as file:
        file.write(head + "\n\n%-14s%-60s%10s%10s\n" % ("system", "preset and options", "AUC", "seconds") +
                   "\n".join(rows) + "\n")


def check(facts, system):
    """Every option of the tries is one of the system's."""
    names = {option["name"] for option in facts["options"]}
    for text in TRIES[system]:
        for name, _ in parse(text)[1]:
            if name not in names:
                sys.exit("%s has no option %s: %s" % (system, name, text))


def tune(args, facts, system, folder):
    tried = []
    for text in TRIES[system][:MOST]:
        auc, seconds = validate(args, facts, system, text, folder)
        tried.append((text, auc, seconds))
        print("%-14s%-60s%10s%10.1f" % (system, text, "too long" if auc is None else "%.4f" % auc, seconds), flush=True)
    measured = [t for t in tried if t[1] is not None]
    best = max(measured, key=lambda t: (round(t[1], 4), -t[2])) if measured else None
    keep(args.log, system, ["%-14s%-60s%10s%10.1f%s" % (system, text, "too long" if auc is None else "%.4f" % auc, seconds,
                                                        " *" if best and text == best[0] else "")
                            for text, auc, seconds in tried])
    if best:
        replace_line(args.settings, system, settings_line(facts, system, best[0]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("systems", nargs="*", metavar="SYSTEM", help="all that this version has, without a name")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="folder with the program")
    parser.add_argument("--data", default=os.environ.get("NEAP_DATA", ""), help="folder with cora/graph.txt, cora/text.txt")
    parser.add_argument("--seconds", type=float, default=600, help="a try may take so long")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--log", default=os.path.join(ROOT, "docs", "results", "tuning-systems.txt"))
    parser.add_argument("--settings", default=os.path.join(ROOT, "programs", "paper", "settings.def"))
    args = parser.parse_args()
    args.neap = os.path.join(args.build, "neap")
    methods = {m["name"]: m for m in run(args.neap, "methods")["methods"]}
    with tempfile.TemporaryDirectory() as folder:
        for system in args.systems or [s for s in TRIES if s in methods]:
            if system not in TRIES or system not in methods:
                sys.exit("%s: no tries are listed, or this version does not have it" % system)
            facts = run(args.neap, "methods", system)["methods"][0]
            check(facts, system)
            tune(args, facts, system, folder)


if __name__ == "__main__":
    main()
