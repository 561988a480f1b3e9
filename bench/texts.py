"""Systems that read text against PyTorch twins of ours: the same batch and the same work, in one run."""
import importlib.util
import json
import os
import statistics
import sys

from common import HERE, Goal, NotRun, Result, Row, cores, output_of


def texts_of(bench, graph):
    """The graph and its texts, line i of which belongs to node i."""
    path = bench.paper_graph(graph)
    text = os.path.join(os.path.dirname(path), "text.txt")
    if not os.path.exists(text):
        raise NotRun("needs %s/text.txt in NEAP_DATA" % graph)
    return path, text


def torch(program, *words):
    if not importlib.util.find_spec("torch"):
        raise NotRun("needs python3-torch")
    return json.loads(output_of([sys.executable, os.path.join(HERE, program), *map(str, words)]))


# Of a public implementation: 50 non-links, of which the hardest counts.
APN = {"batch": 20, "negatives": 50, "dim": 100, "kernel": 3}
APN_ENCODERS = {"cnn": {"filters": 400, "margin": 0.5}, "lstm": {"filters": 300, "margin": 0.2}}


def apn(encoder):
    def measure(bench):
        path, text = texts_of(bench, "cora")
        settings = APN | APN_ENCODERS[encoder] | {"encoder": encoder}
        ours, theirs = [], []
        for _ in range(1 if bench.quick else 3):  # in turn, so that both see the same machine
            ours.append(bench.drive("text_speed", path, text, bench.short(8.0), "paper", "method", "apn", "text-length", 100,
                                    "optimizer", "lazy-adam", *(word for item in settings.items() for word in item)))
            theirs.append(torch("torch_apn.py", "--graph", path, "--text", text, "--seconds", bench.short(8.0), "--threads", cores(),
                                *(word for name, value in settings.items() for word in ("--" + name, value))))
        neap, pytorch = (statistics.median(run["edges_per_second"] for run in runs) for runs in (ours, theirs))
        return Result(neap / pytorch, {"graph": "cora", "settings": settings, "neap": ours, "torch": theirs},
                      why="neap {:,.0f} edges/s, PyTorch {:,.0f}".format(neap, pytorch))
    return measure


def apn_row(encoder, title, goal):
    return Row("apn-" + encoder, "training epoch of apn with %s, cora, hardest of 50 non-links" % title, "edges/s against PyTorch", "times",
               Goal("at least", goal), apn(encoder))


DMTE = {"batch": 256, "dim": 200, "word-dim": 200}


def dmte(bench):
    path, text = texts_of(bench, "cora")
    ours, theirs = [], []
    for _ in range(1 if bench.quick else 3):
        ours.append(bench.drive("text_speed", path, text, bench.short(8.0), "paper", "method", "dmte", "valid", 0, "min-count", 2,
                                *(word for item in DMTE.items() for word in item)))
        theirs.append(torch("torch_dmte.py", "--graph", path, "--text", text, "--seconds", bench.short(8.0), "--threads", cores(),
                            *(word for name, value in DMTE.items() for word in ("--" + name, value))))
    neap, pytorch = (statistics.median(run["edges_per_second"] for run in runs) for runs in (ours, theirs))
    return Result(neap / pytorch, {"graph": "cora", "settings": DMTE, "neap": ours, "torch": theirs},
                  why="neap {:,.0f} edges/s, PyTorch {:,.0f}".format(neap, pytorch))


ROWS = [
    apn_row("cnn", "a convolution", 3),
    apn_row("lstm", "a bi-LSTM", 1.5),
    Row("dmte", "training epoch of dmte, cora, texts spread over the whole graph", "edges/s against PyTorch", "times",
        Goal("at least", 10), dmte),
]
