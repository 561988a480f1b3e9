#!/bin/bash
# neap eval link: one table for all methods, the same pairs, honest labels.
. "$(dirname "$0")/lib/common.bash"

make_friends
fast=(--ratios 60,80 --seeds 2 --epochs 3 --dim 8 -t 1)

expect 0 "$NEAP" eval link friends.txt "${fast[@]}"
says out 'protocol clean'
[[ $(sed -n '/^method  /{n;p}' out) == evidence\ * ]] || fail 'the default method is not the first'
for method in evidence gap 'gap untrained' pa popularity cn aa ra katz l3 walk3 ppr; do
    grep -Eq "^$method +[01]\.[0-9]{4} " out || fail "no row for $method"
done
if grep -q leaky out; then fail 'clean is not leaky'; fi
says err '48 of 48: ppr at 80 %, seed 2: AUC '
if grep -q '^text' out; then fail 'there are no texts'; fi

# The cosine of texts joins the usual table where there are texts, and no other.
make_texts friends.txt
expect 0 "$NEAP" eval link friends.txt "${fast[@]}" --text texts.tsv
grep -q '^text  ' out || fail 'no row for text'
expect 0 "$NEAP" eval link friends.txt "${fast[@]}" --text texts.tsv --methods pa,cn
if grep -q '^text' out; then fail 'text was not asked for'; fi

# Evidence without each of its groups: those that the graph has and --evidence names.
"$NEAP" generate sbm --nodes 120 --blocks 4 --p-in 0.3 --p-out 0.02 --seed 5 -o blocks.txt -q || fail 'generate'
ablate=("$NEAP" eval link blocks.txt --methods evidence,pa --ablate --ratios 60 --seeds 1 -t 1 --dim 8 --curve-steps 20)
expect 0 "${ablate[@]}"
for group in degrees shared paths walks spectral; do
    grep -Eq "^evidence without $group +[01]\.[0-9]{4} " out || fail "no row without $group"
done
[[ $(grep '^evidence' out | awk '{ print $NF, $(NF - 2) }' | sort -u | wc -l) -gt 3 ]] || fail 'the rows are all alike'
if grep -q 'without text' out; then fail 'there are no texts to leave out'; fi
[[ $(sed -n '/^method  /{n;p}' out) == evidence\ \ * ]] || fail 'the whole is not above its parts'
expect 0 "${ablate[@]}" --evidence degrees,walks --json
cp out parts.json
expect 0 "$NEAP" eval link blocks.txt --methods evidence --evidence walks "${ablate[@]:7}" --json
python3 - parts.json out <<'END' || fail 'a row without a group is not a model without it'
import json, sys
parts, walks = (json.load(open(f))["results"] for f in sys.argv[1:])
assert [(r["method"], r["without"]) for r in parts] == [("evidence", None), ("evidence", "degrees"),
                                                        ("evidence", "walks"), ("pa", None)], parts
whole, degrees, rest, pa = ((r["auc"]["mean"], r["mrr"], r["mrr_all"]) for r in parts)
(alone,) = ((r["auc"]["mean"], r["mrr"], r["mrr_all"]) for r in walks)
assert degrees == alone and len({whole, degrees, rest, pa}) == 4, (whole, degrees, rest, pa, alone)
END
make_texts blocks.txt
expect 0 "${ablate[@]}" --evidence degrees,text --text texts.tsv
grep -q '^evidence without text ' out || fail 'texts are not left out'
make_texts friends.txt

expect 0 "$NEAP" eval link friends.txt "${fast[@]}" --methods gap,pa --json
valid_json out
cp out once
expect 0 "$NEAP" eval link friends.txt "${fast[@]}" --methods gap,pa --json
python3 - once out <<'END' || fail 'the numbers do not make sense'
import json, sys
once, again = (json.load(open(f)) for f in sys.argv[1:])
rows = [(r["method"], r["untrained"], r["ratio"]) for r in once["results"]]
assert rows == [(m, u, r) for m, u in (("gap", False), ("gap", True), ("pa", False)) for r in (60, 80)], rows
assert not once["leaky"]
for a, b in zip(once["results"], again["results"]):
    numbers = [a["auc"]["mean"], a["ap"], a["mrr"], *a["hits"].values(), *a["pool_hits"].values()]
    assert all(0 <= x <= 1 for x in numbers), numbers
    assert a["pairs"] > 0 and a["hits"]["1"] <= a["hits"]["10"] <= a["hits"]["50"]
    for key in ("seconds", "seconds_training"):
        a.pop(key), b.pop(key)
    assert a == b, "not repeatable"
END

