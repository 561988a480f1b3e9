#!/bin/bash
# neap reproduce: the paper's tables, run as far as asked for, kept, resumed, and never mixed with its numbers.
. "$(dirname "$0")/lib/common.bash"

make_graphs
quick=(--data graphs --seeds 2 --epochs 2 --dim 8 --batch 32 -t 1)

expect 0 "$NEAP" reproduce link-cora cluster-email "${quick[@]}" -o once --methods gap,pa --ratios 25,55
says out once/report.html
says err 'link-cora, paper-clean, pa at 25 %, seed 2'
says err 'left'
says err 'link-cora, paper, gap untrained with self at 25 %, seed 2'
says err '68 of 68 asked for were run; the report has 92 measurements'
for file in results.json results.md report.html; do [[ -s once/$file ]] || fail "no $file"; done
valid_json once/results.json
says once/results.md leaky
says once/report.html leaky
python3 "$NEAP_SOURCE/tests/page_structure.py" once/report.html 2>err || fail 'a report that a screen reader stumbles over'

python3 - once/results.json <<'END' || fail 'the results do not make sense'
import json, sys
data = json.load(open(sys.argv[1]))
tables = {(t["name"], t["protocol"]): t for t in data["tables"]}
run = {key for key, t in tables.items() if t["state"] == "run"}
assert len(tables) == 22 and all(bool(t["results"]) == (key in run) for key, t in tables.items())
assert run == {(t, p) for t in ("link-cora", "cluster-email", "ablation") for p in ("paper", "paper-clean", "clean")}, run
assert data["asked"] == 68 and data["missing"] == 0 and data["measurements"] == 92, "ablation shares cells"
tables = {key: t for key, t in tables.items() if key in run and key[0] != "ablation"}
ours = ("gap", "pa")
published = {"link-cora": "deepwalk line node2vec walklets attentivewalk tadw tridnr cene cane dmte splitter gap".split(),
             "cluster-email": "deepwalk line node2vec walklets attentivewalk splitter gap".split()}
for (name, protocol), table in tables.items():
    assert table["leaky"] == (protocol == "paper"), protocol
    value = "auc" if name == "link-cora" else "nmi"
    for r in table["results"]:
        run = r["ratio"] in (25, 55) and r["method"] in ours
        assert (r["state"] == "run") == run, r
        assert (r[value]["mean"] is not None) == run, r
        assert not run or 0 <= r[value]["mean"] <= 1 and r["seeds"] == 2
        theirs = r["paper"] is not None and r["paper"].get(value) is not None
        assert theirs == (not r["untrained"] and protocol != "clean" and r["method"] in published[name]), r
methods = {(r["method"], r["untrained"]) for r in tables["link-cora", "clean"]["results"] if r["state"] == "run"}
assert methods == {("gap", False), ("gap", True), ("pa", False)}
methods = {r["method"] for r in tables["cluster-email", "clean"]["results"] if r["state"] == "run"}
assert methods == {"gap"}, "pa has no vectors"
END

# The clean cells are those of neap eval link, at the settings that gap has in the tables.
papers=(--no-mask --no-self --no-degrees --alignment tanh --objective margin)
expect 0 "$NEAP" eval link graphs/cora/graph.txt --methods gap,pa --ratios 55 --seeds 2 --epochs 2 --dim 8 --batch 32 -t 1 "${papers[@]}" --json
python3 - once/results.json out <<'END' || fail 'reproduce and eval link disagree'
import json, sys
ours, eval_ = (json.load(open(f)) for f in sys.argv[1:])
table = next(t for t in ours["tables"] if t["name"] == "link-cora" and t["protocol"] == "clean")
for r in eval_["results"]:
    x = next(x for x in table["results"] if x["method"] == r["method"] and x["untrained"] == r.get("untrained", False) and x["ratio"] == 55)
    assert abs(x["auc"]["mean"] - r["auc"]["mean"]) < 1e-9 and abs(x["ap"] - r["ap"]) < 1e-9, (x, r)
    assert x["hits"].keys() == r["hits"].keys() and abs(x["hits"]["10"] - r["hits"]["10"]) < 1e-9, (x, r)
