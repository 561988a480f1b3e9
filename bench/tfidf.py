"""Reading texts and weighing their words (TF-IDF) against scikit-learn's TfidfVectorizer. The texts are drawn by NumPy from
a fixed seed: 50,000 of about 100 words, which follow Zipf's law, some capitalised, with punctuation between them. The
vectorizer takes our words (runs of letters and digits), and the two must find the same weights."""
import importlib.util
import json
import os
import statistics
import sys

from common import Goal, NotRun, Result, Row, cores, output_of

SKLEARN = """
import json, sys, time
from sklearn.feature_extraction.text import TfidfVectorizer
start = time.perf_counter()
with open(sys.argv[1], encoding="utf-8") as file:
    matrix = TfidfVectorizer(token_pattern=r"[^\\W_]+").fit_transform(file)
took = time.perf_counter() - start
print(json.dumps({"seconds": took, "weights": matrix.nnz, "sum": float(matrix.sum())}))
"""


def texts(bench, count=50_000, vocabulary=40_000):
    """The file, and the number of its lines; made once."""
    import numpy
    count, path = bench.short(count), bench.path("texts.txt")
    if os.path.exists(path):
        return path, count
    draw = numpy.random.default_rng(7)
    letters = numpy.array(list("etaoinshrdlu"))
    words = ["".join(draw.choice(letters, size=n)) for n in draw.integers(2, 12, size=vocabulary)]
    words[::10] = [word.capitalize() for word in words[::10]]
    share = 1 / numpy.arange(1, vocabulary + 1)
    with open(path, "w", encoding="utf-8") as out:
        for size in draw.integers(50, 151, size=count):
            line = [words[i] for i in draw.choice(vocabulary, size=size, p=share / share.sum())]
            out.write(", ".join(" ".join(line[i:i + 8]) for i in range(0, size, 8)) + ".\n")
    return path, count


def speed(bench):
    if not importlib.util.find_spec("sklearn"):
        raise NotRun("needs python3-sklearn")
    path, count = texts(bench)
    runs = {"neap": [], "sklearn": []}
    for _ in range(3):  # in turn, so that both see the same machine
        runs["neap"].append(bench.drive("tfidf", path, count, cores()))
        runs["sklearn"].append(json.loads(output_of([sys.executable, "-c", SKLEARN, path])))
    ours, theirs = runs["neap"][0], runs["sklearn"][0]
    if ours["weights"] != theirs["weights"] or abs(ours["sum"] / theirs["sum"] - 1) > 1e-5:
        raise RuntimeError("the weights differ: %s and %s" % (ours, theirs))
    neap, sklearn = (statistics.median(run["seconds"] for run in runs[who]) for who in ("neap", "sklearn"))
    return Result(sklearn / neap, runs, why="neap %.2f s, scikit-learn %.2f s" % (neap, sklearn))


ROWS = [
    Row("tfidf", "reading 50,000 texts of 100 words and weighing their words", "seconds against scikit-learn's TfidfVectorizer", "times",
        Goal("at least", 5), speed),
]
