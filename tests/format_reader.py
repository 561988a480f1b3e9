#!/usr/bin/env python3
"""format_reader.py FILE... - a second reader of Neap's files, versions 1 to 3, written from docs/format.md alone. It knows
the tensors of each method, but not its options: of those it looks at the ones that decide which tensors there are.

Prints the facts and exits with 0, or says what is wrong and exits with 3."""
import array
import collections
import json
import math
import struct
import sys
import unicodedata

WIDTH = {"F32": 4, "U8": 1, "U32": 4, "U64": 8}
CODE = {"F32": "f", "U8": "B", "U32": "I", "U64": "Q"}
MC, MCG, ALL = "mc", "mcg", "mcgv"  # kinds by first letter
COMMON = {  # name: (type, kinds), of rank 1
    "names.offsets": ("U64", ALL), "names.bytes": ("U8", ALL),
    "graph.offsets": ("U64", MCG), "graph.targets": ("U32", MCG), "graph.weights": ("F32", MCG)}
ENCODED = ("gapcn", "gapapn", "apn")  # with an encoder
ATTENTIVE = ("gap", "goat") + ENCODED  # attentive pooling
CHOOSE = ("deepwalk", "splitter")  # by option.loss between outputs and a tree
READERS = ("apn", "cane", "cene", "dmte", "evidence", "tadw", "text", "tridnr")  # of texts
FEATURED = ("evidence", "tadw", "text")  # of features, too, and maybe of these alone
TEXT = {"text.offsets": "U64", "text.words": "U32", "vocabulary.offsets": "U64", "vocabulary.bytes": "U8"}
CLOSED = ("fastrp", "text")  # in closed form: without steps
VECTORS = ATTENTIVE + CHOOSE + CLOSED + ("node2vec", "walklets", "line", "verse", "attentivewalk", "cene", "dmte", "cane", "tadw", "tridnr", "gapmlp", "evidence")
HOODS = tuple(method for method in ATTENTIVE if method not in READERS) + ("gapmlp",)  # those that read neighbourhoods
OTHERS = ("pa", "popularity", "cn", "aa", "ra", "katz", "l3", "walk3", "ppr")
COUNTS = {"rows": MC, "epochs": MC, "epoch": "c", "batch": "c", "items": "c", "step": "c", "best.epoch": "c"}
REALS = {"loss": MC, "valid_auc": MC, "loss.sum": "c", "last.loss": "c", "last.auc": "c", "best.auc": "c", "best.loss": "c"}
TEXTS = {"neap.format": ALL, "neap.kind": ALL, "method": MC, "graph.hash": MC, "undirected": MCG}
OPTIONAL = {"targets": MC, "features.hash": "c"}


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
    must(length <= 1048576 and (8 + length) % 64 == 0 and 8 + length <= len(data), "impossible length of the header")
    text, mark = data[8:8 + length], b'"crc32c.header":"'
    must(text.count(mark) == 1, "there is not one header checksum")
    at = text.index(mark) + len(mark)
    must(text[at:at + 8] == crc32c(text[:at] + b"00000000" + text[at + 8:]).encode(), "checksum of the header")
    header = json.loads(text.decode(), object_pairs_hook=unique)
    must(isinstance(header, dict) and isinstance(header.get("__metadata__"), dict), "no __metadata__")
    return header, data[8 + length:]


def is_plain(name):
    return name and all(" " <= c <= "~" and c not in '"\\' for c in name)


def check_metadata(facts):
    for key, value in facts.items():
        must(isinstance(value, str), key + " is not a string")
    must(facts.get("neap.format") in ("1", "2", "3"), "unknown format version")
    kind = facts.get("neap.kind")
    must(kind in ("model", "checkpoint", "graph", "vectors"), "unknown kind")
    for key, value in facts.items():
        if key.startswith("crc32c."):
            continue
        must(is_plain(key), key + " is not plain")
        must(value.encode().decode() == value and not any(unicodedata.category(c) == "Cc" for c in value), key + " is no text")
        kinds = MC if key[:7] == "option." and key[7:] else {**COUNTS, **REALS, **TEXTS, **OPTIONAL}.get(key, "")
        must(kind[0] in kinds, "unknown key " + key)
        must(key not in COUNTS or (value.isascii() and value.isdigit()), key + " is not a whole number")
        must(key not in REALS or math.isfinite(float(value)), key + " is not finite")
    required = [k for k, kinds in {**COUNTS, **TEXTS}.items() if kind[0] in kinds]
    for key in required:
        must(key in facts, key + " is missing")
    must(facts.get("undirected", "no") in ("yes", "no"), "undirected is neither yes nor no")
    return kind


