#!/usr/bin/env python3
"""torch_oracle.py REFERENCE_BATCH - the PyTorch implementation that `make bench` measures against does the same work: on
the batch that the program REFERENCE_BATCH prints, its loss and gradients are those of src/attention/reference.c; so are those
of the tuned one, by each of its plans. Exit 0: they are; 1: not; 77: there is no PyTorch."""
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench"))

try:
    import torch
    import torch_gap
    import torch_tuned
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)


def distance(ours, theirs):
    """The largest difference, relative to the largest number."""
    return ((ours - theirs).abs().max() / theirs.abs().max()).item()


def plain(batch):
    return torch_gap.Gap(torch.tensor(batch["near"]), batch["dim"], batch["margin"], dropout=0)


def tuned(plan):
    def make(batch):
        model = torch_tuned.Gap(torch.tensor(batch["near"]), batch["dim"], batch["margin"], dropout=0)
        model.plan, model.workers = plan, torch_tuned.Workers(2)
        return model
    return make


def gradients(batch, model):
    dim, items = batch["dim"], torch.tensor(batch["items"]).t()
    with torch.no_grad():
        model.E.weight[:-1] = torch.tensor(batch["E"]).view(-1, dim)
        model.P.copy_(torch.tensor(batch["P"]).view(dim, dim))
    if hasattr(model, "learn"):
        loss = torch.tensor(model.learn(*items))
    else:
        loss = model.loss(*items)
        loss.backward()
    return loss.detach(), model.E.weight.grad.to_dense()[:-1], model.P.grad


def main():
    batch = json.loads(subprocess.run([sys.argv[1]], check=True, stdout=subprocess.PIPE).stdout)
    dim, far = batch["dim"], []
    wanted = torch.tensor(batch["loss"]), torch.tensor(batch["dE"]).view(-1, dim), torch.tensor(batch["dP"]).view(dim, dim)
    for name, make in [("plain", plain)] + [(plan, tuned(plan)) for plan in torch_tuned.PLANS]:
        for what, ours, theirs in zip(("loss", "dE", "dP"), gradients(batch, make(batch)), wanted):
            far.append(distance(ours, theirs))
            print("%-6s %-5s %.1e" % (name, what, far[-1]))
    return 0 if max(far) < 1e-5 else 1


if __name__ == "__main__":
    sys.exit(main())
