"""Held-out links of the bundled graph: AUC over three seeds, each with its own split (seeds from 101 on: not those the
options were chosen on), for evidence, GAP, the other systems and the heuristics, as they come. There is no goal: it
says what the speed is worth."""
from common import Goal, Result, Row

SEEDS = (101, 102, 103)
METHODS = {"evidence": "many kinds of evidence", "gap": "GAP", "goat": "GOAT", "deepwalk": "DeepWalk",
           "node2vec": "node2vec", "line": "LINE", "walklets": "Walklets", "attentivewalk": "Watch Your Step", "splitter": "Splitter", "verse": "VERSE",
           "fastrp": "FastRP", "popularity": "degree of the target", "pa": "degree product", "cn": "common neighbours",
           "aa": "Adamic-Adar", "ra": "resource allocation", "katz": "Katz", "l3": "paths of length 3",
           "walk3": "the same, normalised", "ppr": "personalised PageRank"}


def held_out_method(said):
    """A row of the table from a result of `eval link`, or None: of GAP alone the untrained model is shown."""
    if said["untrained"] and said["method"] != "gap":
        return None
    return {"about": METHODS[said["method"]] + (", untrained" if said["untrained"] else ""), "method": said["method"],
            "auc": said["auc"]["mean"], "std": said["auc"]["std"], "seconds": said["seconds"]}


def held_out(bench):
    epochs = ("--epochs", 1) if bench.quick else ()
    said = bench.neap("eval", "link", bench.paper_graph("debian"), "--ratios", 90, "--seeds", len(SEEDS), "--seed",
                      SEEDS[0], "--methods", ",".join(METHODS), *epochs)
    methods = [row for row in map(held_out_method, said["results"]) if row]
    return Result(methods[0]["auc"], {"seeds": SEEDS, "methods": methods})


def clean_auc(bench, graph, *options):
    """Of GAP in the clean protocol, at 55 %, mean over three splits."""
    epochs = ("--epochs", 1) if bench.quick else ()
    said = bench.neap("eval", "link", bench.paper_graph(graph), "--ratios", 55, "--seeds", 3, "--methods", "gap",
                      "--no-untrained", *options, *epochs)
    return said["results"][0]["auc"]["mean"]


def large_batches(bench):
    """What the preset's batches of 256 lose against 64, at the same number of epochs; 64 at the better of two rates.
    Batches of 1024 stand beside them, at twice the rate."""
    graphs = []
    for graph in ("cora", "email"):
        small = max(clean_auc(bench, graph, "--batch", 64, "--lr", rate) for rate in ("1e-3", "3e-3"))
        preset, large = clean_auc(bench, graph), clean_auc(bench, graph, "--batch", 1024, "--lr", "6e-3")
        graphs.append({"graph": graph, "batch_64": small, "batch_256": preset, "batch_1024": large})
    return Result(min(100 * (one["batch_256"] - one["batch_64"]) for one in graphs), {"graphs": graphs},
                  why="; ".join("%(graph)s: %(batch_64).3f at 64, %(batch_256).3f at 256, %(batch_1024).3f at 1024"
                                % one for one in graphs))


ROWS = [
    Row("batches", "clean AUC on cora and email at 55 %, three seeds, the preset's batches of 256 against 64",
        "the larger loss, in points", "points", Goal("at least", -0.3), large_batches),
    Row("held-out", "held-out links of the bundled graph, preset neap", "mean of three seeds", "auc", None, held_out),
]
