#!/usr/bin/env python3
"""recurrent_oracle.py RECURRENT_BATCH - the LSTM of src/encoders/lstm.c is that of NumPy, written out here, and, where
there is PyTorch, its nn.LSTM, with gradients: on the batch that RECURRENT_BATCH prints. Exit 0: it is; 1: not; 77: there is
no NumPy."""
import json
import subprocess
import sys

try:
    import numpy as np
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)
try:
    import torch
except ImportError:
    torch = None


def numbers(batch, name, *shape):
    return np.array(batch[name], dtype=np.float64).reshape(shape)


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def lstm(X, W, U, b):
    """States (length x h) of one direction, whose gates are i, f, o, g."""
    h = U.shape[0]
    state, cell, states = np.zeros(h), np.zeros(h), []
    for x in X:
        i, f, o, g = np.split(x @ W + state @ U + b, 4)
        cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
        state = sigmoid(o) * np.tanh(cell)
        states.append(state)
    return np.array(states).reshape(len(X), h)


def both(X, W, U, b):
    h = U.shape[1] // 4
    front = lstm(X, W[:, :4 * h], U[:h], b[:4 * h])
    behind = lstm(X[::-1], W[:, 4 * h:], U[h:], b[4 * h:])[::-1]
    return np.hstack([front, behind])


def by_torch(batch, X, W, U, b, dH):
    """Yields gradients by name, from nn.LSTM, whose gates are i, f, g, o and whose weights are transposed."""
    d, h = batch["d"], batch["h"]
    order = np.concatenate([np.arange(2 * h), np.arange(3 * h, 4 * h), np.arange(2 * h, 3 * h)])
    net = torch.nn.LSTM(d, h, bidirectional=True).double()
    parts = [(net.weight_ih_l0, net.weight_hh_l0, net.bias_ih_l0, net.bias_hh_l0),
             (net.weight_ih_l0_reverse, net.weight_hh_l0_reverse, net.bias_ih_l0_reverse, net.bias_hh_l0_reverse)]
    with torch.no_grad():
        for k, (w, u, bias, second) in enumerate(parts):
            w.copy_(torch.tensor(W[:, 4 * h * k:4 * h * (k + 1)].T[order]))
            u.copy_(torch.tensor(U[h * k:h * (k + 1)].T[order]))
            bias.copy_(torch.tensor(b[4 * h * k:4 * h * (k + 1)][order]))
            second.zero_()
    rows, loss = torch.tensor(X, requires_grad=True), 0
    for first, length in batch["sequences"]:
        if length:
            states = net(rows[first:first + length].unsqueeze(1))[0].squeeze(1)
            loss = loss + (states * torch.tensor(dH[first:first + length])).sum()
    loss.backward()
    back = np.argsort(order)
    yield "dX", rows.grad.numpy()
    yield "dW", np.hstack([p[0].grad.numpy()[back].T for p in parts])
    yield "dU", np.vstack([p[1].grad.numpy()[back].T for p in parts])
    yield "db", np.concatenate([p[2].grad.numpy()[back] for p in parts])


def main():
    batch = json.loads(subprocess.run([sys.argv[1]], check=True, stdout=subprocess.PIPE).stdout)
    d, h, far = batch["d"], batch["h"], []
    X, W, U, b = numbers(batch, "X", -1, d), numbers(batch, "W", d, 8 * h), numbers(batch, "U", 2 * h, 4 * h), numbers(batch, "b", 8 * h)
    H, dH = numbers(batch, "H", -1, 2 * h), numbers(batch, "dH", -1, 2 * h)
    for first, length in batch["sequences"]:
        if length:
            far.append(np.abs(H[first:first + length] - both(X[first:first + length], W, U, b)).max())
    print("%-12s %.1e" % ("lstm H", max(far)))
    if torch:
        for name, theirs in by_torch(batch, X, W, U, b, dH):
            far.append(np.abs(numbers(batch, name, *theirs.shape) - theirs).max() / np.abs(theirs).max())
            print("%-12s %.1e" % ("lstm " + name, far[-1]))
    return 0 if max(far) < 1e-4 else 1


if __name__ == "__main__":
    sys.exit(main())
