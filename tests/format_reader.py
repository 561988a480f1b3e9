#!/usr/bin/env python3
"""format_reader.py FILE - a second reader of Neap's files, written from docs/format.md alone.

Prints the facts and exits with 0, or says what is wrong and exits with 3."""
import array
import json
import math
import struct
import sys

WIDTH = {"F32": 4, "U8": 1, "U32": 4, "U64": 8}
CODE = {"F32": "f", "U8": "B", "U32": "I", "U64": "Q"}
MC, MCG, ALL = "mc", "mcg", "mcgv"
TENSORS = {  # name: (type, rank, kinds by first letter)
    "names.offsets": ("U64", 1, ALL), "names.bytes": ("U8", 1, ALL),
    "graph.offsets": ("U64", 1, MCG), "graph.targets": ("U32", 1, MCG), "graph.weights": ("F32", 1, MCG),
    "E": ("F32", 2, MC), "P": ("F32", 2, MC), "pad": ("F32", 1, MC),
    "attention": ("F32", 1, MC), "best.attention": ("F32", 1, "c"),
    "adam.attention.m": ("F32", 1, "c"), "adam.attention.v": ("F32", 1, "c"),
    "persona.owners": ("U32", 1, MC), "persona.vectors": ("F32", 2, MC), "best.persona.vectors": ("F32", 2, "c"),
    "hood.offsets": ("U64", 1, MC), "hood.nodes": ("U32", 1, MC), "vectors": ("F32", 2, "v"),
    "adam.E.m": ("F32", 2, "c"), "adam.E.v": ("F32", 2, "c"), "adam.P.m": ("F32", 2, "c"), "adam.P.v": ("F32", 2, "c"),
    "adagrad.E": ("F32", 1, "c"), "adagrad.P": ("F32", 1, "c"), "outputs": ("F32", 2, "c"), "inner": ("F32", 2, "c"),
    "best.E": ("F32", 2, "c"), "best.P": ("F32", 2, "c")}
COUNTS = {"rows": MC, "epochs": MC, "epoch": "c", "batch": "c", "items": "c", "step": "c", "best.epoch": "c"}
REALS = {"loss": MC, "valid_auc": MC, "loss.sum": "c", "last.loss": "c", "last.auc": "c", "best.auc": "c", "best.loss": "c"}
TEXTS = {"neap.format": ALL, "neap.kind": ALL, "method": MC, "graph.hash": MC, "undirected": MCG}


def must(condition, words):
    if not condition:
        raise ValueError(words)


def crc_table():
    for b in range(256):
        for _ in range(8):
            b = b >> 1 ^ (0x82F63B78 if b & 1 else 0)
        yield b


def crc32c(data, table=list(crc_table())):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ table[(crc ^ byte) & 255]
    return "%08x" % (crc ^ 0xFFFFFFFF)


def unique(pairs):
    must(len(dict(pairs)) == len(pairs), "a key stands twice")
    return dict(pairs)


def whole(numbers, count):
    return isinstance(numbers, list) and len(numbers) in count and all(type(x) is int and x >= 0 for x in numbers)


def read_header(data):
    must(len(data) >= 64, "too short")
    (length,) = struct.unpack("<Q", data[:8])
    must(length <= 65536 and (8 + length) % 64 == 0 and 8 + length <= len(data), "impossible length of the header")
    text, mark = data[8:8 + length], b'"crc32c.header":"'
    must(text.count(mark) == 1, "there is not one header checksum")
    at = text.index(mark) + len(mark)
    must(text[at:at + 8] == crc32c(text[:at] + b"00000000" + text[at + 8:]).encode(), "checksum of the header")
    header = json.loads(text.decode(), object_pairs_hook=unique)
    must(isinstance(header, dict) and isinstance(header.get("__metadata__"), dict), "no __metadata__")
    return header, data[8 + length:]