# A trained method is evaluated at 0 epochs, too.
expect 0 "$NEAP" eval link friends.txt "${fast[@]}" --methods gap --epochs 0 --valid 0 --json
python3 - once out <<'END' || fail 'the untrained row is not the untrained model'
import json, sys
once, untrained = (json.load(open(f))["results"] for f in sys.argv[1:])
assert len(untrained) == 2 and not untrained[0]["untrained"]
for a, b in zip([r for r in once if r["untrained"]], untrained):
    assert (a["auc"], a["mrr"]) == (b["auc"], b["mrr"]), (a, b)
END
expect 0 "$NEAP" eval link friends.txt "${fast[@]}" --methods gap --no-untrained
if grep -q untrained out; then fail '--no-untrained has a row for it'; fi

# One seed has no deviation.
expect 0 "$NEAP" eval link friends.txt --methods pa --ratios 60 --seeds 1 --json
says out '"std": null'
expect 0 "$NEAP" eval link friends.txt --methods pa --ratios 60 --seeds 1
if grep -q '+-' out; then fail 'a deviation of one number'; fi

# The degree product of eval is that of train --test: the same split.
expect 0 "$NEAP" eval link friends.txt --methods pa --ratios 80 --seeds 1 --json
cp out eval.json
expect 0 "$NEAP" train friends.txt -o m --method pa --test 0.2 --json
python3 - eval.json out <<'END' || fail 'eval and train --test disagree'
import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
assert abs(a["results"][0]["auc"]["mean"] - b["test"]["auc"]) < 1e-9
END

# What is odd about the input is counted, and so is what each row could see.
{ cat friends.txt; printf 'alice bob\nbob alice\nivan ivan\n'; } >odd.txt
expect 0 "$NEAP" eval link odd.txt "${fast[@]}" --methods gap,pa
says out '1 self-loop dropped, 1 repeated edge merged'
says out 'training links'
expect 0 "$NEAP" eval link odd.txt "${fast[@]}" --methods gap,pa --protocol paper --json
python3 - out <<'END' || fail 'self-loops, repeats and what was seen are not told'
import json, sys
top = json.load(open(sys.argv[1]))
assert top["leaky"] and "leaky" in top["sees"]
assert top["self_loops"] == {"dropped": 0, "kept": 1} and top["repeats"]["merged"] == 1 and top["ties"] >= 0
sees = {r["method"]: r["sees"] for r in top["results"]}
assert sees == {"gap": "test links", "pa": "training links"}, sees
for r in top["results"]:
    assert r["pairs"] > 0 and r["skipped"] >= 0 and r["loops"] >= 0 and 0 <= r["auc_no_loops"] <= 1
    assert r["negatives"] == "test-nodes", r
    assert set(r) >= {"method", "protocol", "ratio", "negatives", "auc", "ap", "mrr", "hits", "seconds"}
END

expect 0 "$NEAP" eval link friends.txt "${fast[@]}" --methods gap --protocol paper
says out 'leaky'
says out 'test links included'
expect 0 "$NEAP" eval link friends.txt "${fast[@]}" --methods gap --protocol paper-clean
if grep -q leaky out; then fail 'paper-clean is not leaky'; fi

# A split in which no pair can be scored has no AUC: a dash, null, and why.
printf '%s\n' 'a b' 'b c' 'c d' 'd e' 'e f' 'f g' 'g h' 'h i' >path.txt
for seeds in 1 3; do
    expect 0 "$NEAP" eval link path.txt --methods pa --protocol paper --ratios 38 --seeds $seeds
    says err 'pa at 38 %, seed 1: AUC -'
    grep -qE '^pa +- +training links$' out || fail 'no dash for what is undefined'
    says out 'no test pair could be scored: each has a node without a training edge'
    if grep -q nan out err; then fail 'what is undefined is printed as a number'; fi
    expect 0 "$NEAP" eval link path.txt --methods pa --protocol paper --ratios 38 --seeds $seeds --json
    python3 - out <<'END' || fail 'what is undefined is not null with a reason'
import json, sys
cell = json.load(open(sys.argv[1]), parse_constant=lambda word: sys.exit(word))["results"][0]
assert cell["auc"] == {"mean": None, "std": None} and "no test pair could be scored" in cell["undefined"], cell
END
done
printf 'a a\nb b\nc c\nd d\na b\nc d\n' >loops.txt
expect 0 "$NEAP" eval link loops.txt --methods pa --protocol paper --ratios 60 --seeds 1 --seed 4
says out 'without the self-loops'
says out '- at 60 %: all scored pairs are self-loops'
if grep -q nan out err; then fail 'what is undefined is printed as a number'; fi
expect 0 "$NEAP" eval link friends.txt --methods pa --ratios 60 --seeds 1 --json
says out '"undefined": null'

# What would be ignored is refused, and so is what is given twice.
refused()
{
    local words=$1
    shift
    expect 2 "$NEAP" eval "$@"
    says err "$words"
    empty out
}
printf 'alice 1\n' >v.txt
for task in link cluster classify; do
    refused 'did you mean --methods?' $task friends.txt --method pa
    refused 'there is no option --test' $task friends.txt --test 0.2
