#!/usr/bin/python3
"""Evidence about links weighed by an additive model, as a script with NumPy, SciPy and scikit-learn, for the benchmark: prints
JSON with seconds and the peak of memory.

    scipy_evidence.py GRAPH [--undirected]

GRAPH: two names in a line, maybe compressed by gzip. The work is that of `neap train --method evidence` on a graph without
texts: up to 6,000 links in folds of a tenth of all links, each with 30 non-links; 38 kinds of evidence about each pair (28 in an
undirected graph) in the graph without the fold's links; a line and a step function for each, fitted with both losses; a slope
and a start from a held fifth. Sources are taken 128 at a time, and everything about them is a product of whole arrays.
"""
import argparse
import gzip
import json
import resource
import time

import numpy as np
import scipy.sparse as sparse
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.utils.extmath import randomized_range_finder

POSITIVES, FOLD, KIND, STEPS, RESTART, DIM = 6000, 0.1, 10, 8, 0.15, 128
LINK, RIDGE, LAMBDA, RATE, ROUNDS, PATIENCE, BINS, LEAF = 5, 60, 20, 0.15, 200, 20, 64, 20
GROUP = 1 + 3 * KIND


# ---- the graph ----

def read(path):
    number, ends = {}, []
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
        for line in file:
            if line[0] not in "#%":
                source, target = line.split()[:2]
                ends.append((number.setdefault(source, len(number)), number.setdefault(target, len(number))))
    ends = np.array(ends)
    return len(number), np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0)


def matrix(n, ends):
    a = sparse.csr_matrix((np.ones(len(ends), np.float32), ends.T), (n, n))
    a.data[:] = 1
    return a


def both_ways(n, ends):
    return matrix(n, np.vstack([ends, ends[:, ::-1]]))


def core_numbers(a):
    degree, core, k = np.diff(a.indptr).astype(float), np.zeros(a.shape[0], np.float32), 0
    left = degree > 0
    while left.any():
        k += 1
        gone = left & (degree < k)
        while gone.any():
            core[gone] = k - 1
            left &= ~gone
            degree -= a @ gone
            gone = left & (degree < k)
    return core


def eigenpairs(w):
    d = min(DIM, w.shape[0] - 40)
    q = randomized_range_finder(w, size=min(d + 16, w.shape[0]), n_iter=6, random_state=1)
    value, turn = np.linalg.eigh(q.T @ (w @ q))
    best = np.argsort(-abs(value))[:d]
    return value[best].astype(np.float32), (q @ turn[:, best]).astype(np.float32)


# ---- evidence ----

class Evidence:
    """Of one graph."""

    def __init__(self, n, ends, directed):
        self.n, self.directed = n, directed
        a = self.a = both_ways(n, ends)
        k = self.k = np.asarray(a.sum(1)).ravel()
        one = self.one = np.maximum(k, 1)
        scale = lambda x: sparse.diags(np.asarray(x, np.float32))
        self.step = (scale(1 / one) @ a).tocsr()
        self.by_log = (scale(1 / np.log(np.maximum(k, 2))) @ a).tocsr()
        rank = np.ones(n, np.float32)
        for _ in range(30):
            rank = RESTART + (1 - RESTART) * (a @ (rank / one))
        triangles = np.asarray((a @ a).multiply(a).sum(1)).ravel()
        self.node = {"degree": k, "around": a @ k / one, "pagerank": rank, "core": core_numbers(a),
                     "clustering": triangles / np.maximum(one * (one - 1), 1)}
        self.value, self.vector = eigenpairs((scale(one ** -0.5) @ a @ scale(one ** -0.5)).tocsr())
        self.length = np.sqrt((self.vector ** 2) @ abs(self.value))
        if directed:
            self.d = matrix(n, ends)
            self.back = self.d.T.tocsr()
            out, into = np.asarray(self.d.sum(1)).ravel(), np.asarray(self.d.sum(0)).ravel()
            self.node.update(out=out, into=into)
            self.mixed = (scale(1 / np.maximum(into, 1)) @ self.back @ scale(1 / np.maximum(out, 1))).tocsr()

    def rows(self, sources):
        """Evidence that is made of links: arrays of nodes x sources."""
        a, k, ks, kt = self.a, self.k, self.one[sources], self.one[:, None]
        dense = lambda x: np.asarray(x.T.todense())
        f = {"cn": dense(a[sources] @ a), "aa": dense(a[sources] @ self.by_log), "ra": dense(a[sources] @ self.step)}
        f["jaccard"] = f["cn"] / np.maximum(k[sources] + k[:, None] - f["cn"], 1)
        f["a3"] = a @ f["cn"]
        z = dense(sparse.diags(1 / ks) @ a[sources]) / kt
        both, total = np.sqrt(ks * kt), (1 - RESTART) * z
        for j in range(2, STEPS + 1):
            z = self.step @ z
            total += (1 - RESTART) ** j * z
            f["w%d" % j] = z * both
        f["l3"], f["ppr/k"] = f["w3"] * both, RESTART * total
        f["ppr"] = f["ppr/k"] * (kt if self.directed else ks + kt)
        if self.directed:
            d, back = self.d, self.back
            f["back"] = f["ppr/k"] * ks
            f["s>x>t"], f["s>x<t"] = dense(d[sources] @ d), dense(d[sources] @ back)
            f["s<x>t"], f["s<x<t"] = dense(back[sources] @ d), dense(back[sources] @ back)
            f["s>x<y>t"] = back @ dense(d[sources] @ self.mixed)
        return f

    def close(self, s, t):
        once = (self.vector[s] * self.value * self.vector[t]).sum(1)
        both = np.sqrt(self.one[s] * self.one[t])
        return {"spectral-1": once * both, "spectral-3": (self.vector[s] * self.value ** 3 * self.vector[t]).sum(1) * both,
                "cosine": once / np.maximum(self.length[s] * self.length[t], 1e-12)}

    def ends(self, s, t):
        f = {}
        for name, x in self.node.items():
            first, second = (x[s], x[t]) if self.directed else (np.minimum(x[s], x[t]), np.maximum(x[s], x[t]))
            f[name + "-s"], f[name + "-t"] = first, second
        return f


