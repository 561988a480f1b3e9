#!/usr/bin/python3
"""What an evaluation that scores all edges of a graph, those trained on included, makes of a system: the AUC of the held-out
links of Cora, and that of all edges, each against one non-link of its source.

    NEAP_DATA=DIR bench/all_edges.py METHOD [OPTION...]      the options of `neap train`

docs/methods.md has what it says of dmte: --preset paper --min-count 5 --reject-links."""
import json
import os
import random
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NEAP, SEED = os.path.join(ROOT, "build", "neap"), 101


def auc(above, below):
    """The share of pairs of both in which the first is larger; ties count half."""
    both = sorted([(x, 1) for x in above] + [(x, 0) for x in below])
    rank, start = 0.0, 0
    while start < len(both):
        end = start
        while end < len(both) and both[end][0] == both[start][0]:
            end += 1
        rank += (start + end + 1) / 2 * sum(kind for _, kind in both[start:end])
        start = end
    return (rank / len(above) - (len(above) + 1) / 2) / len(below)


def pairs_of(graph):
    with open(graph, encoding="utf-8") as file:
        edges = [tuple(line.split()[:2]) for line in file]
    nodes, linked = sorted({node for edge in edges for node in edge}), {frozenset(edge) for edge in edges}
    draw, others = random.Random(1), []
    for source, _ in edges:
        target = source
        while target == source or frozenset((source, target)) in linked:
            target = draw.choice(nodes)
        others.append((source, target))
    return edges, others


def main():
    if len(sys.argv) < 2 or "NEAP_DATA" not in os.environ:
        sys.exit(__doc__)
    graph, text = (os.path.join(os.environ["NEAP_DATA"], "cora", name) for name in ("graph.txt", "text.txt"))
    edges, others = pairs_of(graph)
    with tempfile.TemporaryDirectory() as folder:
        model, asked = os.path.join(folder, "model"), os.path.join(folder, "pairs")
        with open(asked, "w", encoding="utf-8") as file:
            file.writelines("%s\t%s\n" % pair for pair in edges + others)
        for share in (15, 55, 95):
            said = subprocess.run([NEAP, "train", graph, "--text", text, "--text-by-line", "--method", *sys.argv[1:], "--test",
                                   str(round(1 - share / 100, 2)), "--seed", str(SEED), "-o", model, "--json", "-q"],
                                  check=True, stdout=subprocess.PIPE, text=True).stdout
            lines = subprocess.run([NEAP, "score", model, asked, "-q"], check=True, stdout=subprocess.PIPE, text=True).stdout
            score = [float(line.split("\t")[2]) for line in lines.splitlines()]
            print("%d %%: held-out links %.3f, all edges %.3f" % (
                share, json.loads(said)["test"]["auc"], auc(score[:len(edges)], score[len(edges):])), flush=True)


if __name__ == "__main__":
    main()
