"""The README's few measured numbers, and docs/results/bench.md with all of them, from docs/results/bench.json."""
import words

BEGIN = "<!-- bench: begin. `make bench` writes what follows; do not edit it by hand -->\n"
END = "<!-- bench: end -->\n"

# The README: methods of the table, and the rows whose value stands in a sentence.
METHODS = ["gap", "verse", "node2vec", "deepwalk", "ppr", "walk3", "popularity", "pa"]
ACCURACY = """
Held-out links of the bundled graph, a tenth of Debian's package dependencies ([how](docs/evaluation.md), [all methods](docs/results/bench.md)):

"""
SPEED = """
- **{email-100x}** the edges per second of the same model in PyTorch, written as its users write it ({email-tuned} of one tuned by hand with our ideas)
- **{deepwalk-4x}** gensim's tokens per second for DeepWalk, walks included, at an AUC that is up to 1.2 points lower on the same walks
- **{read-speed}** igraph's speed in reading 10 million edges, with {read-memory} of memory per edge at the peak
- **{ranking}** the time of NumPy's two matrix products to rank one node against all of a million, exactly
- **{memory-10m}** the size of graph, vectors and optimiser is the peak of memory with 10 million edges

Each is a ratio in one run of `make bench`; [all of them](docs/results/bench.md), with their goals, those missed included, and the machine.
"""

INTRODUCTION = """# What `make bench` measured

<!-- `make bench` writes this page from bench.json; do not edit it by hand -->

`{command}` on {date}: {machine}. A row that compares two programs measures both in the same run. PyTorch is our own script of the same
model, written as its users write (`bench/torch_gap.py`); *tuned* is the fastest that we could make it, with Neap's ideas (`bench/torch_tuned.py`). Faster than gensim is not equal to
gensim: on the same walks our AUC is 0.1 to 1.2 points lower ([gensim.txt](gensim.txt)).
[All numbers](bench.json), and a page with charts: `bench.html`.

"""

HELD_OUT = """
Held-out links of the bundled graph ([Debian's dependencies](../../data/README.md), a tenth held out by the [clean
protocol](../evaluation.md), directed; mean and deviation of three seeds that no option was chosen on; options were chosen on other
seeds of this graph, whose validation pairs include some of these test pairs), by `neap eval link`. Every method as it comes. GAP and GOAT
keep a tenth of the training pairs back to find the best epoch, then train once more on all. For DeepWalk, node2vec,
Walklets and LINE other settings predicted links better [on the mean of three graphs](tuning.txt), though not on each; `neap
methods NAME` tells them:

"""


def measured(row):
    """Bold if it was missed, with the reason."""
    if row["verdict"] == "missed":
        return "**%s, missed**: %s" % (words.value(row), row["why"])
    return words.value(row) + (": " + row["why"] if row["why"] and "value" not in row else "")


def goals(rows):
    lines = ["| work | measure | goal | measured |", "|---|---|---|---|"]
    lines += ["| %s | %s | %s | %s |" % (row["work"], row["measure"], words.goal(row), measured(row)) for row in rows]
    return "\n".join(lines) + "\n"


def held_out(methods):
    """AUC of all methods; the best is bold."""
    best = max(method["auc"] for method in methods)
    lines = ["| method | AUC | seconds of training and scoring |", "|---|---|---|"]
    for method in methods:
        auc = "%.3f ± %.3f" % (method["auc"], method["std"])
        lines.append("| %s `%s` | %s | %.1f |" % (method["about"], method["method"],
                                                  "**%s**" % auc if method["auc"] == best else auc, method["seconds"]))
    return HELD_OUT + "\n".join(lines) + "\n"


def tables_of(results):
    return [row for row in results["rows"] if "methods" in row.get("facts", {})]


def long(results):
    """docs/results/bench.md."""
    tables = tables_of(results)
    text = INTRODUCTION.format(command=results["command"], date=results["machine"]["date"],
                               machine=words.machine(results))
    text += goals([row for row in results["rows"] if row not in tables])
    return text + "".join(held_out(row["facts"]["methods"]) for row in tables)


def section(results):
    """The README's: some of the methods, the best last, and a few ratios."""
    known = {method["method"]: method for row in tables_of(results) for method in row["facts"]["methods"]
             if "untrained" not in method["about"]}
    chosen = sorted((known[name] for name in METHODS if name in known), key=lambda method: method["auc"])
    lines = ["| | %s |" % " | ".join("`%s`" % method["method"] for method in chosen),
             "|---|%s" % ("---|" * len(chosen)),
             "| AUC | %s |" % " | ".join("%.3f" % method["auc"] for method in chosen),
             "| seconds | %s |" % " | ".join("%.1f" % method["seconds"] for method in chosen)]
    values = {row["name"]: words.value(row) for row in results["rows"]}
    return BEGIN + ACCURACY + "\n".join(lines) + "\n" + SPEED.format_map(values) + "\n" + END


def write(results, path, page):
    """Into the README at `path`, and the whole of it to `page`."""
    with open(path, encoding="utf-8") as file:
        before, rest = file.read().split(BEGIN)
    _, after = rest.split(END)
    with open(path, "w", encoding="utf-8") as file:
        file.write(before + section(results) + after)
    with open(page, "w", encoding="utf-8") as file:
        file.write(long(results))
