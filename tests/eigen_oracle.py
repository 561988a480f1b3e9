#!/usr/bin/env python3
"""The eigensolver against SciPy's: eigenvalues, residuals, and the space that the eigenvectors span.

usage: eigen_oracle.py SOURCE     SOURCE: the folder with src/ and include/

Compiles src/linalg/eigen.c and what it needs with $CC (else cc) into a shared object in a folder of its own, and gives
it matrices as products that SciPy makes. Needs numpy, scipy and OpenBLAS.

The oracle is scipy.sparse.linalg.eigsh, which is ARPACK; where eigenvalues are equal it finds some of the copies only,
so there it is scipy.linalg.eigh on the dense matrix.
"""
import ctypes
import glob
import os
import shlex
import subprocess
import sys
import tempfile

import numpy as np
import scipy.linalg
import scipy.sparse as sparse
from scipy.sparse.linalg import eigsh

OPERATOR = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_double), ctypes.c_uint32,
                            ctypes.POINTER(ctypes.c_double))


class Problem(ctypes.Structure):
    """ni_eigen."""
    _fields_ = [("apply", OPERATOR), ("user", ctypes.c_void_p), ("n", ctypes.c_uint32), ("k", ctypes.c_uint32),
                ("block", ctypes.c_uint32), ("basis", ctypes.c_uint32), ("tolerance", ctypes.c_double),
                ("passes", ctypes.c_uint32), ("start", ctypes.c_void_p), ("starts", ctypes.c_uint32),
                ("seed", ctypes.c_uint64)]


def build(source, folder):
    path = os.path.join(folder, "eigen.so")
    files = [f"{source}/src/linalg/{name}.c" for name in ("blas", "eigen", "symmetric")]
    files += sorted(glob.glob(f"{source}/src/base/*.c") + glob.glob(f"{source}/src/support/*.c"))
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "openblas"], check=True, capture_output=True, text=True)
    command = shlex.split(os.environ.get("CC") or "cc") + [
        "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-D_DEFAULT_SOURCE", "-O2", "-fPIC", "-shared",
        f"-I{source}/include", f"-I{source}/src", *files, "-o", path, *shlex.split(flags.stdout), "-lpthread", "-lm"]
    subprocess.run(command, check=True)
    return ctypes.CDLL(path)


def succeed(status, error):
    if status != 0:
        raise SystemExit(f"the eigensolver failed with status {status}: {error.raw[16:].split(bytes(1))[0].decode()}")


class Ours:
    """values (k), vectors (n x k), and how many vectors were multiplied in how many products."""

    def __init__(self, lib, matrix, k, threads=2, **choices):
        self.products = self.columns = 0
        n = matrix.shape[0]

        def apply(_, X, columns, Y):
            self.products += 1
            self.columns += columns
            shape = (n, columns)
            np.ctypeslib.as_array(Y, shape)[:] = matrix @ np.ctypeslib.as_array(X, shape)

        start = choices.pop("start", None)
        if start is not None:
            start = np.ascontiguousarray(start)
            choices |= {"start": start.ctypes.data, "starts": start.shape[1]}
        problem = Problem(apply=OPERATOR(apply), n=n, k=k, seed=1, **choices)
        pool, error = ctypes.c_void_p(), ctypes.create_string_buffer(512)
        self.values, self.vectors = np.empty(k), np.empty((n, k))
        succeed(lib.ni_threads_create(ctypes.c_uint32(threads), ctypes.byref(pool), error), error)
        status = lib.ni_eigen_largest(ctypes.byref(problem), pool, self.values.ctypes.data_as(ctypes.c_void_p),
                                      self.vectors.ctypes.data_as(ctypes.c_void_p), error)
        lib.ni_threads_free(pool)
        succeed(status, error)


# ---- matrices ----

def normalised(adjacency):
    """D^-1/2 A D^-1/2 of an undirected graph without loops."""
    a = ((adjacency + adjacency.T) > 0).astype(float).tolil()
    a.setdiag(0)
    scale = sparse.diags(1 / np.sqrt(np.maximum(np.asarray(a.sum(1)).ravel(), 1)))
    return (scale @ a.tocsr() @ scale).tocsr()


def random_graph(random, n, links):
    u, v = random.integers(0, n, (2, links))
    return normalised(sparse.coo_matrix((np.ones(links), (u, v)), (n, n)).tocsr())


def parts(random, count, n, links):
    """A graph that falls apart: eigenvalue 1 for each part, and for each node without a link a 0."""
    return sparse.block_diag([random_graph(random, n, links) for _ in range(count)]).tocsr()


def path_graph(n):
    return normalised(sparse.diags([np.ones(n - 1)], [1]).tocsr())


def planted(random, values):
    q = np.linalg.qr(random.normal(size=(len(values), len(values))))[0]
    a = q * values @ q.T
    return (a + a.T) / 2


