"""The engine against the machine: edges a second, share of the peak, threads, growth, and the kernel by itself."""
import json
import math
import statistics
import time
from concurrent.futures import ThreadPoolExecutor

from common import Goal, NotRun, Result, Row, cores, output_of, where_time_goes
from machine import left_alone

PAPER = ("--preset", "paper", "--batch", 1024)
BATCHES = (32, 64, 128, 256, 512, 1024)
SHARED = (1000, 200)  # rows and columns of a table like that of a step on email


def start_to_saved(bench):
    epochs = 20
    path, seconds = bench.paper_graph("email"), []
    for _ in range(1 if bench.quick else 3):
        start = time.perf_counter()
        said = bench.neap("train", path, *PAPER, "--method", "gap", "--directed", "--valid", 0, "--epochs", epochs,
                          "-o", bench.path("model"))
        seconds.append(time.perf_counter() - start)
    stages = bench.neap("bench", path, *PAPER, "--directed", "--seconds", bench.short(4.0))
    rate = said["edges"] * epochs / statistics.median(seconds)
    return Result(rate, {"seconds": seconds, "edges": said["edges"], "epochs": epochs, "bench": stages},
                  why=where_time_goes(stages))


def row_gain(bench):
    """What two threads gain where they read rows that both have written."""
    return statistics.median(bench.drive("shared_rows", *SHARED, bench.short(3.0))["gains"])


def share_of_peak(graph):
    """The median of three runs: somebody else may want the machine during one. Beside it, what one thread reaches."""
    def measure(bench):
        def run(*words):
            return bench.neap("bench", bench.paper_graph(graph), *PAPER, "--seconds", bench.short(3.0), *words)
        runs = sorted((run() for _ in range(3)), key=lambda said: said["share_of_peak"])
        alone, gain = run("--threads", 1), row_gain(bench)
        return Result(runs[1]["share_of_peak"],
                      runs[1] | {"all": [said["share_of_peak"] for said in runs], "row_gain": gain,
                                 "one_thread": alone["share_of_peak"]},
                      why="%s; one thread alone reaches %.0f %%, and where both read rows that both wrote they gain %.2fx "
                          "in the same run" % (where_time_goes(runs[1]), 100 * alone["share_of_peak"], gain))
    return measure


def kernel(bench):
    """The worst of the tiles that the goal speaks of, each the median of three runs."""
    runs = [bench.drive("align", bench.short(0.3))["tiles"] for _ in range(3)]
    tiles = [sorted(same, key=lambda tile: tile["share"])[1] for same in zip(*runs)]
    worst = min((tile for tile in tiles if tile["side"] >= 32), key=lambda tile: tile["share"])
    return Result(worst["share"], {"tiles": tiles, "runs": runs},
                  why="the worst tile is %d x %d; its products alone, without a maximum, reach %.0f %%: rows are read where "
                      "they lie, and twelve sums of eight lanes are added up for each block of 4 x 3"
                      % (worst["side"], worst["side"], 100 * worst["alone"] / worst["sgemm"]))


def products(bench):
    """The matrix products of a step: the worst of them, and what OpenBLAS reaches with what it takes the CPU for."""
    said = bench.drive("products", bench.short(0.1))
    itself = json.loads(output_of([bench.driver("products"), str(bench.short(0.1))], left_alone()))
    worst = min(said["shapes"], key=lambda shape: shape["ratio"])
    return Result(worst["ratio"], said | {"openblas_by_itself": itself},
                  why="; ".join("%s: ours %.0f GFLOP/s, OpenBLAS for %s %.0f, by itself for %s %.0f"
                                % (mine["product"], mine["rate"] / 1e9, said["core"], mine["openblas"] / 1e9, itself["core"],
                                   other["openblas"] / 1e9) for mine, other in zip(said["shapes"], itself["shapes"])))


def ways(bench):
    """How much slower than the faster way the engine's choice is, and the constants that the choice rests on, fitted
    to the size at which both ways cost about the same: only there do they matter."""
    said = bench.drive("ways", bench.paper_graph("email"), 200, bench.short(2.0), *BATCHES)
    worst = max(said["sizes"], key=lambda size: size["over_faster"])
    even = min(said["sizes"], key=lambda size: abs(math.log(sum(size["table"].values()) / size["tiles"]["pool"])))
    fit = {key: even[key] for key in ("batch", "gather", "tile")}
    return Result(worst["over_faster"], said | {"fit": fit},
                  why="the worst batch is %d; at %d both ways cost about the same, and there an entry costs %.0f "
                      "multiplications to gather, a tile's multiplication %.2f of the table's"
                      % (worst["batch"], fit["batch"], fit["gather"], fit["tile"]))


PRODUCTS = ("embed", "table", "matrix")  # stages that are mostly sgemm


def share_of_rows(run):
    """The share of a step in stages that read and add rows, which both threads have written."""
    seconds = {stage["name"]: stage["seconds"] for stage in run["stages"]}
    return 1 - sum(seconds[name] for name in PRODUCTS) / sum(seconds.values())