PLAIN = ("spectral-1", "spectral-3", "cosine")


# ---- examples ----

def non_links(draw, evidence, linked, source, likely, popular):
    """Targets of one source, even, likely and popular ones, and for how many nodes each stands."""
    even = draw.integers(evidence.n, size=20 * KIND)
    even = np.resize(even[~linked[even]], KIND)
    popular = popular[~linked[popular]]
    popular = popular[~np.isin(popular, likely)][:100]
    rest = max(KIND, evidence.n - len(likely) - len(popular))
    top = draw.choice(popular, KIND) if len(popular) else even
    return (np.concatenate([even, draw.choice(likely, KIND), top]),
            np.repeat([rest / KIND, len(likely) / KIND, len(popular) / KIND], KIND))


def fold_examples(draw, n, ends, links, held, directed):
    keep = ~np.isin(np.sort(ends, 1) @ [n, 1], np.sort(held, 1) @ [n, 1])
    evidence = Evidence(n, ends[keep], directed)
    popular = np.argsort(-evidence.node["into" if directed else "degree"], kind="stable")[:400]
    held = held[np.argsort(held[:, 0], kind="stable")]
    sources, place = np.unique(held[:, 0], return_inverse=True)
    columns, stands = [], []
    for first in range(0, len(sources), 128):
        block = sources[first:first + 128]
        rows = evidence.rows(block)
        linked = np.asarray(links[block].todense()) > 0
        linked[np.arange(len(block)), block] = True
        ranks = np.where(linked, 0, rows["ppr/k"].T * evidence.k)
        likely = np.argpartition(-ranks, min(100, n - 1), axis=1)[:, :100]
        lane, target = [], []
        for g in np.flatnonzero((place >= first) & (place < first + 128)):
            q = place[g] - first
            some, weight = non_links(draw, evidence, linked[q], block[q], likely[q], popular)
            lane.append(np.full(GROUP, q))
            target.append(np.append(held[g, 1], some))
            stands.append(np.append(1, weight))
        lane, target = np.concatenate(lane), np.concatenate(target)
        found = {name: x[target, lane] for name, x in rows.items()}
        columns.append(found | evidence.close(block[lane], target) | evidence.ends(block[lane], target))
    return {name: np.concatenate([c[name] for c in columns]) for name in columns[0]}, np.array(stands)


def examples(n, ends, directed):
    draw = np.random.default_rng(1)
    links = both_ways(n, ends)
    pairs = np.unique(np.sort(ends, 1), axis=0)
    chosen = draw.permutation(pairs)[:POSITIVES]
    turn = draw.random(len(chosen)) < 0.5
    if directed:
        there = set(map(tuple, ends))
        turn = np.array([(t, s) in there and ((s, t) not in there or coin) for (s, t), coin in zip(map(tuple, chosen), turn)])
    chosen[turn] = chosen[turn, ::-1]
    folds = np.array_split(chosen, int(np.ceil(len(chosen) / max(1, FOLD * len(pairs)))))
    parts = [fold_examples(draw, n, ends, links, held, directed) for held in folds]
    return ({name: np.concatenate([p[0][name] for p in parts]) for name in parts[0][0]},
            np.concatenate([p[1] for p in parts]))


# ---- the model ----

def loss(score, stands, groups):
    """Of both losses together: the value, and first and second derivatives by the scores (groups x GROUP)."""
    s = score[groups]
    even = slice(1, 1 + KIND)
    weight = np.zeros(GROUP)
    weight[0], weight[even] = LINK, LINK / KIND
    label = np.arange(GROUP) == 0
    chance = expit(s)
    value = (weight * np.logaddexp(0, np.where(label, -s, s))).sum()
    heavy = stands[groups] * np.exp(s - s.max(1, keepdims=True))
    share = heavy / heavy.sum(1, keepdims=True)
    value -= np.log(np.maximum(share[:, 0], 1e-300)).sum()
    return value, weight * (chance - label) + share - label, weight * chance * (1 - chance) + share * (1 - share)