def check_metadata(facts):
    for key, value in facts.items():
        must(isinstance(value, str), key + " is not a string")
    must(facts.get("neap.format") == "1", "unknown format version")
    kind = facts.get("neap.kind")
    must(kind in ("model", "checkpoint", "graph", "vectors"), "unknown kind")
    for key, value in facts.items():
        if key.startswith("crc32c."):
            continue
        must(len(key) < 40 and len(value) < 88, key + " is too long")
        must(all(" " <= c <= "~" and c not in '"\\' for c in key + value), key + " is not plain")
        kinds = MC if key[:7] == "option." and key[7:] else {**COUNTS, **REALS, **TEXTS}.get(key, "")
        must(kind[0] in kinds, "unknown key " + key)
        must(key not in COUNTS or (value.isascii() and value.isdigit()), key + " is not a whole number")
        must(key not in REALS or math.isfinite(float(value)), key + " is not finite")
    required = [k for k, kinds in {**COUNTS, **TEXTS}.items() if kind[0] in kinds]
    for key in required:
        must(key in facts, key + " is missing")
    must(facts.get("undirected", "no") in ("yes", "no"), "undirected is neither yes nor no")
    return kind


def read_tensors(header, data, kind):
    facts, at, tensors = header.pop("__metadata__"), 0, {}
    for name, entry in header.items():
        must(isinstance(entry, dict) and sorted(entry) == ["data_offsets", "dtype", "shape"], "bad entry of " + name)
        dtype, shape = entry["dtype"], entry["shape"]
        must(dtype in WIDTH and whole(shape, (1, 2)) and whole(entry["data_offsets"], (2,)), "bad entry of " + name)
        must((dtype, len(shape)) == TENSORS.get(name, ("", 0))[:2] and kind[0] in TENSORS[name][2], "unknown tensor " + name)
        must(len(shape) == 1 or shape[1] > 0, "impossible shape of " + name)
        end = at + math.prod(shape) * WIDTH[dtype]
        must(entry["data_offsets"] == [at, end] and at % WIDTH[dtype] == 0 and end <= len(data), name + " is not in its place")
        must(facts.get("crc32c." + name) == crc32c(data[at:end]), "checksum of " + name)
        numbers = array.array(CODE[dtype])
        numbers.frombytes(data[at:end])
        if sys.byteorder == "big":
            numbers.byteswap()
        must(dtype != "F32" or all(map(math.isfinite, numbers)), name + " is not finite")
        tensors[name], at = (shape, numbers), end
    must(at == len(data), "the file is not as long as its header says")
    must(sum(key.startswith("crc32c.") for key in facts) == len(tensors) + 1, "a checksum too many")
    return facts, tensors


def rows_of(tensors, offsets, items, count):
    """Cuts a list into rows by its offsets, which begin with 0, never fall and end with its length."""
    must(offsets in tensors and items in tensors, offsets + " or " + items + " is missing")
    cut, values = tensors[offsets][1], tensors[items][1]
    must(len(cut) == count + 1 and cut[0] == 0 and cut[-1] == len(values), offsets + " does not fit")
    must(all(a <= b for a, b in zip(cut, cut[1:])), offsets + " falls")
    return [values[a:b] for a, b in zip(cut, cut[1:])]


def check_lists(rows, below, what):
    for row in rows:
        must(all(a < b for a, b in zip(row, row[1:])) and (not row or row[-1] < below), what + " is not ascending or too large")


def check_shape(tensors, name, shape):
    must(name not in tensors or tensors[name][0] == shape, name + " has a wrong shape")