def read_tensors(header, data):
    facts, at, tensors = header.pop("__metadata__"), 0, {}
    for name, entry in header.items():
        must(is_plain(name) and name != "header", "bad name of a tensor")
        must(isinstance(entry, dict) and sorted(entry) == ["data_offsets", "dtype", "shape"], "bad entry of " + name)
        dtype, shape = entry["dtype"], entry["shape"]
        must(isinstance(dtype, str) and dtype in WIDTH, "bad entry of " + name)
        must(whole(shape, (1, 2, 3, 4)) and whole(entry["data_offsets"], (2,)), "bad entry of " + name)
        must(all(shape[1:]), "impossible shape of " + name)
        end = at + math.prod(shape) * WIDTH[dtype]
        must(entry["data_offsets"] == [at, end] and at % WIDTH[dtype] == 0 and end <= len(data), name + " is not in its place")
        must(facts.get("crc32c." + name) == crc32c(data[at:end]), "checksum of " + name)
        numbers = array.array(CODE[dtype])
        numbers.frombytes(data[at:end])
        if sys.byteorder == "big":
            numbers.byteswap()
        must(dtype != "F32" or all(map(math.isfinite, numbers)), name + " is not finite")
        tensors[name], at = (dtype, shape, numbers), end
    must(at == len(data), "the file is not as long as its header says")
    must(sum(key.startswith("crc32c.") for key in facts) == len(tensors) + 1, "a checksum too many")
    return facts, tensors


