#!/usr/bin/python3
"""GAP in PyTorch with everything we know about speed; the commands and the protocol are those of torch_gap.py.

It is shown beside the plain one, so that everybody can see what is due to Neap's ideas and what to its engine:

    --plan rows     looks up each distinct node of a batch once: one mask and one product with P for it, as Neap does;
                    everything behind it is done pair by pair
    --plan table    one product X P X' of all distinct rows, from which every pair gathers its alignments, as Neap does

What it does besides: one thread of OpenBLAS and parts of a batch in Python threads instead of OpenBLAS' own threads; parts
of like shape; the winners of a maximum picked without autograd; torch.rand against a threshold instead of F.dropout;
memory kept by malloc.
"""
import ctypes
import itertools
import os
from concurrent.futures import ThreadPoolExecutor

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before anything loads OpenBLAS: our workers are the threads

import torch
from torch.nn import functional as F

import torch_gap
from torch_gap import attention, weighted_sum

PLANS = ("rows", "table")
PART_ROWS = 6400  # neighbours in one part of a batch: 5 MB of vectors at d = 200


class Workers(ThreadPoolExecutor):
    """Threads that take the parts of a batch, each with one thread of OpenMP and of OpenBLAS. PyTorch holds the
    interpreter's lock only between its operations, and adds to a gradient under a lock of its own."""

    def __init__(self, count):
        super().__init__(count)
        self.count = count
        torch.set_num_threads(1)

    def each(self, work, parts):
        return list(self.map(work, parts))


def drop(X, p):
    """F.dropout by one vectorised draw of uniform numbers."""
    return X * torch.rand_like(X).ge_(p).mul_(1 / (1 - p)) if p else X


def pick(X, which):
    """X (B x a x d), which (B x b) -> the rows X[i, which[i]], B x b x d"""
    first = torch.arange(0, X.shape[0] * X.shape[1], X.shape[1])
    return F.embedding(which + first[:, None], X.reshape(-1, X.shape[2]))