def mix(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & (1 << 64) - 1
    x = (x ^ x >> 27) * 0x94D049BB133111EB & (1 << 64) - 1
    return x ^ x >> 31


def graph_hash(facts, tensors, n):
    h = mix(4 * n + 2 * ("graph.weights" in tensors) + (facts["undirected"] == "yes") + 1)
    targets = tensors["graph.targets"][1]
    weights = array.array("I", tensors["graph.weights"][1].tobytes()) if "graph.weights" in tensors else [0] * len(targets)
    for offset in tensors["graph.offsets"][1][1:]:
        h = mix(h ^ offset)
    for target, weight in zip(targets, weights):
        h = mix(h ^ weight << 32 ^ target)
    for byte in tensors["names.bytes"][1]:
        h = (h ^ byte) * 0x100000001B3 & (1 << 64) - 1
    return "%016x" % mix(h)


def check_model(facts, tensors, n):
    rows, dim = int(facts["rows"]), int(facts.get("option.dim", 0))
    must(1 <= rows <= n, "rows")
    must(facts["graph.hash"] == graph_hash(facts, tensors, n), "graph.hash")
    for name in ("E", "adam.E.m", "adam.E.v", "best.E"):
        check_shape(tensors, name, [rows, dim])
    for name in ("P", "adam.P.m", "adam.P.v", "best.P"):
        check_shape(tensors, name, [dim, dim])
    for name, shape in (("pad", [dim]), ("adagrad.E", [rows]), ("adagrad.P", [dim])):
        check_shape(tensors, name, shape)
    for name in ("attention", "adam.attention.m", "adam.attention.v", "best.attention"):
        check_shape(tensors, name, [int(facts.get("option.window", 0))])
    must(("P" in tensors) <= ("E" in tensors), "P without E")
    must(("pad" in tensors) == ("P" in tensors and facts.get("option.padding") == "vector"), "pad")
    must(("persona.owners" in tensors) == ("persona.vectors" in tensors), "personas")
    if "persona.owners" in tensors:
        owners = tensors["persona.owners"][1]
        must([*dict.fromkeys(owners)] == [*range(rows)] and list(owners) == sorted(owners), "persona.owners")
        for name in ("persona.vectors", "best.persona.vectors"):
            check_shape(tensors, name, [len(owners), dim])
    if "hood.offsets" in tensors or "hood.nodes" in tensors:
        hood = rows_of(tensors, "hood.offsets", "hood.nodes", n)
        check_lists(hood, rows, "hood.nodes")
        must(max(map(len, hood)) <= int(facts["option.neighbors"]), "a neighbourhood is too large")
    else:
        must(rows == n, "hood.offsets is missing")


def check_graph(facts, tensors, n):
    rows = rows_of(tensors, "graph.offsets", "graph.targets", n)
    check_lists(rows, n, "graph.targets")
    must(facts["undirected"] == "no" or all(not r or r[0] >= u for u, r in enumerate(rows)), "an undirected pair stands twice")
    if "graph.weights" in tensors:
        check_shape(tensors, "graph.weights", tensors["graph.targets"][0])
        must(all(w > 0 for w in tensors["graph.weights"][1]), "a weight is not positive")


def check_file(path):
    with open(path, "rb") as file:
        header, data = read_header(file.read())
    kind = check_metadata(header["__metadata__"])
    facts, tensors = read_tensors(header, data, kind)
    must("names.offsets" in tensors, "names.offsets is missing")
    n = tensors["names.offsets"][0][0] - 1
    names = [bytes(name) for name in rows_of(tensors, "names.offsets", "names.bytes", n)]
    must(all(name and name.find(0) == len(name) - 1 for name in names), "a name does not end with its only NUL")
    if kind == "vectors":
        must("vectors" in tensors and tensors["vectors"][0][0] == n, "vectors")
    else:
        must(len(set(names)) == n and min(map(len, names), default=2) > 1, "a name is empty or stands twice")
        check_graph(facts, tensors, n)
    if kind in ("model", "checkpoint"):
        check_model(facts, tensors, n)
    for key, value in facts.items():
        if not key.startswith("crc32c.") and key != "neap.format":
            print("kind" if key == "neap.kind" else key, value, sep="\t")
    for name, (shape, _) in tensors.items():
        print("tensor." + name, TENSORS[name][0] + " " + " x ".join(map(str, shape)), sep="\t")


if __name__ == "__main__":
    try:
        check_file(sys.argv[1])
    except (ValueError, RecursionError, OSError) as error:
        sys.exit(print(sys.argv[1] + ": " + str(error), file=sys.stderr) or 3)
