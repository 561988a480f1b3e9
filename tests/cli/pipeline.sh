#!/bin/bash
# From a generated graph to vectors, scores, suggestions and reasons.
. "$(dirname "$0")/lib/common.bash"

expect 0 "$NEAP" generate sbm --nodes 120 --blocks 3 --p-in 0.25 --p-out 0.01 --seed 3 -o graph.txt
cp graph.txt again.txt
expect 0 "$NEAP" generate sbm --nodes 120 --blocks 3 --p-in 0.25 --p-out 0.01 --seed 3 -o graph.txt
same graph.txt again.txt 'the same seed'

# Without a method it is evidence, which has no epochs.
expect 0 "$NEAP" train graph.txt -o model --undirected --dim 16 --test 0.1
says err 'training evidence, preset neap'
says err 'links learned from'
says err 'model: written'
python3 - <<'END' || fail 'the default is no better than the degrees'
import re
auc = dict(re.findall(r"^  (.*?) +([0-9.]+)$", open("out").read(), re.M))
assert set(auc) == {"evidence", "degree product"}, auc
assert float(auc["evidence"]) > 0.8, auc
END
cp model before
expect 0 "$NEAP" train graph.txt -o model --undirected --dim 16 --test 0.1 --epochs 3 --resume
says err 'note: --epochs has no meaning for evidence and changes nothing'
says err 'note: a method without epochs has no checkpoints: --resume changes nothing'
same model before 'an option without effect'

# The presets that reproduce the paper train its system.
expect 0 "$NEAP" train graph.txt -o paper --preset paper --dim 4 --epochs 1
says err 'training gap, preset paper'
expect 0 "$NEAP" train graph.txt -o paper --preset authors --method evidence --dim 4
says err 'training evidence, preset authors'

expect 0 "$NEAP" train graph.txt -o gap --method gap --undirected --dim 16 --epochs 10 --test 0.1 --metrics metrics.jsonl
says err '120 nodes'
says err 'edges, '
says err 'without direction'
says err 'seed 1'
says err 'thread'
says err 'training gap, preset neap'
says err 'epoch 1/10'
says err 'gap: written'
says out 'held-out pairs'
says out 'untrained'
says out 'degree product'
says out 'protocol clean: test pairs unseen in training, neighbourhoods and negatives'
[[ ! -e gap.checkpoint ]] || fail 'the checkpoint was not removed'
python3 - <<'END' || fail 'the numbers are not what they should be'
import json, re
text = open("out").read()
auc = dict(re.findall(r"^  (.*?) +([0-9.]+)$", text, re.M))
assert set(auc) == {"gap", "untrained", "degree product"}, auc
assert float(auc["gap"]) > 0.6, auc                   # blocks are easy
lines = [json.loads(line) for line in open("metrics.jsonl")]
assert [l["epoch"] for l in lines] == list(range(1, len(lines) + 1)) and 1 <= len(lines) <= 10
for l in lines:
    assert set(l) == {"epoch", "loss", "valid_auc", "edges_per_second", "seconds"}, l
    assert l["loss"] >= 0 and l["edges_per_second"] > 0
END

# Quiet means quiet.
expect 0 "$NEAP" train graph.txt -o quiet -q --undirected --dim 16 --epochs 2
empty err
empty out

# Vectors in every format that is text, of the right size.
expect 0 "$NEAP" embed model -o vectors.txt
[[ $(head -1 vectors.txt) == '120 16' ]] || fail "the head of vectors.txt is $(head -1 vectors.txt)"
[[ $(wc -l <vectors.txt) -eq 121 ]] || fail 'vectors.txt has the wrong number of lines'
for ending in vec bin npy safetensors tsv jsonl; do
    expect 0 "$NEAP" embed model -o "vectors.$ending"
    [[ -s vectors.$ending ]] || fail "no vectors.$ending"
done
[[ $(wc -l <vectors.names.txt) -eq 120 && -s vectors.meta.tsv ]] || fail 'names beside the vectors are missing'
expect 2 "$NEAP" embed model -o vectors.txt --context 7
says err 'method evidence has no vectors that depend on a context'
expect 0 "$NEAP" embed gap -o mean.txt
expect 0 "$NEAP" embed gap -o vectors.txt --context 7
[[ $(wc -l <vectors.txt) -eq 121 ]] || fail 'context vectors have the wrong number of lines'
if cmp -s vectors.txt mean.txt; then fail 'the context makes no difference'; fi
expect 2 "$NEAP" embed model -o vectors.unknown

# rank and score agree; known links are left out unless asked for.
expect 0 "$NEAP" rank model 5 -k 7
[[ $(wc -l <out) -eq 7 ]] || fail 'rank -k 7 gives seven rows'
cut -f1,3 out >pairs
cut -f4 out >ranked
if grep -qP '^5\t5$' pairs; then fail 'a node was suggested to itself'; fi
expect 0 "$NEAP" score model pairs
cut -f3 out >scored
says err 'non-links of the same node, drawn evenly'
python3 - <<'END' || fail 'rank and score disagree'
r = [float(x) for x in open("ranked")]
s = [float(x) for x in open("scored")]
assert len(r) == len(s) == 7 and r == sorted(r, reverse=True)
assert all(abs(a - b) <= 1e-4 * max(1, abs(a)) for a, b in zip(r, s)), (r, s)
END
expect 0 "$NEAP" rank model 5 -k 1000
known=$(awk '$1 == 5 {print $2} $2 == 5 {print $1}' graph.txt)
for node in $known; do
    # Held-out links are unknown to the model and may be suggested, so at most a few appear.
    cut -f3 out | grep -qx "$node" && held=$((${held-0} + 1))
done
[[ ${held-0} -lt $(wc -w <<<"$known") ]] || fail 'known links are suggested'
expect 0 "$NEAP" rank model 5 -k 1000 --with-known
[[ $(wc -l <out) -eq 120 ]] || fail '--with-known ranks every node'
expect 0 "$NEAP" rank model 5 6 -k 2 --explain
[[ $(awk -F'\t' 'NF == 6' out | wc -l) -eq 4 ]] || fail '--explain adds a column to score and probability'

# The reasons, as tables and as a page.
expect 0 "$NEAP" explain model 5 6 -k 3
says out 'log-odds'
expect 0 "$NEAP" explain gap 5 6 -k 3 --html page.html
says out 'neighbours of 5'
says out 'neighbours of 6'
says out 'attention'
grep -qi '<html' page.html || fail 'no page'
expect 3 "$NEAP" explain model 5 nobody

# What is in a file.
expect 0 "$NEAP" info graph.txt
says out 'components'
expect 0 "$NEAP" info model
says out 'evidence'
expect 0 "$NEAP" check model
says out ok
expect 0 "$NEAP" estimate graph.txt --undirected --dim 16
says out 'peak of the run'

# Conversion keeps the graph: the model from either file is the same.
expect 0 "$NEAP" convert graph.txt graph.safetensors --undirected
expect 0 "$NEAP" train graph.txt -o a --undirected --dim 16
expect 0 "$NEAP" train graph.safetensors -o b --undirected --dim 16
same a b 'text and safetensors'