def two_threads(graph, neighbors):
    """How much two threads gain over one, over what they gain sgemm in the same run."""
    def measure(bench):
        if cores() < 2:
            raise NotRun("needs two cores")
        path, runs = bench.paper_graph(graph), {1: [], 2: []}

        def run(threads):
            return bench.neap("bench", path, *PAPER, "--neighbors", neighbors, "--threads", threads,
                              "--seconds", bench.short(2.5))
        for _ in range(3):  # in turn, so that both see the same machine
            for threads in runs:
                runs[threads].append(run(threads))
        with ThreadPoolExecutor(2) as two:  # two runs that have nothing in common but the machine
            beside = sum(said["edges_per_second"] for said in two.map(run, (1, 1)))
        rate = {t: statistics.median(run["edges_per_second"] for run in runs[t]) for t in runs}
        peak = {t: statistics.median(run["peak"] for run in runs[t]) for t in runs}
        ratio, possible = rate[2] / rate[1], peak[2] / peak[1]
        gain, rows = row_gain(bench), statistics.median(map(share_of_rows, runs[1]))
        bound = 1 / ((1 - rows) / possible + rows / gain)
        return Result(ratio / possible,
                      {"graph": graph, "runs": runs, "ratio": ratio, "sgemm_ratio": possible, "row_gain": gain,
                       "share_of_rows": rows, "bound": bound, "side_by_side": beside / rate[1]},
                      why="training %.2fx, sgemm %.2fx, which stays in the caches of its core; sums of rows that both "
                          "threads wrote (%d x %d) gain %.2fx in the same run and are %.0f %% of a step: a rough model of these two "
                          "parts gives %.2fx, %.0f %%; two runs side by side, which share nothing, make %.2fx"
                          % (ratio, possible, *SHARED, gain, 100 * rows, bound, 100 * bound / possible,
                             beside / rate[1]))
    return measure


GROWTH = [
    ("er, 200k edges", ("er", "--nodes", 20_000, "--edges", 200_000)),
    ("ba, 1.5M edges", ("ba", "--nodes", 150_000, "--links", 10)),
    ("ba, 10M edges", ("ba", "--nodes", 1_000_000, "--links", 10)),
]


def growth(bench):
    """Time per alignment on graphs of growing size: the largest over the smallest."""
    runs, points = [], []
    for name, words in GROWTH:
        path = bench.generated(*words)
        run = bench.neap("bench", path, "--dim", 200, "--neighbors", 100, "--batch", 1024,
                         "--seconds", bench.short(10.0))
        run |= {"graph": name, "seconds_per_entry": run["seconds"] / run["entries"]}
        runs.append(run)
        points.append(("neap", name, run["graph_edges"], run["graph_edges"] / run["edges_per_second"]))
    times = [run["seconds_per_entry"] for run in runs]
    return Result(max(times) / min(times), {"runs": runs}, points,
                  "; ".join("%s: %.2f ns an alignment, %s" % (run["graph"], 1e9 * run["seconds_per_entry"],
                                                             where_time_goes(run)) for run in runs))


def threads_row(graph, neighbors, goal):
    return Row("threads-" + graph, "two threads against one, training epoch, " +
               (graph if graph != "debian" else "the bundled graph"), "gain over that of sgemm in the same run",
               "percent", goal and Goal("at least", goal), two_threads(graph, neighbors))


ROWS = [
    Row("email-60k", "20 epochs on email, preset paper, --batch 1024, start to saved model", "edges/s", "edges/s",
        Goal("at least", 60_000), start_to_saved),
    Row("kernel-60", "fused align-and-pool kernel, tiles from 32 x 32 to 250 x 250", "share of the rate of AVX2 sgemm at 2048^3",
        "percent", Goal("at least", 0.6), kernel),
    Row("products", "matrix products of a step, one thread, AVX2", "rate over OpenBLAS's, the worst of four", "times", None,
        products),
    Row("ways", "table or tiles, email at batches of 32 to 1024",
        "time of the chosen way over the faster one, the worst batch", "times", Goal("at most", 1.15), ways),
    Row("email-peak", "whole training epoch on email", "flops of the cheapest way / (time x rate of AVX2 sgemm)", "percent",
        Goal("at least", 0.4), share_of_peak("email")),
    Row("debian-peak", "whole training epoch on the bundled graph", "flops of the cheapest way / (time x rate of AVX2 sgemm)",
        "percent", None, share_of_peak("debian")),
    threads_row("email", 100, 0.95),
    threads_row("cora", 100, 0.95),
    threads_row("zhihu", 250, 0.95),
    threads_row("debian", 100, None),
    Row("growth", "er of 200k edges, ba of 1.5M and of 10M edges, S = 100", "time per alignment, largest over smallest",
        "times", Goal("at most", 1.5), growth),
]
