"""Systems that read text against PyTorch twins of ours, TADW against a SciPy script: the same work, in one run."""
import gzip
import importlib.util
import json
import os
import statistics
import sys
import time

from common import HERE, ROOT, Goal, NotRun, Result, Row, cores, output_of, peak_of


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


def busy(ours, theirs):
    """The ratio by the time that cores were busy, which other work on the machine disturbs less."""
    neap, pytorch = (statistics.median(run["edges_per_busy_second"] for run in runs) for runs in (ours, theirs))
    return neap / pytorch


# Of a public implementation: 50 non-links, of which the hardest counts.
APN = {"batch": 20, "negatives": 50, "dim": 100, "kernel": 3}
APN_ENCODERS = {"cnn": {"filters": 400, "margin": 0.5}, "lstm": {"filters": 300, "margin": 0.2}}


def apn(encoder):
    def measure(bench):
        path, text = texts_of(bench, "cora")
        settings = APN | APN_ENCODERS[encoder] | {"encoder": encoder}
        ours, theirs = [], []
        for _ in range(1 if bench.quick else 3):  # in turn, so that both see the same machine
            ours.append(bench.drive("text_speed", path, text, bench.short(12.0), "paper", "method", "apn", "text-length", 100,
                                    "optimizer", "lazy-adam", *(word for item in settings.items() for word in item)))
            theirs.append(torch("torch_apn.py", "--graph", path, "--text", text, "--seconds", bench.short(12.0), "--threads", cores(),
                                *(word for name, value in settings.items() for word in ("--" + name, value))))
        neap, pytorch = (statistics.median(run["edges_per_second"] for run in runs) for runs in (ours, theirs))
        return Result(neap / pytorch,
                      {"graph": "cora", "settings": settings, "neap": ours, "torch": theirs, "busy": busy(ours, theirs)},
                      why="neap {:,.1f} edges/s, PyTorch {:,.1f} ({:.1f}x by the time that cores were busy)".format(
                          neap, pytorch, busy(ours, theirs)))
    return measure


def apn_row(encoder, title, goal):
    return Row("apn-" + encoder, "training epoch of apn with %s, cora, hardest of 50 non-links" % title, "edges/s against PyTorch", "times",
               Goal("at least", goal), apn(encoder))


# perf on one core, of about 14 ms a step where PyTorch takes 44: what is left to win is not three times.
DMTE_FLOOR = ("Adam moves every word in every step, so no product lives on to the next; 40 % of our time reads the vectors of the 132,000 distinct "
              "words within two links of a batch, there and back, as fast as the cache has them, 19 % multiplies by W as fast as sgemm, 8 % is "
              "Adam: together more than a tenth of PyTorch's time")
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
    return Result(neap / pytorch, {"graph": "cora", "settings": DMTE, "neap": ours, "torch": theirs, "busy": busy(ours, theirs)},
                  why="neap {:,.0f} edges/s, PyTorch {:,.0f} ({:.1f}x by the time that cores were busy); {}".format(
                      neap, pytorch, busy(ours, theirs), DMTE_FLOOR))


# ---- without gradients ----

def script(program, *words):
    for package in ("scipy", "sklearn"):
        if not importlib.util.find_spec(package):
            raise NotRun("needs python3-" + package)
    return json.loads(output_of([sys.executable, os.path.join(HERE, program), *map(str, words)]))


def debian(bench):
    """All packages and their descriptions, from this machine's own index; in a quick run those of the bundled graph."""
    bundled = os.path.join(ROOT, "data", "debian.tsv.gz")
    what = ["--graph", bundled] if bench.quick else ["--whole"]
    try:
        output_of([sys.executable, os.path.join(ROOT, "tools", "debian-graph"), "--descriptions", *what, "-o", bench.folder])
    except RuntimeError as trouble:
        raise NotRun("needs apt's package index: %s" % trouble)
    name = "debian" if bench.quick else "debian-whole"
    return bundled if bench.quick else bench.path(name + ".tsv.gz"), bench.path(name + "-descriptions.tsv.gz")


def copies(bench, paths, count):
    """The same files with every node `count` times, without links between the copies."""
    made = [bench.path("copies-" + os.path.basename(path).removesuffix(".gz")) for path in paths]
    for path, copy, names in zip(paths, made, (2, 1)):
        with gzip.open(path, "rt", encoding="utf-8") as source:
            lines = [line.rstrip("\n").split("\t") for line in source if line[0] not in "#%"]
        with open(copy, "w", encoding="utf-8") as target:
            for i in range(count):
                for line in lines:
                    print(*("%s-%d" % (name, i) for name in line[:names]), *line[names:], sep="\t", file=target)
    return made


def tadw_command(bench, graph, text):
    return [bench.program, "train", graph, "--text", text, "--method", "tadw", "-o", bench.path("tadw.model"), "-q"]


def tadw(bench):
    graph, text = debian(bench)
    ours, theirs = [], []
    for _ in range(1 if bench.quick else 3):  # in turn, so that both see the same machine
        start = time.perf_counter()
        output_of(tadw_command(bench, graph, text))
        ours.append(time.perf_counter() - start)
        theirs.append(script("scipy_tadw.py", graph, text))
    faster = script("scipy_tadw.py", graph, text, "--svd", "randomised")
    neap, scipy = statistics.median(ours), statistics.median(run["seconds"] for run in theirs)
    return Result(scipy / neap, {"neap": ours, "scipy": theirs, "with_a_randomised_svd": faster},
                  why="neap {:.1f} s, SciPy {:.1f} s, with scikit-learn's randomised SVD {:.1f} s".format(neap, scipy, faster["seconds"]))


def tadw_memory(bench):
    """Of the same graph and texts twice over, by what they take once: linear is twice."""
    once = debian(bench)
    peaks = [peak_of(tadw_command(bench, *paths))[1] for paths in (once, copies(bench, once, 2))]
    nodes = bench.neap("info", once[0])["nodes"]
    return Result(peaks[1] / peaks[0], {"nodes": nodes, "peaks": peaks},
                  why="{:,.0f} bytes per node, with twice the nodes {:,.0f}".format(peaks[0] / nodes, peaks[1] / (2 * nodes)))


ROWS = [
    Row("tadw-5x", "tadw on all Debian packages and their descriptions, from files to a model", "time against a SciPy script", "times",
        Goal("at least", 5), tadw),
    Row("tadw-memory", "tadw on all Debian packages and their descriptions, and on two copies of them", "peak memory of two over that of one",
        "times", Goal("at most", 2.1), tadw_memory),
    apn_row("cnn", "a convolution", 3),
    apn_row("lstm", "a bi-LSTM", 1.5),
    Row("dmte", "training epoch of dmte, cora, texts spread over the whole graph", "edges/s against PyTorch", "times",
        Goal("at least", 10), dmte),
]