class Gap(torch_gap.Gap):
    """The gradient of a batch is made by parts, on several threads. What all parts share is made before them, and goes
    back after them."""

    plan, workers = "rows", None

    def learn(self, s, t, q):
        """The mean of max(0, margin - r_s . r_t + r_s . r_q) over the items, r_s in the context of t."""
        rows, place = self.distinct_rows(s, t, q)
        parts = [(s[part], t[part], q[part]) for part in self.parts(self.workers.count, s, t, q)]
        made = self.shared(rows)
        leaves = [tensor.detach().requires_grad_() for tensor in made]
        part_loss, groups = self.pair_loss, [[items] for items in parts]
        if self.plan == "table":  # its gradient is as large as the table itself: one for each worker, not for each part
            part_loss = self.table_loss
            groups = [parts[k::self.workers.count] for k in range(min(self.workers.count, len(parts)))]

        def learn_group(group):
            loss = part_loss(group, place, *leaves) / len(s)
            loss.backward()
            return loss.item()

        loss = sum(self.workers.each(learn_group, groups))
        torch.autograd.backward(made, [leaf.grad for leaf in leaves])
        return loss

    # ---- what a batch reads ----

    def hoods(self, place, items):
        """Places of the neighbours of s (B x a) and of t and q side by side (B x (b + c)); b; who is missing."""
        (i, no_i), (j, no_j), (k, no_k) = map(self.hood, items)
        return place[i], place[torch.cat([j, k], 1)], j.shape[1], (no_i, no_j, no_k)

    def parts(self, workers, *sides):
        """Items of like shape together, or padding were most of the work: the indices of each part, largest first."""
        size = torch.stack([self.size[side] for side in sides])
        step = (size + 1).float().log2().ceil().long()
        key = step.amax(0)
        for minor in (step[0], step[1], size[-1]):
            key = key * (self.near.shape[1] + 1) + minor
        order = key.argsort(descending=True)
        before = size.sum(0)[order].cumsum(0)
        count = (before // min(PART_ROWS, int(before[-1]) // (2 * workers) + 1)).bincount()
        return order.split(count[count > 0].tolist())

    def distinct_rows(self, *sides):
        """The rows of E that a batch reads, padding last, and the place of each node among them."""
        read = torch.zeros(len(self.near) + 1, dtype=torch.bool)
        read[self.near[torch.cat(sides).unique()].view(-1)] = True
        read[-1] = True
        return read.nonzero()[:, 0], read.cumsum(0) - 1

    def shared(self, rows):
        """What the parts of a batch have in common, by plan: X and X P (R x d); X and X P X' (R x R)."""
        X = drop(self.E(rows), self.dropout)
        Q = X @ self.P
        return [X, Q] if self.plan == "rows" else [X, Q @ X.t()]

    # ---- plan `rows` ----

    def pair_loss(self, group, place, X, Q):
        """Sum over the items of one part. Target and negative stand side by side in Y, so that a product of s is made
        once for both. A maximum has gradient for its winner only: M is made without autograd, the winners with it."""
        i, jk, b, (no_i, no_j, no_k) = self.hoods(place, *group)
        XI, QI, Y = F.embedding(i, X), F.embedding(i, Q), F.embedding(jk, X)
        with torch.no_grad():
            M = torch.bmm(QI, Y.transpose(1, 2))
            best_j, best_i = M[:, :, :b].max(2).indices, M.max(1).indices
        z_i, z_j = (QI * pick(Y, best_j)).sum(2), (pick(QI, best_i) * Y).sum(2)
        r_s = weighted_sum(attention(z_i, no_i), XI)
        v = torch.cat([attention(z_j[:, :b], no_j), -attention(z_j[:, b:], no_k)], 1)
        return F.relu(self.margin - (r_s * weighted_sum(v, Y)).sum(1)).sum()

    # ---- plan `table` ----

    @torch.no_grad()
    def selections(self, items, place, T):
        """For the neighbours of s, of t and of q: their rows, the entry of T that each selects, how many a node has."""
        i, jk, b, (no_i, no_j, no_k) = self.hoods(place, items)
        M = T.take((i * len(T))[:, :, None] + jk[:, None, :])
        of_i = i * len(T) + jk.gather(1, M[:, :, :b].max(2).indices)
        of_jk = i.gather(1, M.max(1).indices) * len(T) + jk
        sides = ((i, of_i, ~no_i), (jk[:, :b], of_jk[:, :b], ~no_j), (jk[:, b:], of_jk[:, b:], ~no_k))
        return [(row[there], entry[there], there.sum(1)) for row, entry, there in sides]

    def table_loss(self, group, place, X, T):
        """Sum over the items of some parts. Attention is a weighted bag of rows; |tanh| <= 1, so exp needs no shift."""
        sides = zip(*(self.selections(items, place, T) for items in group))
        row, entry, size = map(torch.cat, zip(*itertools.chain.from_iterable(sides)))
        z = torch.tanh(T.view(-1).index_select(0, entry)).exp()
        bag = torch.repeat_interleave(size)
        w = z / z.new_zeros(len(size)).index_add(0, bag, z)[bag]
        r_s, r_t, r_q = F.embedding_bag(row, X, size.cumsum(0) - size, mode="sum", per_sample_weights=w).chunk(3)
        return F.relu(self.margin - (r_s * (r_t - r_q)).sum(1)).sum()


class Task(torch_gap.Task):
    Model = Gap

    def __init__(self, args):
        keep_memory()
        super().__init__(args)
        self.model.plan, self.model.workers = args.plan, Workers(args.threads)

    def learn(self, s, t, q):
        self.model.learn(s, t, q)


def keep_memory():
    """glibc gives large blocks back as soon as they are free, and every tensor is then paid for in page faults. Here
    they stay with the process, as they do for users of jemalloc or tcmalloc."""
    trim_threshold, top_pad, mmap_threshold, arena_max = -1, -2, -3, -8  # numbers of <malloc.h>
    for what, value in ((arena_max, 1), (mmap_threshold, 1 << 30), (trim_threshold, (1 << 31) - 1), (top_pad, 1 << 26)):
        ctypes.CDLL(None).mallopt(what, value)


if __name__ == "__main__":
    torch_gap.main(Task, __doc__, [("plan", str, "rows")])
