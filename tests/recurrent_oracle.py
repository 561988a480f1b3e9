#!/usr/bin/env python3
"""recurrent_oracle.py RECURRENT_BATCH - the LSTM of src/encoders/lstm.c and the GRU of gru.c are those of NumPy, written
out here, and, where there is PyTorch, its nn.LSTM and nn.GRU, with gradients: on the batches that RECURRENT_BATCH prints.
Exit 0: they are; 1: not; 77: there is no NumPy."""
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


def gru(X, W, U, b):
    """States (length x h), whose gates are r, u, g."""
    h = U.shape[0]
    state, states = np.zeros(h), []
    for x in X:
        r, u, g = np.split(x @ W + b, 3)
        of_r, of_u, of_g = np.split(state @ U, 3)
        u = sigmoid(u + of_u)
        state = (1 - u) * np.tanh(g + sigmoid(r + of_r) * of_g) + u * state
        states.append(state)
    return np.array(states).reshape(len(X), h)


def loss_of(net, batch, rows, dH):
    """sum of dH x H, so that dL/dH is dH."""
    return sum((net(rows[first:first + length].unsqueeze(1))[0].squeeze(1) * torch.tensor(dH[first:first + length])).sum()
               for first, length in batch["sequences"] if length)


def gru_by_torch(batch, X, W, U, b, dH):
    """Yields gradients by name, from nn.GRU, which has two biases and whose weights are transposed."""
    net, rows = torch.nn.GRU(batch["d"], batch["h"]).double(), torch.tensor(X, requires_grad=True)
    with torch.no_grad():
        net.weight_ih_l0.copy_(torch.tensor(W.T))
        net.weight_hh_l0.copy_(torch.tensor(U.T))
        net.bias_ih_l0.copy_(torch.tensor(b))
        net.bias_hh_l0.zero_()
    loss_of(net, batch, rows, dH).backward()
    yield "dX", rows.grad.numpy()
    yield "dW", net.weight_ih_l0.grad.numpy().T
    yield "dU", net.weight_hh_l0.grad.numpy().T
    yield "db", net.bias_ih_l0.grad.numpy()


def lstm_by_torch(batch, X, W, U, b, dH):
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
    rows = torch.tensor(X, requires_grad=True)
    loss_of(net, batch, rows, dH).backward()
    back = np.argsort(order)
    yield "dX", rows.grad.numpy()
    yield "dW", np.hstack([p[0].grad.numpy()[back].T for p in parts])
    yield "dU", np.vstack([p[1].grad.numpy()[back].T for p in parts])
    yield "db", np.concatenate([p[2].grad.numpy()[back] for p in parts])


def compare(name, batch, forward, gradients, w, u, states):
    """How far a net is from its twins at most; w, u and states: columns of W, U and H."""
    d, far = batch["d"], []
    X, W, U, b = numbers(batch, "X", -1, d), numbers(batch, "W", d, w), numbers(batch, "U", -1, u), numbers(batch, "b", w)
    H, dH = numbers(batch, "H", -1, states), numbers(batch, "dH", -1, states)
    for first, length in batch["sequences"]:
        if length:
            far.append(np.abs(H[first:first + length] - forward(X[first:first + length], W, U, b)).max())
    print("%-12s %.1e" % (name + " H", max(far)))
    for what, theirs in gradients(batch, X, W, U, b, dH) if torch else ():
        far.append(np.abs(numbers(batch, what, *theirs.shape) - theirs).max() / np.abs(theirs).max())
        print("%-12s %.1e" % (name + " " + what, far[-1]))
    return max(far)


def main():
    nets = json.loads(subprocess.run([sys.argv[1]], check=True, stdout=subprocess.PIPE).stdout)
    h = nets["lstm"]["h"]
    far = max(compare("lstm", nets["lstm"], both, lstm_by_torch, 8 * h, 4 * h, 2 * h),
              compare("gru", nets["gru"], gru, gru_by_torch, 3 * h, 3 * h, h))
    return 0 if far < 1e-4 else 1


if __name__ == "__main__":
    sys.exit(main())
