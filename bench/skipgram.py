"""Walks and skip-gram: deepwalk, node2vec and line against gensim 4, walks alone against numba, and memory.

gensim gets walks of the same kind, as many and as long, from a walker in numba (numba_walks.py). Its time is that of
these walks, of making them sentences, of its vocabulary and of training; reading, imports, compiling and saving are not
counted. Neap's time is that of the whole process, from the graph's file to the saved model. They take turns, and the
median of Neap's three meets the best of gensim's two, of which one has AVX2 and no more. line comes after them, and
meets the best rate at which gensim trained in the row of deepwalk, its vocabulary not counted."""
import functools
import importlib.util
import json
import statistics
import sys
import time

from common import Goal, NotRun, Result, Row, output_of, peak_of

DIM, WINDOW, NEGATIVES, LENGTH = 128, 10, 5, 40
SHORT = 20  # of the walks that are made alone
BA = ("ba", "--nodes", 100_000, "--links", 10)
LARGE = ("er", "--nodes", 1_000_000, "--edges", 10_000_000)
ORDERS = {"first order": (1, 1), "p = 0.5, q = 2": (0.5, 2)}
EDGE_SAMPLES = 100  # of line, an epoch and edge


def need(*modules):
    for module in modules:
        if not importlib.util.find_spec(module):
            raise NotRun("needs python3-" + module)


def graphs(bench):
    """Name, file and walks from every node: about as much work on each. Zhihu only where NEAP_DATA has it."""
    yield "ba, 100,000 nodes, 1M edges", bench.generated(*BA), 1
    try:
        path, copy = bench.paper_graph("zhihu"), bench.path("zhihu.safetensors")
    except NotRun:
        return
    bench.neap("convert", path, copy)
    yield "zhihu", copy, 10


def train(bench, path, *words):
    start = time.perf_counter()
    bench.neap("train", path, *words, "--dim", DIM, "--negatives", NEGATIVES, "--epochs", 1, "--threads", 2,
               "-o", bench.path("skipgram.safetensors"))
    return time.perf_counter() - start


def pairs_of(walks):
    """How many pairs gensim is expected to train on: each centre draws a window from 1 to WINDOW."""
    length = walks.shape[1]
    apart = sum(2 * (length - k) * (WINDOW - k + 1) / WINDOW for k in range(1, min(WINDOW, length - 1) + 1))
    return len(walks) * apart


def gensim(path, rounds, p, q):
    import gensim_walks
    import numba_walks
    numba_walks.compile_for(2)
    graph = numba_walks.links(path)
    start = time.perf_counter()
    walks = numba_walks.walk(graph, rounds, LENGTH, p, q)
    walked = time.perf_counter()
    text = gensim_walks.sentences(walks, len(graph[0]) - 1)
    ready = time.perf_counter()
    model = gensim_walks.prepare(text, DIM, WINDOW, 2)
    prepared = time.perf_counter()
    gensim_walks.learn(model, text)
    end = time.perf_counter()
    return {"seconds": end - start, "walking": walked - start, "listing": ready - walked, "preparing": prepared - ready,
            "training": end - prepared, "tokens": walks.size, "pairs_per_second": pairs_of(walks) / (end - prepared)}


def gensim_beside(bench, blas, *words):
    """In a process of its own, where OpenBLAS, which does its sums, takes all that the CPU has, or AVX2 as Neap does."""
    env = bench.env if blas == "AVX2" else None
    return json.loads(output_of([sys.executable, __file__, *map(str, words)], env))


@functools.lru_cache(maxsize=None)
def against_gensim(bench, method, p, q):
    need("gensim", "numba")
    runs = []
    for name, path, rounds in graphs(bench):
        words = ["--method", method, "--walks", rounds, "--walk-length", LENGTH, "--window", WINDOW]
        words += ("--p", p, "--q", q) if method == "node2vec" else ()
        ours, theirs = [train(bench, path, *words)], []
        for blas in ("all that the CPU has", "AVX2"):
            theirs.append({"blas": blas, **gensim_beside(bench, blas, path, rounds, p, q)})
            ours.append(train(bench, path, *words))
        best = min(turn["seconds"] for turn in theirs)
        runs.append({"graph": name, "walks": rounds, "tokens": theirs[0]["tokens"], "neap": ours, "gensim": theirs,
                     "ratio": best / statistics.median(ours)})
    return runs


def training(method, p=1, q=1):
    def measure(bench):
        runs = against_gensim(bench, method, p, q)
        worst = min(runs, key=lambda run: run["ratio"])
        return Result(worst["ratio"], {"runs": runs}, why="; ".join(
            "%s: neap %s tokens/s (turns of %s s), gensim %s (%s)"
            % (run["graph"], rate(run["tokens"], statistics.median(run["neap"])), turns(run["neap"]),
               rate(run["tokens"], min(turn["seconds"] for turn in run["gensim"])),
               ", ".join("%.1f s with %s" % (turn["seconds"], turn["blas"]) for turn in run["gensim"])) for run in runs))
    return measure