def scaled(x, plain):
    if not plain:
        positive = x[x > 0]
        x = np.log(x + max(np.percentile(positive, 1), 1e-12) if len(positive) else x + 1e-9)
    return (x - x.mean()) / max(x.std(), 1e-6)


def bins(x):
    """Quantiles where all links weigh as much as all non-links."""
    order = np.argsort(x, kind="stable")
    weight = np.where(order % GROUP == 0, GROUP - 1, 1)
    at = np.searchsorted(np.cumsum(weight), np.linspace(0, weight.sum(), BINS)[1:-1])
    return np.searchsorted(np.unique(x[order[at]]), x).astype(np.intp)


def lines(Z, stands, groups):
    z = Z.reshape(-1, GROUP, Z.shape[1])[groups].reshape(-1, Z.shape[1])

    def objective(b):
        value, gradient, _ = loss((z @ b[:-1] + b[-1]).reshape(-1, GROUP), stands[groups], slice(None))
        flat = gradient.ravel()
        return value + RIDGE / 2 * b[:-1] @ b[:-1], np.append(flat @ z + RIDGE * b[:-1], flat.sum())

    return minimize(objective, np.zeros(Z.shape[1] + 1), jac=True, method="L-BFGS-B", options={"maxiter": 200}).x


def best_cut(bins_of, g, h):
    best = (0, None)
    for j, q in enumerate(bins_of):
        G, H = np.cumsum(np.bincount(q, g, BINS)), np.cumsum(np.bincount(q, h, BINS))
        count = np.cumsum(np.bincount(q, minlength=BINS))
        gain = G ** 2 / (H + LAMBDA) + (G[-1] - G) ** 2 / (H[-1] - H + LAMBDA) - G[-1] ** 2 / (H[-1] + LAMBDA)
        gain[(count < LEAF) | (count[-1] - count < LEAF)] = 0
        at = gain.argmax()
        if gain[at] > best[0]:
            best = (gain[at], (j, at, -G[at] / (H[at] + LAMBDA), -(G[-1] - G[at]) / (H[-1] - H[at] + LAMBDA)))
    return best[1]


def fit(Z, Q, stands, held, rounds):
    """Scores of all examples after lines and steps; held: groups that tell when to stop, or None."""
    groups = np.arange(len(stands)) if held is None else np.flatnonzero(~held)
    b = lines(Z, stands, groups)
    score = (Z @ b[:-1] + b[-1]).reshape(-1, GROUP)
    some = [q.reshape(-1, GROUP)[groups].ravel() for q in Q]
    best, kept, kept_score, t = np.inf, 0, score, 0
    while t < (ROUNDS + 2000 if held is not None else rounds):
        _, g, h = loss(score, stands, groups)
        cut = best_cut(some, g.ravel(), h.ravel())
        if cut is None:
            break
        j, at, left, right = cut
        score = score + RATE * np.where(Q[j].reshape(-1, GROUP) <= at, left, right)
        t += 1
        if held is not None and t >= ROUNDS:
            now = loss(score, stands, held)[0]
            if now < best:
                best, kept, kept_score = now, t, score
            elif t > kept + PATIENCE:
                break
    return (kept_score, kept) if held is not None else (score, t)


def train(columns, stands):
    Z = np.column_stack([scaled(x.astype(float), name in PLAIN) for name, x in columns.items()])
    Q = [bins(x) for x in columns.values()]
    fifth = np.random.default_rng(2).integers(5, size=len(stands))
    apart, rounds, fifths = np.zeros((len(stands), GROUP)), [], 5 if len(stands) < 2500 else 1
    for k in range(fifths):
        score, t = fit(Z, Q, stands, fifth == k, 0)
        apart[fifth == k] = score[fifth == k]
        rounds.append(t)
    seen = apart[fifth < fifths][:, :1 + KIND]
    label = np.broadcast_to(np.arange(1 + KIND) == 0, seen.shape).ravel()
    final = LogisticRegression(C=1e6).fit(seen.reshape(-1, 1), label, np.where(label, 1, 1 / KIND))
    fit(Z, Q, stands, None, int(np.mean(rounds)))
    return roc_auc_score(label, seen.ravel()), rounds, final


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graph")
    parser.add_argument("--undirected", action="store_true")
    args = parser.parse_args()
    start, busy = time.perf_counter(), time.process_time()
    n, ends = read(args.graph)
    columns, stands = examples(n, ends, not args.undirected)
    measured = time.perf_counter()
    auc, rounds, _ = train(columns, stands)
    end = time.perf_counter()
    print(json.dumps({"nodes": n, "links": len(stands), "evidence": len(columns), "rounds": rounds, "auc": auc,
                      "seconds": end - start, "busy_seconds": time.process_time() - busy,
                      "seconds_evidence": measured - start,
                      "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}))


if __name__ == "__main__":
    main()
