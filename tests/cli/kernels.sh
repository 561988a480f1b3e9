#!/bin/bash
# What docs/format.md and docs/math.md 14 promise of vector instructions: the models and answers of all methods are the
# same bytes with and without AVX2, but for those that multiply matrices, which differ by rounding.
documents=$(cd "$(dirname "$0")/../../docs" && pwd)
. "$(dirname "$0")/lib/common.bash"

[[ -z ${NEAP_SANITIZE-} ]] || exit 0 # the kernels themselves are tested there, too
"$NEAP" --version | grep -q avx2 || exit 0
"$NEAP" generate sbm --nodes 120 --blocks 4 --p-in 0.3 --p-out 0.02 -o graph.txt -q || fail 'generate'
make_texts graph.txt
head -40 graph.txt >pairs
"$NEAP" methods --json | python3 -c '
import json, sys
small = {"dim": 16, "epochs": 2, "walks": 2}
for method in json.load(sys.stdin)["methods"]:
    known = {option["name"] for option in method["options"]}
    print(method["name"], *("--%s=%s" % item for item in small.items() if item[0] in known))
' >methods || fail 'methods'
multiply=' gap goat gapcn gapapn apn gapmlp attentivewalk dmte cane text tadw evidence '
for document in format math; do # cene multiplies with a GRU only
    listed=$(tr '\n' ' ' <"$documents/$document.md" | grep -oE '(but for|Only) `gap`[^.;]*(whose matrix|train by) ' | sed 's/ and, with .*//' | grep -oE '`[a-z]+`' | tr -d '`' | sort)
    [[ $listed == "$(tr -s ' ' '\n' <<<"$multiply" | sed '/^$/d' | sort)" ]] || fail "docs/$document.md lists other methods: $listed"
done
while read -r method options; do
    read -ra options <<<"--method $method --threads 1 $options"
    for isa in scalar avx2; do
        NEAP_ISA=$isa expect 0 "$NEAP" train graph.txt -o "$method.$isa" --text texts.tsv "${options[@]}"
        NEAP_ISA=$isa expect 0 "$NEAP" score "$method.$isa" pairs
        cp out "$method.$isa.scores"
    done
    if [[ $multiply != *" $method "* ]]; then
        same "$method.scalar" "$method.avx2" "the model of $method"
        same "$method.scalar.scores" "$method.avx2.scores" "the scores of $method"
    else
        most=1e-3
        [[ $method != evidence ]] || most=2 # of cuts that gain as much another may be taken, and here log-odds are large
        paste "$method.scalar.scores" "$method.avx2.scores" |
            awk -F'\t' -v most="$most" '{ d = $3 - $(NF / 2 + 3); if (d > most || d < -most) exit 1 }' || fail "$method differs by more than rounding"
    fi
done <methods
[[ $(wc -l <methods) -ge 15 ]] || fail 'methods are missing'