done
refused '--vectors names one file' link friends.txt --vectors v.txt --vectors v.txt
refused '--similarity applies to --vectors, which is not given' link friends.txt --similarity dot
refused '--allow-missing applies to --vectors, which is not given' link friends.txt --allow-missing
refused '--test-negatives is for the protocol clean' link friends.txt --protocol paper --test-negatives degree
refused "--methods has 'pa' twice" link friends.txt --methods pa,cn,pa
refused "--ratios has '60.0' twice" link friends.txt --ratios 60,60.0
refused '--ratios: an item is missing beside a comma' link friends.txt --ratios 15,,55
refused '--ratios: an item is missing beside a comma' link friends.txt --ratios 15,
refused '--ratios is empty' link friends.txt --ratios ''
refused '--methods none leaves nothing to do' link friends.txt --methods none
refused '--ablate leaves out parts of evidence' link friends.txt --methods gap,pa --ablate
refused '--ablate leaves nothing of one group' link friends.txt --ablate --evidence walks
refused "there is no evidence called 'luck'" link friends.txt --ablate --evidence luck

# Shares that look like parts of 1, and those that leave nothing to learn from.
expect 0 "$NEAP" eval link friends.txt --methods pa --ratios 0.8 --seeds 1
says err '--ratios 0.8 means 0.8 %, not 80 %'
expect 3 "$NEAP" eval link friends.txt --methods gap --ratios 6 --seeds 1
says err 'training on 6 % of the pairs leaves 1 edge'
says err 'take a larger ratio'

expect 2 "$NEAP" eval link friends.txt --methods gap,nosuch --ratios 60
says err nosuch
expect 2 "$NEAP" eval link friends.txt --ratios 0
expect 2 "$NEAP" eval link friends.txt --ratios 60,
expect 2 "$NEAP" eval link friends.txt --protocol dirty
expect 2 "$NEAP" eval nothing friends.txt
expect 3 "$NEAP" eval link missing.txt

# Scoring is heard of; Ctrl-C ends it at once, and what is on disk stays there.
data=$NEAP_SOURCE/data/debian.tsv.gz
interrupt_after 'ppr at 55 %, seed 1: scoring ' "$NEAP" eval link "$data" --methods ppr --ratios 55 --progress always -o kept
says err 'interrupted; the table is not complete; 1 split is kept in kept'
empty out
expect 0 "$NEAP" eval link "$data" --split kept --methods pa

# Of a method with a probability it is told how right that is, on a page as well.
expect 0 "$NEAP" eval link friends.txt --methods evidence,pa --ratios 60,80 --seeds 2 -t 1 -o judged
says out 'Probabilities: how far they are from what came true'
says out 'Brier score'
says err 'results.json and report.html written'
python3 - judged/results.json <<'END' || fail 'what is said of probabilities makes no sense'
import json, sys
for cell in json.load(open(sys.argv[1]))["results"]:
    told = cell["calibration"]
    assert cell["auc_shared"] is None and (told is None) == (cell["method"] == "pa"), cell
    if told:
        assert 0 < told["brier"]["mean"] < 1 and 0 < told["ece"]["mean"] < 1 and 0 < told["ece_own_labels"]["mean"] < 1, told
        assert len(told["bins"]) == 15 and sum(b["count"] for b in told["bins"]) == 2 * 2 * cell["pairs"], told
END
python3 "$NEAP_SOURCE/tests/page_structure.py" judged/report.html 2>err || fail 'a page that a screen reader stumbles over'
says judged/report.html 'Are the probabilities of'
says judged/report.html 'AUC of pairs with both ends seen'
expect 0 "$NEAP" eval link friends.txt --methods pa --ratios 60 --seeds 1 --protocol paper -o plain
python3 "$NEAP_SOURCE/tests/page_structure.py" plain/report.html 2>err || fail 'a page that a screen reader stumbles over'
if grep -q 'Are the probabilities\|both ends seen' plain/report.html; then fail 'a page tells what was not measured'; fi

# Near negatives: links with a shared neighbour stand apart, and probabilities concern what was learned from.
expect 0 "$NEAP" eval link friends.txt --methods evidence,pa --ratios 60 --seeds 2 -t 1 --test-negatives two-hop
says out 'AUC of test links with a shared neighbour in training'
says out 'Probabilities of evidence concern other non-links than these, so they are not judged: --negative-sampling two-hop'
expect 0 "$NEAP" eval link friends.txt --methods evidence,pa --ratios 60 --seeds 2 -t 1 --test-negatives two-hop --negative-sampling two-hop --json
python3 - out <<'END' || fail 'near pairs are not told'
import json, sys
for cell in json.load(open(sys.argv[1]))["results"]:
    assert 0 <= cell["auc_shared"] <= 1 and (cell["calibration"] is None) == (cell["method"] == "pa"), cell
END