def rate(amount, seconds):
    return "{:,.0f}".format(amount / seconds)


def turns(seconds):
    return ", ".join("%.1f" % one for one in seconds)


def walks_alone(bench):
    """The slower of two orders. Both fill the same array of all walks again, and the first time is not counted. numba
    takes one walk after the other on each thread and rejects as the textbook does; neap's walks go several abreast, and
    going back is set apart."""
    need("numba")
    import numba_walks
    path, runs = bench.generated(*LARGE), []
    numba_walks.compile_for(2)
    graph = numba_walks.links(path)
    for name, (p, q) in ORDERS.items():
        ours = bench.drive("walks", path, "-", "method", "node2vec", "p", p, "q", q, "walks", 1, "walk-length", SHORT,
                           "epochs", 3, "threads", 2)["seconds"][1:]
        theirs, walks = [], None
        for _ in range(3):
            start = time.perf_counter()
            walks = numba_walks.walk(graph, 1, SHORT, p, q, walks)
            tokens = walks.size
            theirs.append(time.perf_counter() - start)
        runs.append({"order": name, "tokens": tokens, "neap": ours, "numba": theirs[1:],
                     "ratio": statistics.median(theirs[1:]) / statistics.median(ours)})
    worst = min(runs, key=lambda run: run["ratio"])
    return Result(worst["ratio"], {"runs": runs}, why="; ".join(
        "%s: neap %s nodes/s, numba %s" % (run["order"], rate(run["tokens"], statistics.median(run["neap"])),
                                          rate(run["tokens"], statistics.median(run["numba"]))) for run in runs))


def line(bench):
    """Pairs with as many negatives and as long vectors as gensim's, on the same graph."""
    theirs = max(turn["pairs_per_second"] for turn in against_gensim(bench, "deepwalk", 1, 1)[0]["gensim"])
    if "line" not in {method["name"] for method in bench.neap("methods")["methods"]}:
        raise NotRun("there is no method line")
    path = bench.generated(*BA)
    seconds = [train(bench, path, "--method", "line", "--order", 2) for _ in range(3)]
    ours = EDGE_SAMPLES * int(bench.neap("info", path)["edges"]) / statistics.median(seconds)
    return Result(ours / theirs, {"pairs_per_second": ours, "gensim_pairs_per_second": theirs, "seconds": seconds},
                  why="neap {:,.0f} pairs/s (turns of {} s), gensim {:,.0f}".format(ours, turns(seconds), theirs))


def memory(bench):
    """The first step makes every array of the run, and a few seconds touch most rows of both tables; Ctrl-C then makes
    it write its checkpoint, which is part of it."""
    path = bench.generated(*LARGE)
    graph = bench.neap("info", path)
    _, peak = peak_of([bench.program, "train", path, "--method", "deepwalk", "--dim", DIM, "--progress", "always",
                       "-o", bench.path("walks-model")], ("edges/s", bench.short(20.0)))
    nodes, edges = int(graph["nodes"]), int(graph["edges"])
    parts = {"tables": 2 * 4 * DIM * nodes, "csr": 8 * (nodes + 1) + 4 * edges}
    least = sum(parts.values())
    return Result(peak / least, {"peak": peak, "nodes": nodes, "edges": edges, **parts},
                  why="%.0f MB beyond the %.0f MB of both tables and the CSR" % ((peak - least) / 1e6, least / 1e6))


def gensim_row(name, title, method, p=1, q=1):
    return Row(name, title + ", ba of 1M edges and zhihu, d = 128, window 10, 5 negatives, walks included",
               "tokens/s, median of 3, against gensim 4's best of 2, both on two threads, the worse graph", "times", Goal("at least", 4),
               training(method, p, q))


ROWS = [
    gensim_row("deepwalk-4x", "deepwalk", "deepwalk"),
    gensim_row("node2vec-4x", "node2vec, p = q = 1", "node2vec"),
    gensim_row("node2vec-pq-4x", "node2vec, p = 0.5, q = 2", "node2vec", 0.5, 2),
    Row("walks-3x", "walks alone, 1M nodes and 10M edges, first order and p = 0.5, q = 2",
        "nodes/s against numba, both on two threads, the worse of the two", "times", Goal("at least", 3), walks_alone),
    Row("line-4x", "line, ba of 1M edges, d = 128, 5 negatives", "pairs/s, median of 3, against gensim's best in training deepwalk",
        "times", Goal("at least", 4), line),
    Row("memory-walks", "peak memory of deepwalk, 10M edges, 1M nodes, d = 128", "over both tables + CSR", "times",
        Goal("at most", 1.5), memory),
]

if __name__ == "__main__":  # gensim in a process of its own, where OpenBLAS may be told another CPU
    print(json.dumps(gensim(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4]))))