END

python3 - once/results.json out <<'END' || fail 'ranks among all nodes are lost'
import json, sys
ours, eval_ = (json.load(open(f)) for f in sys.argv[1:])
table = next(t for t in ours["tables"] if t["name"] == "link-cora" and t["protocol"] == "clean")
for r in eval_["results"]:
    x = next(x for x in table["results"] if x["method"] == r["method"] and x["untrained"] == r.get("untrained", False) and x["ratio"] == 55)
    for key in ("mrr", "mrr_all", "auc_seen", "ranked"):
        assert abs(x[key] - r[key]) < 1e-9, (key, x, r)
    assert abs(x["hits_all"]["10"] - r["hits_all"]["10"]) < 1e-9, (x, r)
END
says once/results.md 'MRR (all nodes)'

# --json prints what results.json holds.
expect 0 "$NEAP" reproduce link-cora "${quick[@]}" -o once --methods gap,pa --ratios 25 --report-only --json
cmp -s out once/results.json || fail '--json is not results.json'
valid_json out

# What is done stays done; what was made with other settings is made again.
expect 0 "$NEAP" reproduce link-cora cluster-email "${quick[@]}" -o once --methods gap,pa --ratios 25,55
if grep -q 'seed' err; then fail 'a finished cell was run again'; fi
says err 'nothing to run: all 68 cells are there'

# A report has everything that its folder holds, whatever was asked for last, and whichever seeds.
expect 0 "$NEAP" reproduce link-cora "${quick[@]}" -o twice --methods pa,ppr --ratios 25 --protocols clean
says err '4 of 4 asked for were run; the report has 4 measurements'
expect 0 "$NEAP" reproduce link-email "${quick[@]}" -o twice --methods pa --ratios 55 --protocols clean --seed 2
says err '2 of 2 asked for were run; the report has 6 measurements'
says twice/results.md '2 of 2 asked for were run; the report has 6 measurements. Seeds: 1 to 3.'
says twice/report.html '<h2>Link prediction on Cora</h2>'
says twice/report.html '<h2>Link prediction on Email</h2>'
expect 0 "$NEAP" reproduce --seeds 1 --epochs 2 --dim 8 --batch 32 -t 1 -o twice --report-only
says err 'the report has 6 measurements'
expect 0 "$NEAP" reproduce link-cora "${quick[@]}" -o twice --methods gap --ratios 25 --protocols clean --margin 2
says err 'the report has 14 measurements' # the ablation has the four of gap too
expect 0 "$NEAP" reproduce link-cora "${quick[@]}" -o twice --methods pa --ratios 25 --protocols clean
says err 'the report has 6 measurements' # gap had another margin

# Tables that vary the graph or S say so in their progress; a time has a unit.
expect 0 "$NEAP" reproduce sensitivity-cluster ablation "${quick[@]}" -o varied --seeds 1 --methods gap --ratios 55 --protocols clean
says err 'sensitivity-cluster, clean, gap at 55 %, S = 25, seed 1: '
says err 'ablation, clean, email, gap untrained at 55 %, seed 1: '
cp -r graphs/cora graphs/zhihu
"$NEAP" reproduce time --data graphs -o timed --dim 10 -t 1 >out 2>clock </dev/null &
pid=$!
for ((k = 0; k < 15000; k++)); do
    if grep -qs seed clock; then break; fi
    sleep 0.02
done
kill $pid 2>/dev/null
wait $pid
grep -q 'time, cora, gap, seed 1: [0-9.]* seconds per epoch' clock || fail 'a time has no unit'
rm -r graphs/zhihu
expect 0 "$NEAP" reproduce link-cora "${quick[@]}" -o once --methods gap,pa --ratios 25 --margin 2
says err 'gap at 25 %'
if grep -q 'pa at' err; then fail 'pa has no margin'; fi

