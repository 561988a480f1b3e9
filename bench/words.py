"""Results in words: what the screen, the page and the README say about a row and about the machine."""

# How a number is written, by its unit.
UNITS = {
    "times": lambda x: "{:,.0f}x".format(x) if x >= 100 else "%.3gx" % x,
    "percent": lambda x: "%.0f %%" % (100 * x),
    "edges/s": "{:,.0f} edges/s".format,
    "bytes": "{:.3g} bytes".format,
    "seconds": "{:.3g} s".format,
    "pairs/s": "{:,.0f} pairs/s".format,
    "auc": "AUC {:.3f}".format,
    "points": "{:+.2f} points".format,
}


def goal(row):
    return "%s %s" % (row["goal"]["bound"], UNITS[row["unit"]](row["goal"]["value"])) if row["goal"] else ""


def value(row):
    return UNITS[row["unit"]](row["value"]) if "value" in row else row["verdict"]


def machine(results):
    m = results["machine"]
    others = ["%s %s" % (name, m[key]) for name, key in
              (("NumPy", "numpy"), ("PyTorch", "torch"), ("igraph", "igraph"), ("gensim", "gensim"), ("numba", "numba"),
               ("scikit-learn", "sklearn"))
              if m.get(key)]
    commits = ", ".join(sorted({row["commit"] for row in results["rows"]}))
    return "%s (%s) on %d cores of %s with %.0f GB, %s, %s" % (
        m["neap"], commits, m["cores"], m["cpu"], m["memory"] / 1e9, m["system"], ", ".join([openblas(m)] + others))


def openblas(m):
    """Which OpenBLAS, and what it takes the CPU for."""
    said = "OpenBLAS %s for %s" % (m["openblas"], m["core"])
    if m["core_of_sgemm"] != m["core"]:
        said += " (where it is the yardstick of AVX2 kernels, and for one of two turns of gensim, for %s)" % m["core_of_sgemm"]
    if m["core_by_itself"] != m["core"]:
        said += ", told so because by itself it takes this CPU for a %s" % m["core_by_itself"]
    return said


def lines(row):
    """A row on the screen; behind it why it was missed or not run, and the table that it stands for."""
    said = ["%-15s %-70s %-24s%s%s" % (row["name"], row["work"], goal(row), value(row),
                                        ", missed" if row["verdict"] == "missed" else "")]
    if row["why"] and row["verdict"] != "met":
        said.append(" " * 16 + row["why"])
    for method in row.get("facts", {}).get("methods", []):
        said.append("%16s%-24s %.3f +- %.3f %8.1f s" % ("", method["about"], method["auc"], method["std"],
                                                       method["seconds"]))
    return said
