#!/usr/bin/python3
"""GAP in PyTorch, from the paper, as someone who knows PyTorch would write it: what Neap is measured against.

    torch_gap.py speed --graph FILE [--batch 64 --neighbors 100 --seconds 10 ...]    edges a second of training
    torch_gap.py auc --graph FILE --target 0.976 [--lr ... --batch ...]              seconds until a test AUC is reached

Prints one JSON object. The protocol is the paper's: train on a share of the edges, read the neighbourhoods of the whole
graph. Items are batched, neighbourhoods padded to the widest of the batch and masked, the product of the source with P is
made once for target and non-link, the table has sparse gradients and SparseAdam. Dropout is a mask for each occurrence, as
in the authors' program; Neap's preset `paper` draws one for each distinct node of a batch.

torch_tuned.py is the same model with everything we know about speed, PyTorch's and Neap's. tests/torch_oracle.py holds
both to the loss and gradients of src/attention/reference.c.
"""
import argparse
import itertools
import json
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


def attention(z, missing):
    """Pooled alignments (B x a) -> softmax(tanh(z)) over the neighbours that are there."""
    return torch.tanh(z).masked_fill(missing, -1e9).softmax(1)


def weighted_sum(w, X):
    """w (B x a), X (B x a x d) -> B x d"""
    return torch.bmm(w[:, None], X)[:, 0]


def attend(z, missing, X):
    return weighted_sum(attention(z, missing), X)


class Gap(nn.Module):
    """near: n x S, the neighbours of each node in ascending order, n in the places of those that are missing.

    Row n of E is zero and stays so: a missing neighbour is a zero vector, which may win a maximum but is paid no
    attention. One missing place is as good as many, so a batch is trimmed to its widest neighbourhood and one more."""

    def __init__(self, near, dim, margin=1.0, dropout=0.5):
        super().__init__()
        self.near, self.size = near, (near < len(near)).sum(1)
        self.margin, self.dropout = margin, dropout
        self.E = nn.Embedding(len(near) + 1, dim, padding_idx=len(near), sparse=True)
        self.P = nn.Parameter(torch.empty(dim, dim))
        nn.init.xavier_uniform_(self.E.weight)
        nn.init.normal_(self.P, std=dim ** -0.5)
        with torch.no_grad():
            self.E.weight[-1] = 0

    def hood(self, nodes):
        """Neighbours (B x a), and which of them are missing."""
        size = self.size[nodes]
        width = min(int(size.max()) + 1, self.near.shape[1])
        return self.near[nodes, :width], torch.arange(width) >= size[:, None]

    def rows(self, hood):
        return F.dropout(self.E(hood), self.dropout, self.training)

    def loss(self, s, t, q):
        """The mean of max(0, margin - r_s . r_t + r_s . r_q), r_s in the context of t."""
        (i, no_i), (j, no_j), (k, no_k) = map(self.hood, (s, t, q))
        X, Y, Z = map(self.rows, (i, j, k))
        Q = X @ self.P
        M, N = torch.bmm(Q, Y.transpose(1, 2)), torch.bmm(Q, Z.transpose(1, 2))
        r_s = attend(M.max(2).values, no_i, X)
        r_t, r_q = attend(M.max(1).values, no_j, Y), attend(N.max(1).values, no_k, Z)
        return F.relu(self.margin - (r_s * (r_t - r_q)).sum(1)).mean()

    @torch.no_grad()
    def score(self, s, t):
        """r_s . r_t of each pair, without dropout."""
        self.eval()
        scores = []
        for a, b in zip(s.split(1024), t.split(1024)):
            (i, no_i), (j, no_j) = self.hood(a), self.hood(b)
            X, Y = self.rows(i), self.rows(j)
            M = torch.bmm(X @ self.P, Y.transpose(1, 2))
            r_s, r_t = attend(M.amax(2), no_i, X), attend(M.amax(1), no_j, Y)
            scores.append((r_s * r_t).sum(1))
        self.train()
        return torch.cat(scores)


def auc(positive, negative):
    """The share of pairs (p, q) with positive[p] > negative[q]; a tie counts half."""
    negative = negative.sort().values
    wins = torch.searchsorted(negative, positive) + torch.searchsorted(negative, positive, right=True)
    return wins.double().mean().item() / (2 * len(negative))


# ---- a graph under the paper's protocol ----

def read_edges(path):
    """Edges (m x 2), each once, between nodes 0 .. n - 1, and n."""
    edges = np.loadtxt(path, dtype=np.int64, usecols=(0, 1))
    names, edges = np.unique(edges, return_inverse=True)
    return np.unique(edges.reshape(-1, 2), axis=0), len(names)


def both_ways(edges):
    return np.unique(np.concatenate([edges, edges[:, ::-1]]), axis=0)


