"""Random walks as a good user of numba writes them: the graph as a CSR, one parallel loop over the walks, and for p
and q rejection, with a search in a sorted row where it must know whether two nodes are linked. Walks are rows of node
numbers; one that ends early is filled with the largest number."""
import json

import numpy
from numba import njit, prange, set_num_threads

NO_NODE = numpy.uint32(0xffffffff)


def tensor(data, header, name):
    """One tensor of a graph file (docs/format.md)."""
    entry, base = header[name], 8 + int.from_bytes(data[:8], "little")
    first, end = (base + int(offset) for offset in entry["data_offsets"])
    return data[first:end].view({"U64": numpy.uint64, "U32": numpy.uint32}[entry["dtype"]])


def links(path):
    """The graph of a file, as a symmetric CSR with sorted rows: offsets and nodes."""
    import scipy.sparse
    data = numpy.fromfile(path, numpy.uint8)
    header = json.loads(data[8:8 + int.from_bytes(data[:8], "little")].tobytes())
    offset, target = tensor(data, header, "graph.offsets"), tensor(data, header, "graph.targets")
    nodes = len(offset) - 1
    source = numpy.repeat(numpy.arange(nodes, dtype=numpy.uint32), numpy.diff(offset).astype(numpy.int64))
    apart = source != target
    pairs = source[apart], target[apart]
    one_way = scipy.sparse.csr_matrix((numpy.ones(len(pairs[0]), numpy.int8), pairs), shape=(nodes, nodes))
    both = one_way + one_way.T
    both.sort_indices()
    return both.indptr.astype(numpy.int64), both.indices.astype(numpy.uint32)


@njit(parallel=True)
def first_order(offset, node, start, length, walks):
    for i in prange(len(start)):
        here = start[i]
        walks[i, 0] = here
        for k in range(1, length):
            ways = offset[here + 1] - offset[here]
            if ways == 0:
                walks[i, k:] = NO_NODE
                break
            here = node[offset[here] + int(numpy.random.random() * ways)]
            walks[i, k] = here


@njit
def linked(offset, node, u, v):
    low, high = offset[u], offset[u + 1]
    while low < high:
        middle = (low + high) // 2
        if node[middle] < v:
            low = middle + 1
        else:
            high = middle
    return low < offset[u + 1] and node[low] == v


@njit
def chosen(offset, node, before, here, back, out, most):
    """The node after `before` and `here`, by rejection."""
    ways = offset[here + 1] - offset[here]
    while True:
        there = node[offset[here] + int(numpy.random.random() * ways)]
        coin = numpy.random.random() * most
        if there == before:
            if coin < back:
                return there
        elif coin < min(1.0, out):
            return there
        elif coin < max(1.0, out) and linked(offset, node, before, there) == (out < 1.0):
            return there


@njit(parallel=True)
def second_order(offset, node, start, length, p, q, walks):
    back, out = 1 / p, 1 / q
    most = max(back, 1.0, out)
    for i in prange(len(start)):
        here = before = start[i]
        walks[i, 0] = here
        for k in range(1, length):
            ways = offset[here + 1] - offset[here]
            if ways == 0:
                walks[i, k:] = NO_NODE
                break
            if k == 1:
                there = node[offset[here] + int(numpy.random.random() * ways)]
            else:
                there = chosen(offset, node, before, here, back, out, most)
            before, here = here, there
            walks[i, k] = here


def walk(graph, rounds, length, p, q, walks=None):
    """So many walks from every node, in a new order each round; into `walks`, if there is such an array already."""
    offset, node = graph
    start = numpy.concatenate([numpy.random.permutation(len(offset) - 1) for _ in range(rounds)]).astype(numpy.uint32)
    if walks is None:
        walks = numpy.empty((len(start), length), numpy.uint32)
    if p == q == 1:
        first_order(offset, node, start, length, walks)
    else:
        second_order(offset, node, start, length, p, q, walks)
    return walks


def compile_for(threads):
    """The first call of each compiles it; that is not measured."""
    set_num_threads(threads)
    ring = numpy.arange(4, dtype=numpy.int64), numpy.array([1, 2, 0], numpy.uint32)
    for p, q in ((1, 1), (0.5, 2)):
        walk(ring, 1, 4, p, q)
