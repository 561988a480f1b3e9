#!/usr/bin/python3
"""DMTE in PyTorch, as someone who knows PyTorch would write it: what `dmte` is measured against.

    torch_dmte.py --graph FILE --text FILE [--batch 256 --dim 200 --word-dim 200 --seconds 10 ...]

Prints one JSON object: edges a second of training, both orders counted, as in Neap. Line i of the texts belongs to node i. Means of words
are a sparse product with the shares of distinct words (--means bag: an EmbeddingBag with these weights, which is slower), P a sparse matrix;
texts spread over the whole graph in every step, as the loss needs them; W multiplies the rows of the batch alone. Adam on all tensors.
"""
import argparse
import collections
import json
import re
import time

import numpy as np
import torch
from torch import nn

HOPS = 1, 0.3, 0.1


class Dmte(nn.Module):
    def __init__(self, texts, vocabulary, P, args):
        super().__init__()
        half, n = args.dim // 2, len(texts)
        self.P, self.sparse = P, args.means == "sparse"
        sizes = torch.tensor([len(text) for text in texts])
        rows = torch.repeat_interleave(torch.arange(n), sizes)
        words = torch.tensor([word for text in texts for word in text])
        self.S = torch.sparse_coo_tensor(torch.stack([rows, words]), 1 / sizes[rows].float(), (n, vocabulary)).coalesce()
        rows, self.words = self.S.indices()
        self.offsets = torch.cat([torch.zeros(1, dtype=torch.int64), torch.bincount(rows, minlength=n).cumsum(0)[:-1]])
        draw = lambda *shape: nn.Parameter(nn.init.trunc_normal_(torch.empty(*shape), std=0.1, a=-0.2, b=0.2))
        self.M, self.W, self.N = draw(vocabulary, args.word_dim), draw(3 * args.word_dim, half), draw(n, half)

    def spread(self, x):
        first = torch.sparse.mm(self.P, x)
        return first, torch.sparse.mm(self.P, first)

    def means(self):
        if self.sparse:
            return torch.sparse.mm(self.S, self.M)
        return nn.functional.embedding_bag(self.words, self.M, self.offsets, mode="sum", per_sample_weights=self.S.values())

    def loss(self, a, b, z):
        c = torch.tanh(self.means())
        text, node = (c, *self.spread(c)), (self.N, *self.spread(self.N))
        rows = torch.cat([a, b, z])
        t_a, t_b, t_z = (torch.cat([hop * x[rows] for hop, x in zip(HOPS, text)], 1) @ self.W).chunk(3)
        s_a = sum(hop * x[a] for hop, x in zip(HOPS, node))
        likely = lambda x: torch.log(torch.sigmoid(x) + 0.001)
        term = lambda x, y, q: (likely((x * y).sum(1)) + likely(-(x * q).sum(1))).sum()
        n_b, n_z = self.N[b], self.N[z]
        return -(0.7 * term(t_a, t_b, t_z) + term(s_a, n_b, n_z) + 0.1 * term(s_a, t_b, t_z) + 0.1 * term(t_a, n_b, n_z))


def read(args):
    """Edges between nodes 0 .. n - 1 in both orders, their words that occur twice, and P."""
    edges = np.loadtxt(args.graph, dtype=np.int64, usecols=(0, 1))
    edges = edges[edges[:, 0] != edges[:, 1]]
    with open(args.text, encoding="utf-8", errors="replace") as lines:
        texts = [re.findall(r"\w+", line.lower())[:args.length] for line in lines]
    count = collections.Counter(word for text in texts for word in text)
    number = {word: i for i, word in enumerate(word for word, times in count.items() if times > 1)}
    both, n = np.concatenate([edges, edges[:, ::-1]]), len(texts)
    links = torch.from_numpy(np.unique(both, axis=0).T.copy())
    degree = torch.bincount(links[0], minlength=n)
    P = torch.sparse_coo_tensor(links, 1 / degree[links[0]].float(), (n, n)).coalesce()
    return torch.from_numpy(both), [[number[word] for word in text if word in number] for text in texts], len(number), P


def main():
    parser = argparse.ArgumentParser()
    for name, otherwise in (("batch", 256), ("dim", 200), ("word-dim", 200), ("length", 300), ("threads", 1)):
        parser.add_argument("--" + name, type=int, default=otherwise)
    for name, otherwise in (("lr", 1e-3), ("seconds", 10.0)):
        parser.add_argument("--" + name, type=float, default=otherwise)
    parser.add_argument("--means", choices=("sparse", "bag"), default="sparse")
    parser.add_argument("--graph", required=True)
    parser.add_argument("--text", required=True)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(1)
    edges, texts, vocabulary, P = read(args)
    model = Dmte(texts, vocabulary, P, args)
    adam = torch.optim.Adam(model.parameters(), lr=args.lr)
    done, losses, begin = 0, [], None
    while begin is None or time.perf_counter() - begin < args.seconds:
        item = edges[torch.randint(len(edges), (args.batch,))]
        loss = model.loss(item[:, 0], item[:, 1], torch.randint(len(texts), (args.batch,)))
        adam.zero_grad(set_to_none=True)
        loss.backward()
        adam.step()
        if begin is None:  # the first step allocates
            begin, busy = time.perf_counter(), time.process_time()
            continue
        done += args.batch
        losses.append(loss.item() / args.batch)
    seconds, busy = time.perf_counter() - begin, time.process_time() - busy
    print(json.dumps({"edges_per_second": done / seconds, "edges_per_busy_second": done / busy, "seconds": seconds,
                      "steps": len(losses), "loss": float(np.mean(losses))}))


main()
