#!/usr/bin/python3
"""heuristics_oracle.py NEAP [GRAPH] - holds the heuristics of the program to SciPy.

Draws two graphs (or takes the edge list GRAPH), lets the program train and score every heuristic, and computes the
same scores with sparse matrices, eigsh and a direct solver. Exits with 0 if all agree to 1e-5, else with 1."""
import os
import subprocess
import sys
import tempfile

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as la

TOLERANCE = 1e-5


def power(k, exponent):
    """k ** exponent on the diagonal; 0 where k is 0."""
    k = np.asarray(k, dtype=float)
    return sp.diags(np.where(k > 0, np.maximum(k, 1) ** exponent, 0))


def inverse_log(k):
    return sp.diags(np.where(k > 1, 1 / np.log(np.maximum(k, 2)), 0))


def solve_columns(matrix, columns):
    """The named columns of the inverse of a matrix, one beside the other."""
    return la.splu(matrix.tocsc()).solve(np.eye(matrix.shape[0])[:, columns])


def katz(A, u, v):
    beta = 0.5 / la.eigsh(A, k=1, which="LA", tol=1e-12)[0][0]
    sources, place = np.unique(u, return_inverse=True)
    return solve_columns(sp.identity(len(A.indptr) - 1) - beta * A, sources)[v, place] - (u == v)


def pagerank(A, u, v):
    """pi_u(v): column u of 0.15 (I - 0.85 A D^-1)^-1, where a node without links leads to itself."""
    k = np.diff(A.indptr)
    walk = (A + sp.diags((k == 0).astype(float))) @ sp.diags(1 / np.maximum(k, 1))
    sources, place = np.unique(u, return_inverse=True)
    return 0.15 * solve_columns(sp.identity(len(k)) - 0.85 * walk, sources)[v, place]


def popularity(edges, n, undirected, v):
    """How many distinct edges lead to v; without a direction, to or from it."""
    distinct = {(s, t) for s, t in edges.tolist() if s != t}
    if undirected:
        distinct |= {(t, s) for s, t in distinct}
    count = np.zeros(n)
    for _, t in distinct:
        count[t] += 1
    return count[v]


def expected(A, edges, undirected, method, u, v):
    k = np.diff(A.indptr)

    def entries(matrix):
        return np.asarray(matrix.tocsr()[u, v]).ravel()

    if method == "popularity":
        return popularity(edges, len(k), undirected, v)
    if method == "pa":
        return k[u].astype(float) * k[v]
    if method == "cn":
        return entries(A @ A)
    if method == "aa":
        return entries(A @ inverse_log(k) @ A)
    if method == "ra":
        return entries(A @ power(k, -1) @ A)
    if method == "l3":
        return entries(A @ power(k, -0.5) @ A @ power(k, -0.5) @ A)
    if method == "walk3":
        N = power(k, -0.5) @ A @ power(k, -0.5)
        return entries(N @ N @ N)
    if method == "katz":
        return katz(A, u, v)
    return pagerank(A, u, v) + pagerank(A, v, u)


def draw(seed, path):
    """An adjacency list with loops, edges in both directions, and nodes without any."""
    rng = np.random.default_rng(seed)
    n = 150
    popularity = rng.permutation((np.arange(n) + 3.0) ** -0.8)
    edges = rng.choice(n, size=(4 * n, 2), p=popularity / popularity.sum())
    edges = edges[(edges % 25 != 0).all(axis=1)]
    with open(path, "w", encoding="ascii") as out:
        for u in range(n):
            print(u, *edges[edges[:, 0] == u, 1], file=out)
    return n, edges


def read(path):
    edges = np.loadtxt(path, dtype=str, usecols=(0, 1), comments=("#", "%"))
    names, number = np.unique(edges, return_inverse=True)
    return names, number.reshape(edges.shape)


def adjacency(n, edges):
    edges = edges[edges[:, 0] != edges[:, 1]]
    A = sp.coo_matrix((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(n, n)).tocsr()
    A = ((A + A.T) > 0).astype(float).tocsr()
    A.sort_indices()
    return A


def scores(neap, graph, options, method, names, u, v):
    with open("pairs", "w", encoding="utf-8") as out:
        out.writelines(f"{names[a]}\t{names[b]}\n" for a, b in zip(u, v))
    subprocess.run([neap, "train", graph, *options, "--method", method, "-o", "model"], check=True, capture_output=True)
    text = subprocess.run([neap, "score", "model", "pairs"], check=True, capture_output=True, text=True).stdout
    return np.array([float(line.split("\t")[2]) for line in text.splitlines()])


def compare(neap, graph, options, names, edges, u, v):
    worst, A = 0.0, adjacency(len(names), edges)
    for method in ("pa", "popularity", "cn", "aa", "ra", "katz", "l3", "walk3", "ppr"):
        ours = scores(neap, graph, options, method, names, u, v)
        theirs = expected(A, edges, "--undirected" in options, method, u, v)
        least = 1e-6 if method == "ppr" else 1e-9  # below, the terms that ppr leaves out can be seen
        error = np.max(np.abs(ours - theirs) / np.maximum(np.abs(theirs), least))
        print(f"{graph} {method}: {len(u)} pairs, largest relative error {error:.1e}")
        worst = max(worst, error)
    return worst


def main():
    neap, given = os.path.abspath(sys.argv[1]), [os.path.abspath(p) for p in sys.argv[2:3]]
    rng = np.random.default_rng(7)
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for path in given:
            names, edges = read(path)
            u, v = rng.integers(len(names), size=(2, 500))
            worst = max(worst, compare(neap, path, [], names, edges, u, v))
        for seed in () if given else (1, 2):
            n, edges = draw(seed, "drawn.adj")
            u, v = (x.ravel() for x in np.meshgrid(np.arange(n), np.arange(0, n, 5)))
            names = [str(x) for x in range(n)]
            options = ["--format", "adjacency"] + ["--undirected"] * (seed == 2)
            worst = max(worst, compare(neap, "drawn.adj", options, names, edges, u, v))
    return 0 if worst <= TOLERANCE else 1


if __name__ == "__main__":
    sys.exit(main())