cp -r graphs others
tail -n +5 graphs/cora/graph.txt >others/cora/graph.txt
expect 0 "$NEAP" reproduce link-cora "${quick[@]}" -o once --methods pa --ratios 25 --data others
says err 'pa at 25 %'

# A system that reads text gets that of Cora; another text makes its cells again, and no other ones.
reads=(link-cora --data others --seeds 1 --ratios 55 --protocols clean --methods text,pa -t 1 -o read)
expect 0 "$NEAP" reproduce "${reads[@]}"
says err 'text at 55 %'
expect 0 "$NEAP" reproduce "${reads[@]}"
says err 'nothing to run'
echo 'all block0 and more' >>others/cora/text.txt
expect 0 "$NEAP" reproduce "${reads[@]}"
says err 'text at 55 %'
if grep -q 'pa at' err; then fail 'pa reads no text'; fi
rm others/cora/text.txt
expect 3 "$NEAP" reproduce "${reads[@]}"
says err cora/text.txt
expect 0 "$NEAP" reproduce "${reads[@]}" --methods pa

# Other texts and features of its nodes may be given; features count for a system that reads them.
awk '{ printf "%d\t%s\n", NR - 1, $0 }' graphs/cora/text.txt >named.tsv
expect 0 "$NEAP" reproduce "${reads[@]}" --text named.tsv
says err 'text at 55 %'
expect 0 "$NEAP" reproduce "${reads[@]}" --text named.tsv
says err 'nothing to run'
awk '{ print NR - 1, "block" int(NR / 40) }' graphs/cora/text.txt >features
expect 0 "$NEAP" reproduce "${reads[@]}" --text graphs/cora/text.txt --text-by-line --features features
says err 'text at 55 %'
if grep -q 'pa at' err; then fail 'pa reads no features'; fi
expect 0 "$NEAP" reproduce "${reads[@]}" --text graphs/cora/text.txt --text-by-line --features features
says err 'nothing to run'
expect 3 "$NEAP" reproduce "${reads[@]}" --text named.tsv --features missing