def neighbourhoods(edges, nodes, most, draw):
    """n x S: the neighbours in either direction, of more than S a random sample; with a loop always itself, too."""
    u, v = both_ways(edges).T
    order = np.lexsort((np.where(u == v, -1, draw.random(len(u))), u))
    u, v = u[order], v[order]
    place = np.arange(len(u)) - np.searchsorted(u, u)
    near = np.full((nodes, most), nodes)
    near[u[place < most], place[place < most]] = v[place < most]
    return torch.from_numpy(np.sort(near))


def test_pairs(train, test, nodes, draw):
    """Test edges between nodes that have a training edge, and for each a random such node w of the test edges, which is
    not s or t."""
    trained = np.isin(np.arange(nodes), train)
    candidates = np.intersect1d(test, trained.nonzero()[0])
    s, t = test[trained[test].all(1)].T
    w = draw.choice(candidates, len(s))
    while ((w == s) | (w == t)).any():
        w = np.where((w == s) | (w == t), draw.choice(candidates, len(s)), w)
    return [torch.from_numpy(x) for x in (s, t, w)]


class Strangers:
    """Uniform nodes that a source is not linked with in training, nor the source itself."""

    def __init__(self, edges, nodes):
        u, v = both_ways(edges).T
        self.nodes, self.keys = nodes, torch.from_numpy(u * nodes + v)  # ascending

    def refused(self, s, q):
        key = s * self.nodes + q
        at = torch.searchsorted(self.keys, key).clamp_(max=len(self.keys) - 1)
        return (self.keys[at] == key) | (s == q)

    def draw(self, s):
        q = torch.randint(self.nodes, s.shape)
        for _ in range(100):  # a source may be linked with all
            again = self.refused(s, q)
            if not again.any():
                break
            q[again] = torch.randint(self.nodes, (int(again.sum()),))
        return q


class Task:
    """A graph, a model and their training."""

    Model = Gap

    def __init__(self, args):
        torch.manual_seed(args.seed)
        draw = np.random.default_rng(args.seed)
        edges, nodes = read_edges(args.graph)
        mixed, count = draw.permutation(edges), int(len(edges) * args.split_share)
        self.test = test_pairs(mixed[:count], mixed[count:], nodes, draw)
        self.strangers = Strangers(mixed[:count], nodes)
        self.train = torch.from_numpy(mixed[:count])
        self.batch = args.batch
        self.model = self.Model(neighbourhoods(edges, nodes, args.neighbors, draw), args.dim)
        self.optimizers = [torch.optim.SparseAdam(self.model.E.parameters(), args.lr),
                           torch.optim.Adam([self.model.P], args.lr)]

    def batches(self):
        """One epoch: every training edge once, in a new order, each with a fresh non-link."""
        for at in torch.randperm(len(self.train)).split(self.batch):
            s, t = self.train[at].t()
            yield s, t, self.strangers.draw(s)

    def learn(self, s, t, q):
        """Leaves the gradient of the loss with the parameters."""
        self.model.loss(s, t, q).backward()

    def step(self, s, t, q):
        for optimizer in self.optimizers:
            optimizer.zero_grad(set_to_none=True)
        self.learn(s, t, q)
        for optimizer in self.optimizers:
            optimizer.step()

    def auc(self):
        s, t, w = self.test
        return auc(self.model.score(s, t), self.model.score(s, w))


# ---- measurements ----

def measure_speed(task, args):
    batches = (items for _ in itertools.count() for items in task.batches())
    for items in itertools.islice(batches, 3):
        task.step(*items)
    start, edges, seconds = time.perf_counter(), 0, 0.0
    while seconds < args.seconds:
        items = next(batches)
        task.step(*items)
        edges += len(items[0])
        seconds = time.perf_counter() - start
    return {"edges_per_second": edges / seconds, "batch": args.batch, "threads": args.threads,
            "edges": edges, "seconds": seconds}


def measure_auc(task, args, start):
    for epoch in itertools.count(1):
        for items in task.batches():
            task.step(*items)
        reached, seconds = task.auc(), time.perf_counter() - start
        if reached >= args.target or seconds >= args.limit:
            return {"seconds": seconds, "auc": reached, "epochs": epoch, "reached": reached >= args.target}


def main(Task, about, more=()):
    """more: (name, type, default) of further options."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("speed", "auc"))
    parser.add_argument("--graph", required=True)
    for name, kind, usual in (("split-share", float, 0.55), ("neighbors", int, 100), ("dim", int, 200),
                              ("batch", int, 64), ("lr", float, 1e-4), ("seed", int, 1), ("seconds", float, 10.0),
                              ("target", float, 1.0), ("limit", float, 600.0),
                              ("threads", int, torch.get_num_threads()), *more):
        parser.add_argument("--" + name, type=kind, default=usual)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    start = time.perf_counter()
    task = Task(args)
    print(json.dumps(measure_speed(task, args) if args.what == "speed" else measure_auc(task, args, start)))


if __name__ == "__main__":
    main(Task, __doc__)
