"""On which graphs, splits and methods docs/results/accuracy.md is about."""
SEEDS, SHARES = (11, 12, 13), (15, 55, 95)
GRAPHS = ("cora", "cora-text", "email", "zhihu", "debian")
PUBLISHED = ("USAir", "Yeast", "Power", "Router")
HEURISTICS = ("popularity", "pa", "cn", "aa", "ra", "katz", "l3", "walk3", "ppr")
# Variants of gap stand in the table of ablations (docs/results/results.md), not here.
TRAINED = ("gap", "goat", "deepwalk", "node2vec", "walklets", "line", "verse", "fastrp", "attentivewalk", "splitter")
TEXT = ("text", "tadw", "tridnr", "cene", "cane", "apn", "dmte")
