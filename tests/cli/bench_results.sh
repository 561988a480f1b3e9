#!/bin/bash
# The page of the benchmark and the README's section say what docs/results/bench.json says, and nothing else.
. "$(dirname "$0")/lib/common.bash"

cat >compare.py <<'END_OF_PYTHON'
import json, sys
root = sys.argv[1]
sys.path.insert(0, root + "/bench")
import page, readme
results = json.load(open(root + "/docs/results/bench.json", encoding="utf-8"))
assert readme.section(results) in open(root + "/README.md", encoding="utf-8").read(), "the README's section"
assert readme.long(results) == open(root + "/docs/results/bench.md", encoding="utf-8").read(), "docs/results/bench.md"
assert page.render(results) == open(root + "/docs/results/bench.html", encoding="utf-8").read(), "docs/results/bench.html"
for row in results["rows"]:
    goal, missed = row["goal"], row["verdict"] == "missed"
    if "value" in row and goal:
        met = row["value"] >= goal["value"] if goal["bound"] == "at least" else row["value"] <= goal["value"]
        assert met != missed, row["name"]
    assert not missed or row["why"], row["name"] + " was missed and does not say why"
    assert ("missed" in readme.measured(row)) == missed, row["name"]
END_OF_PYTHON
expect 0 python3 -B compare.py "$NEAP_SOURCE"

# These pages, and the reports beside them, are whole for a screen reader, too.
mapfile -t reports < <(find "$NEAP_SOURCE/docs/results" -maxdepth 2 -name report.html)
[[ ${#reports[@]} -gt 0 ]] || fail 'there is no report'
expect 0 python3 "$NEAP_SOURCE/tests/page_structure.py" "$NEAP_SOURCE"/docs/results/bench.html "${reports[@]}"
