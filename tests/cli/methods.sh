#!/bin/bash
# Every method that learns vectors, on the bundled graph: from the file to an AUC, scores, a ranking and vectors.
. "$(dirname "$0")/lib/common.bash"

graph=$NEAP_SOURCE/data/debian.tsv.gz
if [[ -n ${NEAP_SANITIZE-} ]]; then # a fifth of its nodes: everything is several times as slow
    gzip -dc "$graph" | awk -F '\t' '$1 ~ /^(g|lib[a-g])/ && $2 ~ /^(g|lib[a-g])/' >part.tsv
    graph=part.tsv
fi
brief=(--dim 16 --epochs 1 --walks 2 --walk-length 20 --window 4 --valid 0)
make_texts "$graph"
printf 'gimp\tlibc6\ngimp\tlibgif7\n' >pairs.txt

expect 0 "$NEAP" methods --json
mapfile -t methods < <(python3 -c 'import json; print("\n".join(m["name"] for m in json.load(open("out"))["methods"] if m["vectors"]))')
explaining=$(python3 -c 'import json; print(*(m["name"] for m in json.load(open("out"))["methods"] if m["explains"]))')
[[ ${#methods[@]} -ge 10 ]] || fail "only ${#methods[@]} methods with vectors"
for method in "${methods[@]}"; do
    more=()
    if [[ $method = attentivewalk || $method = cene ]]; then more=(--epochs 5 --lr 0.1); fi # an epoch is one step, or few small ones
    if [[ $method = cane ]]; then more=(--text-length 16); fi # hubs have long texts, of which all words meet all
    expect 0 "$NEAP" train "$graph" -o model --method "$method" --text texts.tsv "${brief[@]}" "${more[@]}" --test 0.1 --json
    python3 -c 'import json, sys; auc = json.load(open("out"))["test"]["auc"]; sys.exit(auc < 0.55)' ||
        fail "$method learns nothing: $(cat out)"
    expect 0 "$NEAP" check model
    expect 0 "$NEAP" score model pairs.txt
    [[ $(wc -l <out) -eq 2 ]] || fail "$method does not score two pairs"
    expect 0 "$NEAP" rank model gimp -k 3
    [[ $(grep -c gimp out) -eq 3 ]] || fail "$method does not rank three nodes"
    expect 0 "$NEAP" embed model -o vectors.npy
    if [[ " $explaining " == *" $method "* ]]; then expect 0 "$NEAP" explain model gimp libgif7
    else expect 2 "$NEAP" explain model gimp libgif7 && says err "$method"; fi
done
