#!/usr/bin/env python3
"""TF-IDF against scikit-learn, and the randomised SVD against SciPy's svds.

usage: text_oracle.py TEXT_MATRIX     TEXT_MATRIX: the program of tests/text_matrix.c

Texts are made up: topics share words, and words have the frequencies of Zipf. Skipped (77) without the packages.
"""
import json
import subprocess
import sys
import tempfile

try:
    import numpy as np
    from scipy.sparse.linalg import svds
    from sklearn.feature_extraction.text import TfidfVectorizer
except ImportError as missing:
    print(missing)
    sys.exit(77)

LINES, WORDS, TOPICS = 600, 1500, 12
LEADING = 50


def texts(random):
    topic = random.permuted(np.tile(1 / np.arange(1, WORDS + 1), (TOPICS, 1)), axis=1)
    weight = topic / topic.sum(1, keepdims=True) + 1 / np.arange(1, WORDS + 1) / 50
    weight /= weight.sum(1, keepdims=True)
    for i in range(LINES):
        words = random.choice(WORDS, random.integers(5, 120), p=weight[random.integers(TOPICS)])
        yield " ".join(f"w{w}" for w in words) if i % 50 else ""  # some texts are empty


def ours(program, path, tf, idf, norm, k=0):
    command = [program, path, str(LINES), str(tf), str(idf), str(norm), str(k)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def dense(rows, vocabulary):
    a = np.zeros((LINES, len(vocabulary)))
    for i, row in enumerate(rows):
        for word, weight in row.items():
            a[i, vocabulary[word]] = weight
    return a


def weights(program, path, lines):
    """Name, and the largest difference: with the smooth idf from scikit-learn, with the plain one from NumPy."""
    for tf, choices in enumerate(({}, {"binary": True}, {"sublinear_tf": True})):
        for norm, name in enumerate(("l2", None)):
            oracle = TfidfVectorizer(token_pattern=r"(?u)\w+", norm=name, **choices)
            theirs = oracle.fit_transform(lines).toarray()
            found = dense(ours(program, path, tf, 0, norm)["rows"], oracle.vocabulary_)
            yield f"tf {choices or 'count'}, norm {name}", np.abs(found - theirs).max(), 1e-6 * max(1, theirs.max())
    counts = TfidfVectorizer(token_pattern=r"(?u)\w+", norm=None, use_idf=False)
    theirs = counts.fit_transform(lines).toarray()
    theirs *= np.log(LINES / (theirs > 0).sum(0))
    found = dense(ours(program, path, 0, 1, 1)["rows"], counts.vocabulary_)
    yield "plain idf", np.abs(found - theirs).max(), 1e-6 * theirs.max()


def singular(program, path, lines):
    oracle = TfidfVectorizer(token_pattern=r"(?u)\w+")
    matrix = oracle.fit_transform(lines)
    for k in (LEADING, 100):
        u, s, vt = svds(matrix, k, tol=1e-10)
        order = np.argsort(-s)
        s, vt = s[order], vt[order]
        found = ours(program, path, 0, 0, 0, k)
        yield f"the {LEADING} leading of {k} values", (np.abs(found["values"] - s) / s)[:LEADING].max(), 1e-3
        V = np.zeros((matrix.shape[1], k))
        for word, row in found["vectors"].items():
            V[oracle.vocabulary_[word]] = row
        yield "orthonormality", np.abs(V.T @ V - np.eye(k)).max(), 1e-4
        yield "first vectors", (1 - np.abs((V * vt.T).sum(0)))[:5].max(), 1e-4
        best = (matrix.power(2)).sum() - (s ** 2).sum()
        left = np.linalg.norm(matrix - (matrix @ V) @ V.T) ** 2
        yield f"what {k} vectors leave over, against the least", left / best - 1, 1e-2


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    failed = False
    lines = list(texts(np.random.default_rng(3)))
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(lines) + "\n")
        file.flush()
        for part in (weights, singular):
            for what, value, limit in part(sys.argv[1], file.name, lines):
                failed |= not value <= limit
                print(f"{what}: {value:.1e}, limit {limit:.0e}", "" if value <= limit else "FAILED")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
