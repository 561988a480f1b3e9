#!/bin/bash
# neap reproduce: the paper's tables, run as far as asked for, kept, resumed, and never mixed with its numbers.
. "$(dirname "$0")/lib/common.bash"

make_graphs
quick=(--data graphs --seeds 2 --epochs 2 --dim 8 --batch 32 -t 1)

expect 0 "$NEAP" reproduce link-cora cluster-email "${quick[@]}" -o once --methods gap,pa --ratios 25,55
says out once/report.html
says err 'link-cora, paper-clean, pa at 25 %, seed 2'
says err 'left'
for file in results.json results.md report.html; do [[ -s once/$file ]] || fail "no $file"; done
valid_json once/results.json
says once/results.md leaky
says once/report.html leaky

python3 - once/results.json <<'END' || fail 'the results do not make sense'
import json, sys
data = json.load(open(sys.argv[1]))
tables = {(t["name"], t["protocol"]): t for t in data["tables"]}
assert set(tables) == {(t, p) for t in ("link-cora", "cluster-email") for p in ("paper", "paper-clean", "clean")}
for (name, protocol), table in tables.items():
    assert table["leaky"] == (protocol == "paper"), protocol
    value = "auc" if name == "link-cora" else "nmi"
    for r in table["results"]:
        run = r["ratio"] in (25, 55)
        assert (r["state"] == "run") == run, r
        assert (r[value]["mean"] is not None) == run, r
        assert not run or 0 <= r[value]["mean"] <= 1 and r["seeds"] == 2
        theirs = r["paper"] is not None and r["paper"].get(value) is not None
        assert theirs == (r["method"] == "gap" and not r["untrained"] and protocol != "clean"), r
methods = {(r["method"], r["untrained"]) for r in tables["link-cora", "clean"]["results"]}
assert methods == {("gap", False), ("gap", True), ("pa", False)}
assert {r["method"] for r in tables["cluster-email", "clean"]["results"]} == {"gap"}, "pa has no vectors"
END

# The clean cells are those of neap eval link.
expect 0 "$NEAP" eval link graphs/cora/graph.txt --methods gap,pa --ratios 55 --seeds 2 --epochs 2 --dim 8 --batch 32 -t 1 --json
python3 - once/results.json out <<'END' || fail 'reproduce and eval link disagree'
import json, sys
ours, eval_ = (json.load(open(f)) for f in sys.argv[1:])
table = next(t for t in ours["tables"] if t["name"] == "link-cora" and t["protocol"] == "clean")
for r in eval_["results"]:
    x = next(x for x in table["results"] if x["method"] == r["method"] and not x["untrained"] and x["ratio"] == 55)
    assert abs(x["auc"]["mean"] - r["auc"]["mean"]) < 1e-9 and abs(x["ap"]["mean"] - r["ap"]) < 1e-9, (x, r)
END

# --json prints what results.json holds.
expect 0 "$NEAP" reproduce link-cora "${quick[@]}" -o once --methods gap,pa --ratios 25 --report-only --json
cmp -s out once/results.json || fail '--json is not results.json'
valid_json out

# What is done stays done; what was made with other settings is made again.
expect 0 "$NEAP" reproduce link-cora cluster-email "${quick[@]}" -o once --methods gap,pa --ratios 25,55
if grep -q 'seed' err; then fail 'a finished cell was run again'; fi
expect 0 "$NEAP" reproduce link-cora "${quick[@]}" -o once --methods gap,pa --ratios 25 --margin 2
says err 'gap at 25 %'
if grep -q 'pa at' err; then fail 'pa has no margin'; fi

cp -r graphs others
tail -n +5 graphs/cora/graph.txt >others/cora/graph.txt
expect 0 "$NEAP" reproduce link-cora "${quick[@]}" -o once --methods pa --ratios 25 --data others
says err 'pa at 25 %'

# Killed again and again, it ends with the same numbers.
whole=(link-cora "${quick[@]}" --methods gap,ppr --ratios 15,55)
expect 0 "$NEAP" reproduce "${whole[@]}" -o straight
for ((k = 0; k < 40; k++)); do
    timeout -s KILL 0.0$((k % 9 + 1)) "$NEAP" reproduce "${whole[@]}" -o killed >/dev/null && break
done 2>/dev/null
expect 0 "$NEAP" reproduce "${whole[@]}" -o killed
python3 - straight/results.json killed/results.json <<'END' || fail 'interruptions changed the numbers'
import json, sys
def plain(x):
    if isinstance(x, dict): return {k: plain(v) for k, v in x.items() if k != "seconds"}
    return [plain(v) for v in x] if isinstance(x, list) else x
a, b = (plain(json.load(open(f))) for f in sys.argv[1:])
assert a == b
END

# Interrupted politely: exit code 130, a report of what is there, and what is missing is marked.
endless=(link-cora --data graphs --methods gap --seeds 3 --epochs 100000 --dim 8 --valid 0 -t 1)
expect 130 timeout --preserve-status -s INT 0.3 "$NEAP" reproduce "${endless[@]}" -o polite
says err 'goes on from there'
says polite/results.json '"not run"'
says polite/results.md 'not run'

# What cannot be run is said before anything is.
expect 3 "$NEAP" reproduce link-zhihu "${quick[@]}" -o never
says err zhihu/graph.txt
expect 2 "$NEAP" reproduce link-nowhere "${quick[@]}" -o never
says err link-nowhere
expect 2 "$NEAP" reproduce link-cora "${quick[@]}" -o never --protocols dirty
expect 2 "$NEAP" reproduce link-cora "${quick[@]}" -o never --methods nosuch
expect 2 "$NEAP" reproduce link-cora --data graphs
echo '0 c0' >graphs/email/labels.txt
expect 3 "$NEAP" reproduce cluster-email "${quick[@]}" -o never
says err labels.txt
