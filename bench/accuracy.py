#!/usr/bin/python3
"""What method `evidence` predicts, beside every other method: the cells behind docs/results/accuracy.md.

    bench/accuracy.py [--build DIR] [--data DIR] [--hours X] [--dry-run | --report] [PART...]

--data (or NEAP_DATA) is the folder of the paper's graphs. A cell is one training on one split, kept as
docs/results/accuracy/NAME.json as soon as it is measured; what is there is not run again, so that a run can be
interrupted and repeated. A cell is removed by whoever changes what its method computes. Of the paper's graphs the
cells of other methods are those of `neap reproduce`, docs/results/cells; the settings of methods are the same
(programs/paper/settings.def). At the end, and alone with --report, the page is written (accuracy_page.py).

Protocol clean; seeds 11 to 13, on which nothing was chosen. Parts, in this order:
"""
import argparse
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import accuracy_page
import curves
from accuracy_plan import GRAPHS, HEURISTICS, PUBLISHED, SEEDS, SHARES, TRAINED

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
CELLS = os.path.join(ROOT, "docs", "results", "accuracy")
PAPER_CELLS = os.path.join(ROOT, "docs", "results", "cells")
CELL_SECONDS = 1800  # a method that takes longer has no cell, and the page says so


class Cell:
    """name: of its file; command: what is run, with JSON as its answer; keep: what is kept of that."""

    def __init__(self, name, command, keep, program="neap"):
        """program: in the folder of the build. `neap` is asked for JSON, a driver of bench/ gives nothing else."""
        self.name, self.command, self.keep = name, command, keep
        self.words = [program, *map(str, command)] + (["--json", "--progress", "never"] if program == "neap" else [])
        self.path = os.path.join(CELLS, name + ".json")


def settings(method, path=os.path.join(ROOT, "programs", "paper", "settings.def")):
    """The options of a method in the tables of clean."""
    with open(path, encoding="utf-8") as file:
        for name, protocols, options in re.findall(r'^SYSTEM\("(\w+)", "(.*?)", "(.*?)"\)', file.read(), re.M):
            if name == method and protocols in ("", "clean"):
                pairs = [option.split("=") for option in options.split()]
                return [word for key, value in pairs for word in
                        ({"yes": ["--" + key], "no": ["--no-" + key]}.get(value) or ["--" + key, value])]
    return []


def graph_words(graph, data):
    """The graph and, where its nodes have some, its texts."""
    if graph == "debian":
        return [os.path.join(ROOT, "data", "debian.tsv.gz")]
    words = [os.path.join(data, graph.split("-")[0], "graph.txt")]
    if graph.endswith("-text"):
        words += ["--text", os.path.join(data, "cora", "text.txt"), "--text-by-line"]
    return words


def only_result(said):
    (result,) = said["results"]
    return result


def all_results(said):
    return said["results"]


def link(graph, data, method, share, seed, *more, name="link", keep=only_result):
    words = ["eval", "link", *graph_words(graph, data), "--methods", method, "--ratios", share, "--seed", seed,
             "--seeds", 1, "--no-untrained", *settings(method), *more]
    return Cell("-".join([name, graph, method, str(share), str(seed)]), words, keep)


def heuristics(graph, data, share, seed, *more, name="link"):
    """All in one cell: they are quick."""
    cell = link(graph, data, ",".join(HEURISTICS), share, seed, *more, name=name, keep=all_results)
    return Cell("-".join([name, graph, "heuristics", str(share), str(seed)]), cell.command, all_results)


def links(data):
    """evidence on all graphs"""
    for seed, share, graph in itertools.product(SEEDS, SHARES, GRAPHS):
        yield link(graph, data, "evidence", share, seed)


def others(data):
    """all other methods on the bundled graph"""
    for seed, share in itertools.product(SEEDS, SHARES):
        yield heuristics("debian", data, share, seed)
    for method, seed, share in itertools.product(TRAINED, SEEDS, SHARES):
        yield link("debian", data, method, share, seed)


def text_links(data):
    """the methods that read text, and what `reproduce` has no cells of"""
    for seed, share in itertools.product(SEEDS, SHARES):
        yield link("cora-text", data, "text", share, seed)


def published(data):
    """splits that are in circulation, five of each graph"""
    for graph, split in itertools.product(PUBLISHED, range(1, 6)):
        words = ["eval", "link", "--pairs", os.path.join(data, "links", graph, str(split)), "--undirected",
                 "--methods", "evidence," + ",".join(HEURISTICS), "--no-untrained"]
        yield Cell("published-%s-%d" % (graph, split), words, all_results)


def ablation(data):
    """evidence without one of its groups, at 55 %"""
    for seed, graph in itertools.product(SEEDS, GRAPHS):
        yield link(graph, data, "evidence", 55, seed, "--ablate", name="ablation", keep=all_results)


