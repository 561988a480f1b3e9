#!/usr/bin/python3
"""CANE in PyTorch, as its authors' program computes it: what Neap is measured against.

    torch_cane.py --model FILE [--seconds 10 --threads 2 --batch 64]      edges a second of training, loss of the first steps

FILE is an untrained model of Neap, preset authors: graph, texts and start values are read from it. Every text is padded to
the whole length, and nothing masks the padding. Steps are Adam on all parameters, with new non-links by degree^0.75 in
each. Prints one JSON object. tests/cane_oracle.py holds Neap to the same formulas in NumPy."""
import argparse
import json
import struct
import time

import numpy as np
import torch
from torch import nn

TYPES = {"F32": "<f4", "U8": "u1", "U32": "<u4", "U64": "<u8"}


def read_model(path):
    """Tensors by name, and what the header says."""
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack("<Q", data[:8])
    header, data = json.loads(data[8:8 + length]), data[8 + length:]
    facts = header.pop("__metadata__")
    return {name: np.frombuffer(data[slice(*t["data_offsets"])], TYPES[t["dtype"]]).reshape(t["shape"]).copy()
            for name, t in header.items()}, facts


def padded(tensors, length, padding):
    """n x L word numbers."""
    cut = tensors["text.offsets"].astype(np.int64)
    texts = np.full((len(cut) - 1, length), padding)
    for u, (a, b) in enumerate(zip(cut, cut[1:])):
        words = tensors["text.words"][a:b][:length]
        texts[u, :len(words)] = words
    return torch.from_numpy(texts.astype(np.int64))


def likely(x):
    return torch.log(torch.sigmoid(x) + 0.001)


def dot(x, y):
    return (x * y).sum(1)


class Cane(nn.Module):
    def __init__(self, tensors, facts):
        super().__init__()
        for name in ("E", "words", "filters", "R"):
            self.register_parameter(name, nn.Parameter(torch.from_numpy(tensors[name])))
        self.h = self.R.shape[0]
        self.texts = padded(tensors, int(facts["option.text-length"]), len(self.words) - 1)
        self.rho = [float(facts["option.rho-" + term]) for term in ("text", "node", "cross")]

    def windows(self, nodes):
        """B x (L-1) x h"""
        x = nn.functional.embedding(self.texts[nodes], self.words)
        return torch.tanh(x[:, :-1] @ self.filters[:self.h] + x[:, 1:] @ self.filters[self.h:])

    def node(self, nodes):
        x = self.E[nodes]
        return x / x.norm(dim=1, keepdim=True).clamp(min=1)

    @staticmethod
    def attend(H, means):
        return torch.bmm(means.softmax(1)[:, None], H)[:, 0]

    def loss(self, a, b, z):
        """The sum over the items; t_a is that of the pair (a, b)."""
        A, B, Z = map(self.windows, (a, b, z))
        Q = A @ self.R
        F, G = torch.tanh(torch.bmm(Q, B.transpose(1, 2))), torch.tanh(torch.bmm(Q, Z.transpose(1, 2)))
        ta, tb, tz = self.attend(A, F.mean(2)), self.attend(B, F.mean(1)), self.attend(Z, G.mean(1))
        na, nb, nz = map(self.node, (a, b, z))
        text, node, cross = self.rho
        good = text * (likely(dot(ta, tb)) + likely(-dot(ta, tz))) + node * (likely(dot(na, nb)) + likely(-dot(na, nz)))
        good += cross * (likely(dot(tb, na)) + likely(-dot(tz, na)) + likely(dot(nb, ta)) + likely(-dot(nb, tz)))
        return -good.sum()


class Items:
    """Batches of links, in a new order in each epoch, with non-links by degree^0.75."""

    def __init__(self, tensors, facts, batch):
        cut = tensors["graph.offsets"].astype(np.int64)
        v = torch.from_numpy(tensors["graph.targets"].astype(np.int64))
        u = torch.from_numpy(np.repeat(np.arange(len(cut) - 1), np.diff(cut)))
        self.u, self.v = (torch.cat([u, v]), torch.cat([v, u])) if facts["undirected"] == "yes" else (u, v)
        self.weight, self.batch = torch.bincount(torch.cat([u, v]), minlength=len(cut) - 1).double() ** 0.75, batch

    def strangers(self, a, b):
        z = torch.multinomial(self.weight, len(a), replacement=True)
        while ((z == a) | (z == b)).any():
            z = torch.where((z == a) | (z == b), torch.multinomial(self.weight, len(a), replacement=True), z)
        return z

    def __iter__(self):
        while True:
            for at in torch.randperm(len(self.u)).split(self.batch):
                a, b = self.u[at], self.v[at]
                yield a, b, self.strangers(a, b)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    for name, kind, usual in (("seconds", float, 10.0), ("threads", int, torch.get_num_threads()), ("batch", int, 64)):
        parser.add_argument("--" + name, type=kind, default=usual)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(1)
    tensors, facts = read_model(args.model)
    model, items = Cane(tensors, facts), iter(Items(tensors, facts, args.batch))
    optimizer = torch.optim.Adam(model.parameters(), float(facts["option.lr"]))
    start, edges, seconds, total = None, 0, 0.0, 0.0
    while seconds < args.seconds:
        a, b, z = next(items)
        optimizer.zero_grad(set_to_none=True)
        loss = model.loss(a, b, z)
        loss.backward()
        optimizer.step()
        if start is None:  # the first step allocates
            start, busy = time.perf_counter(), time.process_time()
            continue
        edges, total, seconds = edges + len(a), total + loss.item(), time.perf_counter() - start
    busy = time.process_time() - busy
    print(json.dumps({"edges_per_second": edges / seconds, "edges_per_busy_second": edges / busy, "edges": edges, "seconds": seconds,
                      "loss": total / edges, "batch": args.batch, "threads": args.threads}))


if __name__ == "__main__":
    main()
