"""The README's section of measured numbers, from docs/results/bench.json."""
import words

BEGIN = "<!-- bench: begin. `make bench` writes what follows; do not edit it by hand -->\n"
END = "<!-- bench: end -->\n"

INTRODUCTION = """
`{command}` on {date}: {machine}. A row that compares two programs measures both in the same run. PyTorch is our own script of the same
model, written as its users write (`bench/torch_gap.py`); *tuned* is the fastest that we could make it, with Neap's ideas (`bench/torch_tuned.py`). Faster than gensim is not equal to
gensim: on the same walks our AUC is 0.1 to 1.2 points lower ([gensim.txt](docs/results/gensim.txt)).
[All numbers](docs/results/bench.json), and a page with charts: `docs/results/bench.html`.

"""

HELD_OUT = """
Held-out links of the bundled graph ([Debian's dependencies](data/README.md), a tenth held out by the [clean
protocol](docs/evaluation.md), directed; mean and deviation of three seeds that no option was chosen on; options were chosen on other
seeds of this graph, whose validation pairs include some of these test pairs). Every method as it comes. GAP and GOAT keep a tenth of the
training pairs back to find the best epoch and do not learn from it; `neap eval link` trains them once more on all. For DeepWalk, node2vec,
Walklets and LINE other settings predicted links better [on the mean of three graphs](docs/results/tuning.txt), though not on each; `neap
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
    lines = ["| method | AUC | seconds, reading and test included |", "|---|---|---|"]
    for method in methods:
        auc = "%.3f ± %.3f" % (method["auc"], method["std"])
        lines.append("| %s `%s` | %s | %.1f |" % (method["about"], method["method"],
                                                  "**%s**" % auc if method["auc"] == best else auc, method["seconds"]))
    return HELD_OUT + "\n".join(lines) + "\n"


def section(results):
    tables = [row for row in results["rows"] if "methods" in row.get("facts", {})]
    text = INTRODUCTION.format(command=results["command"], date=results["machine"]["date"],
                               machine=words.machine(results))
    text += goals([row for row in results["rows"] if row not in tables])
    text += "".join(held_out(row["facts"]["methods"]) for row in tables)
    return BEGIN + text + "\n" + END


def write(results, path):
    with open(path, encoding="utf-8") as file:
        before, rest = file.read().split(BEGIN)
    _, after = rest.split(END)
    with open(path, "w", encoding="utf-8") as file:
        file.write(before + section(results) + after)