def negatives(data):
    """against popular and near non-links, at 55 %"""
    graphs = [graph for graph in GRAPHS if not graph.endswith("-text")]
    splits = list(itertools.product(SEEDS, ("degree", "two-hop"), graphs))
    cell = lambda method, seed, kind, graph, *more, name="negatives": link(
        graph, data, method, 55, seed, "--test-negatives", kind, *more, name="%s-%s" % (name, kind))
    for seed, kind, graph in splits:
        yield cell("evidence", seed, kind, graph, "--negative-sampling", kind, name="matched")
        yield cell("evidence", seed, kind, graph)
        yield heuristics(graph, data, 55, seed, "--test-negatives", kind, name="negatives-" + kind)
    for method, split in itertools.product(TRAINED, splits):
        yield cell(method, *split)


def labels(graph, data):
    """The classes of a graph's nodes, as eval reads them."""
    if graph == "debian":
        return ["--labels", os.path.join(ROOT, "data", "debian-sections.tsv.gz")]
    words = ["--labels", os.path.join(data, graph, "labels.txt")]
    return words + (["--by-line"] if graph == "cora" else [])


def classes(data):
    """clusters and classes by the vectors"""
    for method, seed, graph, task in itertools.product(("evidence",) + TRAINED, SEEDS, ("email", "cora", "debian"),
                                                       ("cluster", "classify")):
        words = ["eval", task, *graph_words(graph, data), *labels(graph, data), "--methods", method, "--ratios", 100,
                 "--seed", seed, "--seeds", 1, *settings(method)]
        yield Cell("-".join([task, graph, method, str(seed)]), words, all_results)


def reasons(data):
    """whether the reasons of evidence are faithful, at 55 %"""
    for seed, graph in itertools.product(SEEDS, GRAPHS):
        path, *text = graph_words(graph, data)
        yield Cell("reasons-%s-%d" % (graph, seed), [55, seed, 500, path, *text[1:2]], lambda said: said,
                   os.path.join("tests", "bench_reasons"))


PARTS = {"links": links, "published": published, "text": text_links, "reasons": reasons, "others": others,
         "ablation": ablation, "negatives": negatives, "classes": classes}


def run(cell, build):
    """Measures a cell and keeps it, whole or not at all. False: it did not end well, or not in time."""
    words = [os.path.join(build, cell.words[0]), *cell.words[1:]]
    begun = time.monotonic()
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=CELL_SECONDS)
    except subprocess.TimeoutExpired:
        print("%s took longer than %d s" % (cell.name, CELL_SECONDS), flush=True)
        return False
    if done.returncode:
        print("%s ended with %d: %s" % (cell.name, done.returncode, done.stderr.strip()[-300:]), flush=True)
        return False
    kept = {"result": cell.keep(json.loads(done.stdout)), "seconds": time.monotonic() - begun}
    with open(cell.path + ".part", "w", encoding="utf-8") as file:
        json.dump(kept, file, indent=1)
    os.replace(cell.path + ".part", cell.path)
    return True


def draw_curves(program, out):
    """Those of a model of the whole bundled graph."""
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "model.safetensors")
        subprocess.run([program, "train", *graph_words("debian", None), "-o", model, "-q"], check=True)
        curves.save(model, os.path.join(out, "curves.svg"))


def main():
    told = __doc__ + "".join("    %-10s %s\n" % (name, part.__doc__) for name, part in PARTS.items())
    parser = argparse.ArgumentParser(description=told, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--data", default=os.environ.get("NEAP_DATA"))
    parser.add_argument("--hours", type=float, default=1e9, help="begin no further cell after this time")
    parser.add_argument("--dry-run", action="store_true", help="tell how many cells are missing")
    parser.add_argument("--report", action="store_true", help="run nothing, write the page")
    parser.add_argument("part", nargs="*", help="only these")
    asked = parser.parse_args()
    if unknown := set(asked.part) - set(PARTS):
        parser.error("there is no part %s; there are %s" % (", ".join(unknown), ", ".join(PARTS)))
    if not asked.data and not asked.report:
        parser.error("needs --data or NEAP_DATA, the folder of the paper's graphs")
    os.makedirs(CELLS, exist_ok=True)
    end = time.monotonic() + 3600 * asked.hours
    for name in [] if asked.report else asked.part or PARTS:
        cells = list(PARTS[name](asked.data))
        missing = [cell for cell in cells if not os.path.exists(cell.path)]
        print("%s: %d of %d cells are missing" % (name, len(missing), len(cells)), flush=True)
        for cell in [] if asked.dry_run else missing:
            if time.monotonic() < end and run(cell, asked.build):
                print("%s: %s" % (name, cell.name), flush=True)
    if not asked.dry_run and not asked.report:
        draw_curves(os.path.join(asked.build, "neap"), os.path.join(ROOT, "docs", "results"))
    if not asked.dry_run:
        accuracy_page.write(CELLS, PAPER_CELLS, os.path.join(ROOT, "docs", "results"))


if __name__ == "__main__":
    sys.exit(main())