# A system that reads texts but no features stands beside one that reads both: one graph, one file of texts.
mixed=("${reads[@]}" --methods text,tridnr --text named.tsv -o mixed)
expect 0 "$NEAP" reproduce "${mixed[@]}" --features features
says err '2 of 2 asked for were run'
says mixed/cells/link-cora-clean-text-55-1.json '"features": "'
if grep -q features mixed/cells/*tridnr*; then fail 'tridnr reads no features'; fi
expect 0 "$NEAP" reproduce "${mixed[@]}" --features features
says err 'nothing to run'
expect 0 "$NEAP" reproduce -o mixed --report-only -t 1
says err 'the report has 2 measurements'
expect 0 "$NEAP" reproduce "${mixed[@]}" --seed 2
if grep -q features mixed/cells/*-2.json; then fail 'a cell of texts alone names features'; fi
expect 3 "$NEAP" reproduce -o mixed --report-only -t 1
says err 'cells of cora in mixed were made with different features, or some without'
expect 0 "$NEAP" reproduce "${mixed[@]}" --features features --report-only
says err 'the report has 3 measurements'
expect 0 "$NEAP" reproduce "${mixed[@]}"
says err 'text at 55 %'
if grep -q 'tridnr at' err; then fail 'tridnr reads no features'; fi
expect 2 "$NEAP" reproduce "${reads[@]}" --text-by-line
says err '--text-by-line goes with --text'

# Without ratios and seeds there is a plan, of which the lists take a part; a dry run tells how much is missing of it.
expect 0 "$NEAP" reproduce link-cora --data graphs -o planned --methods pa --dry-run
[[ ! -e planned ]] || fail 'a dry run left something behind'
says out '3 of 3      missing'
says out 'all systems, clean, 15, 55 and 95 %, seed 11'
says out '18 of 18 cells are missing: about'
expect 0 "$NEAP" reproduce link-cora --data graphs -o planned --methods pa -t 1
says err '18 of 18 asked for were run'
grep -q seed err && head -1 err | grep -q 'clean, pa at 15 %, seed 11' || fail 'the plan begins elsewhere'
says planned/results.md '| all systems, clean, 15, 55 and 95 %, seeds 12 and 13 | 6 | 6 |'
for seed in 11 12 13; do [[ -s planned/cells/link-cora-clean-pa-55-$seed.json ]] || fail "no cell of seed $seed"; done
rm planned/cells/*-13.json
expect 0 "$NEAP" reproduce link-cora --data graphs -o planned --methods pa --dry-run --json
valid_json out
python3 -c 'import json, sys
d = json.load(open("out"))
assert d["asked"] == 18 and d["missing"] == 3 and d["guessed"] == 0 < d["seconds"], d
assert [p["missing"] for p in d["parts"]] == [0, 0, 3, 0], d' || fail 'a dry run that cannot count'
expect 2 "$NEAP" reproduce link-cora --data graphs -o planned --methods pa --protocols paper
says err 'the plan has no such cells'
expect 2 "$NEAP" reproduce --data graphs -o planned --dry-run --report-only

# A budget ends the run between cells.
expect 0 "$NEAP" reproduce link-cora --data graphs -o budget --methods pa -t 1 --hours 1e-9
says err 'the time is over'
says err '0 of 18 asked for were run'
expect 3 "$NEAP" reproduce -o budget --report-only

# A cell that takes too long is cut short, measured and marked; with more time it is run again.
long=(link-cora --data graphs --seeds 1 --ratios 55 --protocols clean --methods gap --dim 8 -t 1 --lr 1e-9 --valid 0 --epochs 1000000)
expect 0 "$NEAP" reproduce "${long[@]}" -o cut --cell-time 1
says err ', cut short'
says cut/cells/link-cora-clean-gap-55-1.json '"cut": true'
says cut/results.md '†'
expect 0 "$NEAP" reproduce "${long[@]}" -o cut --cell-time 0.9
says err 'nothing to run'
expect 0 "$NEAP" reproduce "${long[@]}" -o cut --cell-time 1.1
says err ', cut short'

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
env --default-signal=INT "$NEAP" reproduce "${endless[@]}" -o polite >out 2>err </dev/null &
pid=$!
for ((k = 0; k < 15000; k++)); do
    if [[ -d polite/cells ]]; then break; fi
    sleep 0.02
done
kill -INT $pid
wait $pid
[[ $? -eq 130 ]] || fail 'an interruption does not end with exit code 130'
says err 'goes on from there'
says polite/results.json '"not run"'
says polite/results.md 'not run'

# Settings that are not the paper's are told, and whence ours come.
says straight/results.md 'settings of gap: lr 0.001, 2 epochs and batch 32 instead of 0.0001, 100 and 64.'
expect 0 "$NEAP" reproduce link-cora --data graphs --seeds 1 --dim 8 -t 1 -o ours --methods gap --ratios 15 --protocols paper
says ours/results.md 'Settings were chosen on validation pairs of another seed'
expect 0 "$NEAP" reproduce link-cora --data graphs --seeds 1 --dim 8 -t 1 -o ours --methods pa --ratios 15 --protocols paper --preset paper
if grep -q "Not the paper" ours/results.md; then fail 'these are the settings of the paper'; fi

# A request for nothing, and a folder of nothing.
expect 2 "$NEAP" reproduce link-cora "${quick[@]}" -o never --ratios 20
says err '15, 25, 35, 45, 55, 65, 75, 85, 95'
expect 2 "$NEAP" reproduce cluster-email "${quick[@]}" -o never --methods pa
says err 'its methods are gap'
expect 3 "$NEAP" reproduce -o never --report-only
says err 'there are no cells in never'
[[ ! -e never ]] || fail 'a folder was made for nothing'
mkdir -p other/cells
cp once/cells/link-cora-clean-gap-25-1.json other/cells
expect 3 "$NEAP" reproduce -o other --report-only --dim 16
says err 'with these settings'
[[ ! -e other/report.html ]] || fail 'a report of nothing was written'

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
