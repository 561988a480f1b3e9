#!/usr/bin/python3
"""Attentive pooling networks in PyTorch, as someone who knows PyTorch would write them: what `apn` is measured against.

    torch_apn.py --graph FILE --text FILE [--encoder cnn|lstm --batch 20 --negatives 50 --seconds 10 ...]

Prints one JSON object: edges a second of training. Line i of the texts belongs to node i. Texts are padded to the longest of
a batch and masked, the LSTM reads packed sequences. The scores of all non-links are made without gradients, and only the hardest
of them goes through the network once more; the source is read in the context of its target, as in Neap. The table has
sparse gradients and SparseAdam.
"""
import argparse
import collections
import json
import re
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils import rnn


class Apn(nn.Module):
    """words: n x length, the words of each node's text from 1, 0 behind them."""

    def __init__(self, words, vocabulary, args):
        super().__init__()
        self.words, self.size, self.margin = words, (words > 0).sum(1), args.margin
        self.E = nn.Embedding(vocabulary + 1, args.dim, padding_idx=0, sparse=True)
        self.recurrent = args.encoder == "lstm"
        if self.recurrent:
            self.encoder = nn.LSTM(args.dim, args.filters // 2, batch_first=True, bidirectional=True)
        else:
            self.encoder = nn.Conv1d(args.dim, args.filters, args.kernel, padding=args.kernel // 2)
        self.P = nn.Parameter(torch.randn(args.filters, args.filters) * args.filters ** -0.5)

    def encode(self, nodes):
        """B -> B x L x c, and which of the B x L are no words."""
        size = self.size[nodes]
        width = int(size.max())
        missing, X = torch.arange(width) >= size[:, None], self.E(self.words[nodes, :width])
        if not self.recurrent:
            return self.encoder(X.transpose(1, 2)).transpose(1, 2), missing
        packed = rnn.pack_padded_sequence(X, size.clamp(min=1), batch_first=True, enforce_sorted=False)
        return rnn.pad_packed_sequence(self.encoder(packed)[0], batch_first=True, total_length=width)[0], missing

    def pooled(self, M, own, other, missing, X):
        """Alignments M (.. x own x other) -> attention over own -> sums of X."""
        z = torch.tanh(M.masked_fill(other, -1e9).amax(-1)).masked_fill(own, -1e9)
        return torch.einsum("...i,...id->...d", z.softmax(-1), X)

    def pair(self, Q, X, no_x, Y, no_y):
        """Representations of both sides (B x c each); Q = X P."""
        M = torch.bmm(Q, Y.transpose(1, 2))
        return (self.pooled(M, no_x, no_y[:, None], no_x, X),
                self.pooled(M.transpose(1, 2), no_y, no_x[:, None], no_y, Y))

    @torch.no_grad()
    def hardest(self, Q, no_x, r, q):
        """Of q (B x K) the node of each row that scores best with r, the representation of its source."""
        nodes, where = q.reshape(-1).unique(return_inverse=True)
        Z, no_z = (x[where] for x in self.encode(nodes))  # each text once
        Z, no_z = Z.reshape(*q.shape, *Z.shape[1:]), no_z.reshape(*q.shape, -1)
        M = torch.einsum("bkjd,bid->bkji", Z, Q)
        z = self.pooled(M, no_z, no_x[:, None, None], no_z, Z)
        return q.gather(1, F.cosine_similarity(z, r[:, None], dim=2).argmax(1)[:, None])[:, 0]

    def loss(self, s, t, q):
        (X, no_x), (Y, no_y) = self.encode(s), self.encode(t)
        Q = X @ self.P
        r_s, r_t = self.pair(Q, X, no_x, Y, no_y)
        Z, no_z = self.encode(self.hardest(Q.detach(), no_x, r_s.detach(), q))
        _, r_q = self.pair(Q, X, no_x, Z, no_z)
        return F.relu(self.margin - F.cosine_similarity(r_s, r_t) + F.cosine_similarity(r_s, r_q)).mean()


def read(args):
    """Edges between nodes 0 .. n - 1, and their words."""
    edges = np.loadtxt(args.graph, dtype=np.int64, usecols=(0, 1))
    with open(args.text, encoding="utf-8", errors="replace") as lines:
        texts = [re.findall(r"\w+", line.lower()) for line in lines]
    count = collections.Counter(word for text in texts for word in text)
    number = {word: i + 1 for i, word in enumerate(count)}
    words = np.zeros((len(texts), args.length), dtype=np.int64)
    for u, text in enumerate(texts):
        words[u, :len(text[:args.length])] = [number[word] for word in text[:args.length]]
    return torch.from_numpy(edges[edges[:, 0] != edges[:, 1]]), torch.from_numpy(words), len(count)


def main():
    parser = argparse.ArgumentParser()
    for name, otherwise in (("batch", 20), ("negatives", 50), ("dim", 100), ("filters", 400), ("kernel", 3), ("length", 100), ("threads", 1)):
        parser.add_argument("--" + name, type=int, default=otherwise)
    for name, otherwise in (("margin", 0.5), ("lr", 1e-3), ("seconds", 10.0)):
        parser.add_argument("--" + name, type=float, default=otherwise)
    parser.add_argument("--encoder", choices=("cnn", "lstm"), default="cnn")
    parser.add_argument("--graph", required=True)
    parser.add_argument("--text", required=True)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(1)
    edges, words, vocabulary = read(args)
    model = Apn(words, vocabulary, args)
    sparse = torch.optim.SparseAdam([model.E.weight], lr=args.lr)
    dense = torch.optim.Adam([p for p in model.parameters() if p is not model.E.weight], lr=args.lr)
    done, losses, begin = 0, [], None
    while begin is None or time.perf_counter() - begin < args.seconds:
        item = edges[torch.randint(len(edges), (args.batch,))]
        loss = model.loss(item[:, 0], item[:, 1], torch.randint(len(words), (args.batch, args.negatives)))
        sparse.zero_grad(set_to_none=True), dense.zero_grad(set_to_none=True)
        loss.backward()
        sparse.step(), dense.step()
        if begin is None:  # the first step allocates
            begin, busy = time.perf_counter(), time.process_time()
            continue
        done += args.batch
        losses.append(loss.item())
    seconds, busy = time.perf_counter() - begin, time.process_time() - busy
    print(json.dumps({"edges_per_second": done / seconds, "edges_per_busy_second": done / busy, "seconds": seconds,
                      "steps": len(losses), "loss": float(np.mean(losses))}))


main()