def declared(facts, tensors, kind):
    """What the method has for these options: (name: shape, all F32, of what is learned), (name: (type, shape) of the rest)."""
    method, option = facts["method"], lambda name, otherwise=None: facts.get("option." + name, otherwise)
    must(method in VECTORS + OTHERS, "unknown method")
    if method in OTHERS:
        return {}, {}
    must(option("dim"), "option.dim is missing")
    rows, dim = int(facts["rows"]), int(option("dim"))
    learned, rest = {"E": [rows, dim]}, {}
    out = dim  # the length of rows that attend
    if method in ENCODED:
        out = int(option("filters", 0)) or dim
        learned["W"], learned["b"] = [int(option("kernel", 1)) * dim, out], [1, out]
    if method == "apn":
        learned["E"] = [len(tensors["vocabulary.offsets"][2]) - 1 if "vocabulary.offsets" in tensors else 0, dim]
        if option("encoder") == "lstm":
            learned["W"], learned["U"], learned["b"] = [dim, 4 * out], [out, 2 * out], [1, 4 * out]
    if method in ATTENTIVE and option("matrix", "yes") == "yes" and option("attention") != "uniform":
        learned["P"] = [out, out]
    if option("sides") == "2":
        learned["E"] = [2 * rows, dim]
    if option("degrees") == "yes":
        learned["degrees"] = [1, 3 if facts["undirected"] == "yes" else 5]
    if method in HOODS and option("padding") == "vector":
        rest["pad"] = ("F32", [out])
    if method == "gapmlp":
        hidden, blocks = int(option("hidden", 0)), int(option("neighbors", 0)) if option("form") == "flat" else 1
        learned.update({"W1": [blocks * dim, hidden], "b1": [1, hidden], "W2": [hidden, dim], "b2": [1, dim]})
    if method == "cene":
        learned["words"] = [len(tensors["vocabulary.offsets"][2]) - 1 if "vocabulary.offsets" in tensors else 0, dim]
        if option("content") == "gru":
            learned.update({"gru.W": [dim, 3 * dim], "gru.U": [dim, 3 * dim], "gru.b": [1, 3 * dim]})
    if method == "attentivewalk":
        learned["attention"] = [int(option("window", 0))]
    if method == "evidence":
        must("curve.kinds" in tensors, "curve.kinds is missing")
        c, f = tensors["curve.kinds"][1][0], int(option("text-dim", 200))
        learned = {}
        rest = {"node": ("F32", [rows, 7]), "curve.kinds": ("U32", [c]), "curve.lines": ("F32", [c, 4])}
        rest.update({"curve.edges": ("F32", [c, 62]), "curve.steps": ("F32", [c, 64]), "curve.means": ("F32", [c])})
        rest["start"] = ("F32", [1])
        if "all" in option("evidence") or "spectral" in option("evidence"):
            if rows <= 100000:
                rest["vectors"] = ("F32", [rows, dim])
            rest.update({"eigen.values": ("F32", [dim]), "eigen.vectors": ("F32", [rows, dim])})
        if "terms.columns" in tensors:
            k = tensors["terms.columns"][1][0]
            rest.update({"text.vectors": ("F32", [rows, f]), "terms.offsets": ("U32", [rows + 1])})
            rest.update({"terms.columns": ("U32", [k]), "terms.weights": ("F32", [k])})
            rest.update({"near": ("U32", [rows, 10]), "near.cosines": ("F32", [rows, 10])})
            if "vocabulary.offsets" in tensors:
                rest["text.basis"] = ("F32", [len(tensors["vocabulary.offsets"][2]) - 1, f])
        return learned, rest
    if method in FEATURED and "vocabulary.offsets" in tensors:
        words = len(tensors["vocabulary.offsets"][2]) - 1
        rest["basis"] = ("F32", [words, dim if method == "text" else int(option("text-dim", 200))])
        if method == "text" and "scales" in tensors:
            rest["scales"] = ("F32", [rows])
    if method == "tadw":
        learned["H"] = [dim // 2, int(option("text-dim", 200))]
    if method == "dmte":
        width, rest["E"] = int(option("word-dim", 0)), ("F32", learned.pop("E"))
        words = len(tensors["vocabulary.offsets"][2]) - 1 if "vocabulary.offsets" in tensors else 0
        learned.update({"words": [words, width], "W": [3 * width, dim // 2], "nodes": [rows, dim // 2]})
    if method == "cane":
        half, words = dim // 2, len(tensors["vocabulary.offsets"][2]) if "vocabulary.offsets" in tensors else 0
        learned = {"E": [rows, half], "words": [words, half], "filters": [2 * half, half], "R": [half, half]}
    if method == "tridnr":
        learned["words"] = [len(tensors["vocabulary.offsets"][2]) - 1 if "vocabulary.offsets" in tensors else 0, dim]
    if method == "splitter" and (kind == "model" or "persona.owners" in tensors):
        must("persona.owners" in tensors, "persona.owners is missing")
        rest["E"] = ("F32", learned.pop("E"))
        rest["persona.owners"] = ("U32", [tensors["persona.owners"][1][0]])
        learned["persona.vectors"] = [tensors["persona.owners"][1][0], dim]
    return learned, rest


def state_of(facts, learned):
    """What else a checkpoint has, all F32."""
    method, option = facts["method"], lambda name: facts.get("option." + name, "0")
    must(method in VECTORS and method not in CLOSED, method + " has no checkpoints")
    vectors, state = learned.get("persona.vectors", learned.get("E")), {}
    for name, shape in learned.items():
        if float(option("valid")) > 0 and int(option("epochs")) > 0:
            state["best." + name] = shape
        if method in ATTENTIVE + ("cane", "cene", "gapmlp") and option("optimizer") == "adagrad":
            state["adagrad." + name] = shape[:1]
        elif method in ATTENTIVE or method in ("cane", "attentivewalk", "cene", "dmte", "gapmlp"):
            state["adam." + name + ".m"] = state["adam." + name + ".v"] = shape
    drawn = method in CHOOSE and option("loss") != "hs" or method == "line" and option("order") != "1"
    if drawn or method in ("node2vec", "walklets", "tridnr"):
        state["outputs"] = vectors
    if method == "tridnr":
        state["partner"] = vectors
    if method in CHOOSE and option("loss") != "ns":
        state["inner"] = vectors
    return state


def reads_text(facts, tensors):
    return facts["method"] in READERS and (facts["method"] not in FEATURED or any(name in tensors for name in TEXT))


def check_set(facts, tensors, kind):
    """The tensors are those that the kind and the method have, no fewer and no more."""
    need, may = {}, {name: (dtype, None) for name, (dtype, kinds) in COMMON.items() if kind[0] in kinds}
    if kind == "vectors":
        may["vectors"] = ("F32", tensors["vectors"][1] if "vectors" in tensors and len(tensors["vectors"][1]) == 2 else [0, 0])
    if kind[0] in MC:
        may["targets"] = ("U8", None)
        learned, need = declared(facts, tensors, kind)
        need = {**need, **{name: ("F32", shape) for name, shape in learned.items()}}
        if kind == "checkpoint":
            need.update({name: ("F32", shape) for name, shape in state_of(facts, learned).items()})
        if facts["method"] in HOODS or facts["neap.format"] == "1":
            may.update({"hood.offsets": ("U64", None), "hood.nodes": ("U32", None)})
        if reads_text(facts, tensors):
            need.update({name: (dtype, None) for name, dtype in TEXT.items()})
    for name in need:
        must(name in tensors, name + " is missing")
    for name, (dtype, shape, _) in tensors.items():
        must(name in need or name in may, "a %s has no %s" % (kind, name))
        wanted_type, wanted = need.get(name) or may[name]
        must(dtype == wanted_type and (shape == wanted if wanted else len(shape) == 1), name + " has a wrong type or shape")


def rows_of(tensors, offsets, items, count):
    """Cuts a list into rows by its offsets, which begin with 0, never fall and end with its length."""
    must(offsets in tensors and items in tensors, offsets + " or " + items + " is missing")
    cut, values = tensors[offsets][2], tensors[items][2]
    must(len(cut) == count + 1 and cut[0] == 0 and cut[-1] == len(values), offsets + " does not fit")
    must(all(a <= b for a, b in zip(cut, cut[1:])), offsets + " falls")
    return [values[a:b] for a, b in zip(cut, cut[1:])]


def check_lists(rows, below, what):
    for row in rows:
        must(all(a < b for a, b in zip(row, row[1:])) and (not row or row[-1] < below), what + " is not ascending or too large")


def mix(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & (1 << 64) - 1
    x = (x ^ x >> 27) * 0x94D049BB133111EB & (1 << 64) - 1
    return x ^ x >> 31


def graph_hash(facts, tensors, n):
    h = mix(4 * n + 2 * ("graph.weights" in tensors) + (facts["undirected"] == "yes") + 1)
    targets = tensors["graph.targets"][2]
    weights = array.array("I", tensors["graph.weights"][2].tobytes()) if "graph.weights" in tensors else [0] * len(targets)
    for offset in tensors["graph.offsets"][2][1:]:
        h = mix(h ^ offset)
    for target, weight in zip(targets, weights):
        h = mix(h ^ weight << 32 ^ target)
    for byte in tensors["names.bytes"][2]:
        h = (h ^ byte) * 0x100000001B3 & (1 << 64) - 1
    return "%016x" % mix(h)


def all_links(tensors, n):
    """Of each node those that it has an edge with in either direction, itself too."""
    links = [set() for _ in range(n)]
    for u, row in enumerate(rows_of(tensors, "graph.offsets", "graph.targets", n)):
        for v in row:
            links[u].add(v)
            links[v].add(u)
    return links


def check_hood(facts, tensors, n, rows):
    neighbors = int(facts["option.neighbors"])
    if "hood.offsets" in tensors or "hood.nodes" in tensors:
        hood = rows_of(tensors, "hood.offsets", "hood.nodes", n)
        check_lists(hood, rows, "hood.nodes")
        must(max(map(len, hood)) <= neighbors, "a neighbourhood is too large")
        return
    must(rows == n, "hood.offsets is missing")
    for u, links in enumerate(all_links(tensors, n)):
        others = len(links - {u})
        itself = facts["option.self-loops"] == "yes" and u in links or facts["option.self"] == "yes" and others > 0
        must(others + itself <= neighbors, "hood.offsets is missing")


def check_personas(facts, tensors, n, rows):
    owners = list(tensors["persona.owners"][2])
    must([*dict.fromkeys(owners)] == [*range(rows)] and owners == sorted(owners), "persona.owners")
    personas, links = collections.Counter(owners), all_links(tensors, n)
    for u in range(rows):
        must(personas[u] <= max(1, len(links[u] - {u})), "a node has more personas than links")


def check_targets(facts, tensors, n, rows):
    must(("targets" in facts) == ("targets" in tensors), "targets are said or stored, not both")
    if "targets" not in facts:
        return
    side = tensors["targets"][2]
    must(facts["targets"] in ("list", "opposite") and len(side) == n and set(side) <= {0, 1}, "targets")
    if facts["targets"] == "opposite":
        for u, row in enumerate(rows_of(tensors, "graph.offsets", "graph.targets", n)[:rows]):
            must(all(side[u] != side[v] for v in row if v < rows), "an edge within a side")


def check_texts(tensors, n):
    count = len(tensors["vocabulary.offsets"][2]) - 1
    words = [bytes(word) for word in rows_of(tensors, "vocabulary.offsets", "vocabulary.bytes", count)]
    must(count > 0 and all(word.find(0) == len(word) - 1 > 0 for word in words), "a word is empty or does not end with its only NUL")
    must(len(set(words)) == count, "a word stands twice")
    rows_of(tensors, "text.offsets", "text.words", n)
    must(all(word < count for word in tensors["text.words"][2]), "a word that is not in the vocabulary")


def check_model(facts, tensors, n):
    rows = int(facts["rows"])
    must(1 <= rows <= n, "rows")
    must(facts["graph.hash"] == graph_hash(facts, tensors, n), "graph.hash")
    must(facts.get("option.undirected", facts["undirected"]) == facts["undirected"], "option.undirected")
    if facts["method"] in HOODS or facts["neap.format"] == "1":
        check_hood(facts, tensors, n, rows)
    check_targets(facts, tensors, n, rows)
    if reads_text(facts, tensors):
        check_texts(tensors, n)
    if "persona.owners" in tensors:
        check_personas(facts, tensors, n, rows)
    features = facts.get("features.hash", "none")
    must("features.hash" not in facts or facts["method"] in FEATURED, "features.hash")
    must(features == "none" or len(features) == 16 and set(features) <= set("0123456789abcdef"), "features.hash")
    if "epoch" in facts:
        must(int(facts["best.epoch"]) <= int(facts["epoch"]) <= int(facts["option.epochs"]), "an impossible epoch")


def check_graph(facts, tensors, n):
    rows = rows_of(tensors, "graph.offsets", "graph.targets", n)
    check_lists(rows, n, "graph.targets")
    must(facts["undirected"] == "no" or all(not r or r[0] >= u for u, r in enumerate(rows)), "an undirected pair stands twice")
    if "graph.weights" in tensors:
        must(tensors["graph.weights"][1] == tensors["graph.targets"][1], "graph.weights has a wrong shape")
        must(all(w > 0 for w in tensors["graph.weights"][2]), "a weight is not positive")


def check_file(path):
    with open(path, "rb") as file:
        header, data = read_header(file.read())
    kind = check_metadata(header["__metadata__"])
    facts, tensors = read_tensors(header, data)
    check_set(facts, tensors, kind)
    must("names.offsets" in tensors, "names.offsets is missing")
    n = tensors["names.offsets"][1][0] - 1
    names = [bytes(name) for name in rows_of(tensors, "names.offsets", "names.bytes", n)]
    must(all(name and name.find(0) == len(name) - 1 for name in names), "a name does not end with its only NUL")
    if kind == "vectors":
        must("vectors" in tensors and tensors["vectors"][1][0] == n, "vectors")
    else:
        must(len(set(names)) == n and min(map(len, names), default=2) > 1, "a name is empty or stands twice")
        check_graph(facts, tensors, n)
    if kind in ("model", "checkpoint"):
        check_model(facts, tensors, n)
    for key, value in facts.items():
        if not key.startswith("crc32c.") and key != "neap.format":
            print("kind" if key == "neap.kind" else key, value, sep="\t")
    for name, (dtype, shape, _) in tensors.items():
        print("tensor." + name, dtype + " " + " x ".join(map(str, shape)), sep="\t")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        try:
            check_file(name)
        except (ValueError, LookupError, RecursionError, OSError) as error:
            sys.exit(print(name + ": " + str(error), file=sys.stderr) or 3)