def affinity(random, n, centres, width):
    """What spectral clustering asks for."""
    x = random.normal(size=(n, 8)) + 3 * random.normal(size=(centres, 8))[random.integers(0, centres, n)]
    w = np.exp(-width * ((x[:, None] - x) ** 2).sum(2))
    np.fill_diagonal(w, 0)
    root = 1 / np.sqrt(w.sum(1))
    return root[:, None] * w * root


class Gram:
    """A'A by two products: the truncated SVD of a sparse matrix."""

    def __init__(self, matrix):
        self.a, self.shape = matrix, (matrix.shape[1],) * 2

    def __matmul__(self, x):
        return self.a.T @ (self.a @ x)

    def toarray(self):
        return (self.a.T @ self.a).toarray()


def cases(random):
    """Name, matrix, k, choices; True where eigsh cannot be trusted."""
    r = random
    yield "random graph", random_graph(r, 3000, 15000), 40, {}, False
    yield "random graph, blocks of one", random_graph(r, 600, 3000), 10, {"block": 1}, False
    yield "path", path_graph(300), 6, {"basis": 100}, False
    yield "affinity, wide", affinity(r, 500, 6, 0.001), 12, {}, False
    yield "affinity, narrow", affinity(r, 500, 6, 0.1), 12, {}, False
    yield "singular vectors", Gram(sparse.random(2000, 800, 0.01, random_state=3).tocsr()), 30, {}, False
    yield "40 parts, small blocks", parts(r, 40, 30, 120), 50, {"block": 8}, True
    yield "40 parts, k among them", parts(r, 40, 30, 120), 25, {}, True
    yield "parts of two nodes", sparse.kron(sparse.eye(200), np.array([[0, 1], [1, 0]])).tocsr(), 60, {}, True
    yield "complete graph", (np.ones((200, 200)) - np.eye(200)) / 199, 30, {}, True
    copies = np.r_[np.ones(25), np.full(20, 0.9), r.uniform(-1, 0.5, 555)]
    yield "planted copies", planted(r, copies), 50, {}, True
    yield "nearly all", planted(r, np.linspace(-1, 2, 60)), 59, {}, True
    yield "all", planted(r, np.linspace(-1, 2, 60)), 60, {}, True
    wrong = planted(r, np.r_[3.0, 2.0, 1.0, r.uniform(-1, 0.5, 397)])
    yield "a start without the best", wrong, 2, {"start": np.linalg.eigh(wrong)[1][:, -4:-1]}, True


def oracle(matrix, k, dense):
    """The k largest eigenvalues, descending, with their vectors; and the next one."""
    if dense or not sparse.issparse(matrix) and not isinstance(matrix, np.ndarray):
        a = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
        values, vectors = scipy.linalg.eigh(a)
    else:
        values, vectors = eigsh(matrix, k + 1, which="LA", tol=1e-12)
    order = np.argsort(-values)
    values, vectors = values[order], vectors[:, order]
    return values[:k], vectors[:, :k], values[k] if len(values) > k else values[-1]


def differences(ours, matrix, theirs):
    values, vectors, following = theirs
    scale = np.abs(values).max()
    yield "eigenvalues", np.abs(ours.values - values).max() / scale, 1e-9
    residual = matrix @ ours.vectors - ours.vectors * ours.values
    yield "residuals", np.linalg.norm(residual, axis=0).max() / scale, 1e-7
    yield "orthonormality", np.abs(ours.vectors.T @ ours.vectors - np.eye(len(values))).max(), 1e-10
    if values[-1] - following > 1e-6 * scale:  # else any of the copies will do
        outside = ours.vectors - vectors @ (vectors.T @ ours.vectors)
        yield "subspace", np.linalg.norm(outside, 2) * (values[-1] - following) / scale, 1e-7


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    failed, count, random = False, 0, np.random.default_rng(5)
    with tempfile.TemporaryDirectory() as folder:
        lib = build(sys.argv[1], folder)
        for name, matrix, k, choices, dense in cases(random):
            ours = Ours(lib, matrix, k, **dict(choices))
            again = Ours(lib, matrix, k, threads=1, **dict(choices))
            found = list(differences(ours, matrix, oracle(matrix, k, dense)))
            found.append(("other bits with one thread", np.abs(ours.vectors - again.vectors).max(), 0))
            count += len(found)
            bad = [f"{what} {value:.1e}" for what, value, limit in found if not value <= limit]
            failed |= bool(bad)
            print(f"{name:28} n {matrix.shape[0]:5} k {k:3}: {ours.columns:5} vectors in {ours.products:4} products, "
                  f"worst eigenvalue {found[0][1]:.0e}", *(["FAILED:"] + bad if bad else []))
    print(f"{count} comparisons")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
