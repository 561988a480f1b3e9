"""What evidence costs: training against a script of the same work and against gap, and a graph of a million nodes; scores of
pairs, and the rank of all nodes, with an open model and from a cold start."""
import functools
import importlib.util
import json
import os
import resource
import statistics
import subprocess
import sys
import time

from common import HERE, Goal, NotRun, Result, Row, output_of, peak_of

BLOCK = (100, 1000)  # sources, targets
RANDOM, RANKS = 2000, 12


def busy_seconds():
    """Of all processes that have ended so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def trained(bench, graph, model, *options):
    """Seconds of a training, by the clock and by the time that cores were busy."""
    start, busy = time.perf_counter(), busy_seconds()
    bench.neap("train", graph, *options, "-o", bench.path(model))
    return {"seconds": time.perf_counter() - start, "busy_seconds": busy_seconds() - busy}


# ---- against a script ----

def script(*words):
    for package in ("scipy", "sklearn"):
        if not importlib.util.find_spec(package):
            raise NotRun("needs python3-" + package)
    return json.loads(output_of([sys.executable, os.path.join(HERE, "scipy_evidence.py"), *words]))


def graph_of(bench, name):
    """The graph and the options that read it. Yeast is the training half of a published split."""
    if name != "yeast":
        return bench.paper_graph(name), []
    path = os.path.join(os.environ.get("NEAP_DATA", ""), "links", "Yeast", "1", "train.txt")
    if not os.path.exists(path):
        raise NotRun("needs links/Yeast in NEAP_DATA")
    return path, ["--undirected"]


def against_script(name):
    def measure(bench):
        path, options = graph_of(bench, name)
        ours = [trained(bench, path, "evidence", "--method", "evidence", *options) for _ in range(1 if bench.quick else 3)]
        theirs = script(path, *options)
        seconds, busy = (statistics.median(run[key] for run in ours) for key in ("seconds", "busy_seconds"))
        return Result(theirs["seconds"] / seconds, {"graph": name, "neap": ours, "script": theirs},
                      why="neap %.1f s (%.1f s of cores), the script %.0f s (%.0f s)"
                          % (seconds, busy, theirs["seconds"], theirs["busy_seconds"]))
    return measure


def against_gap(bench):
    path = bench.paper_graph("debian")
    gap = trained(bench, path, "gap", "--method", "gap", *(["--epochs", 2] if bench.quick else []))
    ours = [trained(bench, path, "evidence", "--method", "evidence") for _ in range(1 if bench.quick else 3)]
    seconds = statistics.median(run["seconds"] for run in ours)
    return Result(seconds / gap["seconds"], {"graph": "debian", "neap": ours, "gap": gap},
                  why="evidence %.1f s, gap %.1f s" % (seconds, gap["seconds"]))


# ---- a million nodes ----

@functools.lru_cache(maxsize=None)
def large(bench):
    """One training: the graph, the model, seconds, peak and what was said before."""
    graph, model = bench.generated("er", "--nodes", 1_000_000, "--edges", 10_000_000), bench.path("evidence-1m")
    said = bench.neap("estimate", graph, "--method", "evidence")["bytes"]
    start, busy = time.perf_counter(), busy_seconds()
    _, peak = peak_of([bench.program, "train", graph, "--method", "evidence", "-o", model, "-q"])
    return {"graph": graph, "model": model, "estimate": said, "peak": peak, "seconds": time.perf_counter() - start,
            "busy_seconds": busy_seconds() - busy}


def large_row(key, why):
    def measure(bench):
        run = large(bench)
        return Result(key(run), {name: run[name] for name in ("estimate", "peak", "seconds", "busy_seconds")}, why=why % run)
    return measure


@functools.lru_cache(maxsize=None)
def large_ranks(bench):
    return bench.drive("evidence_time", large(bench)["model"], 0, 0, 0, RANKS)


def rank(bench):
    times = large_ranks(bench)
    return Result(statistics.median(times["ranks"]), times, why="the model is loaded in %(load).2f s, a query is made in %(query).2f s" % times)


def cold_rank(bench):
    """The whole of a process that ranks for one source, over what the rank takes in an open model."""
    command, seconds = [bench.program, "rank", large(bench)["model"], "0", "-q"], []
    for _ in range(4):  # the first fills the page cache
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        seconds.append(time.perf_counter() - start)
    open_model = statistics.median(large_ranks(bench)["ranks"])
    cold = statistics.median(seconds[1:])
    return Result(cold - open_model, {"processes": seconds, "open": open_model},
                  why="%.2f s, %.2f s of them the rank" % (cold, open_model))


# ---- scores ----

@functools.lru_cache(maxsize=None)
def debian_scores(bench):
    trained(bench, bench.paper_graph("debian"), "evidence", "--method", "evidence")
    runs = [bench.drive("evidence_time", bench.path("evidence"), *BLOCK, RANDOM, 0) for _ in range(3)]
    return {key: statistics.median(run[key] for run in runs) for key in runs[0] if key != "ranks"}


def block(bench):
    seconds = debian_scores(bench)["block"]
    return Result(BLOCK[0] * BLOCK[1] / seconds, debian_scores(bench), why="%.3f s" % seconds)


def random_pairs(bench):
    seconds = debian_scores(bench)["random"]
    return Result(RANDOM / seconds, debian_scores(bench), why="%.3f s" % seconds)


ROWS = [
    *(Row("evidence-" + name, "training evidence, %s, from file to model" % title, "time against a SciPy script", "times",
          Goal("at least", 20), against_script(name))
      for name, title in (("email", "email"), ("debian", "Debian's dependencies"), ("yeast", "Yeast"))),
    Row("evidence-gap", "training evidence, Debian's dependencies", "time over that of gap", "times", Goal("at most", 1), against_gap),
    Row("evidence-1m", "training evidence, 10M edges, 1M nodes, d = 128", "time", "seconds", Goal("at most", 240),
        large_row(lambda run: run["seconds"], "%(busy_seconds).0f s of cores")),
    Row("evidence-peak", "memory of the same training", "its peak", "bytes", Goal("at most", 1.5e9),
        large_row(lambda run: run["peak"], "`neap estimate` says %(estimate).3g")),
    Row("evidence-said", "memory of the same training", "its peak, over `neap estimate`", "times", Goal("at most", 1.1),
        large_row(lambda run: run["peak"] / run["estimate"], "%(peak).3g bytes")),
    Row("evidence-block", "scores by evidence of 100 sources x 1,000 targets, Debian's dependencies", "pairs", "pairs/s",
        Goal("at least", 1e6), block),
    Row("evidence-pairs", "scores by evidence of random pairs, Debian's dependencies", "pairs", "pairs/s", Goal("at least", 5000),
        random_pairs),
    Row("evidence-rank", "ranking one source against all of 1M nodes by evidence, 10M edges", "time", "seconds", Goal("at most", 0.75), rank),
    Row("evidence-cold", "the same by a process that is started for it", "time beyond the rank itself", "seconds",
        Goal("at most", 0.3), cold_rank),
]
