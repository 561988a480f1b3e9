#!/bin/bash
# Suggestions for every node: the same bytes for any threads and after any interruption; many sources; neighbours.
. "$(dirname "$0")/lib/common.bash"

nodes=1100
if [[ -n ${NEAP_SANITIZE-} ]]; then nodes=800; fi
"$NEAP" generate sbm --nodes $nodes --blocks 20 --p-in 0.1 --p-out 0.001 -o graph.txt -q || fail 'generate'
expect 0 "$NEAP" train graph.txt -o model --method gap --dim 8 --epochs 1 --valid 0 --neighbors 10
run=("$NEAP" rank model --all -k 5)

# To a file as to standard output, packed and as JSON lines.
expect 0 "${run[@]}" --threads 1
cp out printed
expect 0 "${run[@]}" -o all.tsv --threads 2
same all.tsv printed 'to a file'
[[ $(cut -f1 all.tsv | uniq | wc -l) -eq $(cut -f1 all.tsv | sort -u | wc -l) ]] || fail 'a source is not in one piece'
[[ $(cut -f1 all.tsv | sort -u | wc -l) -ge $((nodes - 50)) ]] || fail 'a source is missing'
expect 0 "${run[@]}" -o all.tsv.gz
gzip -dc all.tsv.gz | cmp -s - all.tsv || fail 'packed'
expect 0 "${run[@]}" -o all.jsonl --json
valid_json out
python3 - <<'END' || fail 'JSON lines are not the table'
import json
rows = [l.rstrip("\n").split("\t") for l in open("all.tsv")]
lines = [json.loads(l) for l in open("all.jsonl")]
assert [[x["source"], str(x["rank"]), x["node"]] for x in lines] == [r[:3] for r in rows]
assert all(float(r[3]) == x["score"] for r, x in zip(rows, lines))
END
[[ $(ls | grep -c part) -eq 0 ]] || fail 'parts were left'

# Long lists: a part, which is held in memory, has fewer sources.
cut -f1 all.tsv | uniq | head -100 >hundred.txt
expect 0 "$NEAP" rank model --sources hundred.txt -k $nodes --with-known -o long.tsv.gz
python3 - <<'END' || fail 'a part is too long'
import zlib
rest, members = open("long.tsv.gz", "rb").read(), []
while rest:
    z = zlib.decompressobj(31)
    members.append(z.decompress(rest).count(b"\n"))
    rest = z.unused_data
assert len(members) > 1 and max(members) <= 1 << 16, members
END

# Killed whenever a part was written, and resumed on another number of threads.
kills=0
for ((turn = 0; turn < 40 && kills < 3; turn++)); do
    before=$(stat -c %s part.tsv.part 2>/dev/null || echo 0)
    "${run[@]}" -o part.tsv -q --resume --threads $((turn % 2 + 1)) 2>err &
    pid=$!
    for _ in {1..2000}; do
        [[ $(stat -c %s part.tsv.part 2>/dev/null || echo 0) -gt $((before + 500)) ]] && break
        kill -0 $pid 2>/dev/null || break
        sleep 0.005
    done
    kill -KILL $pid 2>/dev/null
    wait $pid 2>/dev/null
    code=$?
    if [[ $code -eq 137 && ! -e part.tsv ]]; then kills=$((kills + 1)); else rm -f part.tsv part.tsv.part; fi
done
[[ $kills -eq 3 ]] || fail "only $kills kills"
printf 'part 99 5 deadb' >>part.tsv.part # what a power cut may leave
cp part.tsv.part kept.part
expect 3 "${run[@]}" -o part.tsv --resume -k 6
says err 'other options'
same part.tsv.part kept.part 'a refused resume'
expect 0 "${run[@]}" -o part.tsv --resume
says err 'going on from part.tsv.part'
same part.tsv all.tsv 'after three kills'
[[ ! -e part.tsv.part ]] || fail 'the parts were left'

# Another model is refused, too; without --resume everything starts again.
"$NEAP" train graph.txt -o other --method gap --dim 8 --epochs 1 --valid 0 --neighbors 10 --seed 2 -q || fail 'train'
cp kept.part part.tsv.part
expect 3 "$NEAP" rank other --all -k 5 -o part.tsv --resume
cp kept.part part.tsv.part
expect 0 "${run[@]}" -o part.tsv
says err 'starting afresh; --resume would have gone on'
same part.tsv all.tsv 'afresh'

# Ctrl-C tells how to go on.
rm -f part.tsv
env --default-signal=INT "${run[@]}" -o part.tsv 2>err &
pid=$!
for _ in {1..2000}; do [[ $(stat -c %s part.tsv.part 2>/dev/null || echo 0) -gt 500 ]] && break; sleep 0.005; done
kill -INT $pid 2>/dev/null
wait $pid
code=$?
[[ $code -eq 130 ]] && says err 'the same command with --resume goes on from part.tsv.part'
[[ $code -eq 130 || $code -eq 0 ]] || fail "exit code $code after Ctrl-C"
expect 0 "${run[@]}" -o part.tsv --resume
same part.tsv all.tsv 'after Ctrl-C'

# Sources from a file or standard input.
printf '7\n# no node\n3\n' >some
expect 0 "$NEAP" rank model 7 3 -k 5
cp out named
expect 0 "$NEAP" rank model --sources some -k 5
same out named '--sources'
gzip -c some | "$NEAP" rank model --sources - -k 5 >out 2>err || fail 'sources from standard input'
same out named '--sources -'
expect 0 "$NEAP" rank model --sources some -k 5 -o few.tsv
same few.tsv named '--sources to a file'
expect 0 "$NEAP" rank model --sources some --targets some -k 5 --with-known # one file may be both
printf '7\nnobody\n' >bad
expect 3 "$NEAP" rank model --sources bad
says err 'bad:2:1: there is no node'
expect 2 "$NEAP" rank model
says err 'which nodes?'
expect 2 "$NEAP" rank model 7 --all
expect 2 "$NEAP" rank model --all --resume
expect 2 "$NEAP" rank model --all -o model
says err overwrite
cp model kept
expect 2 "$NEAP" rank model --all -o mod --sources some
mv model mod.part
expect 2 "$NEAP" rank mod.part --all -o mod
says err overwrite
same mod.part kept 'a model named like parts'
mv mod.part model

# Neighbours by cosine: links included, the node itself not.
expect 0 "$NEAP" nn model 7 -k 4
[[ $(wc -l <out) -eq 4 ]] || fail 'not four neighbours'
cp out near
if cut -f3 near | grep -qx 7; then fail 'a node is its own neighbour'; fi
expect 0 "$NEAP" embed model -o v.jsonl
python3 - $nodes <<'END' || fail 'these are not the nearest by cosine'
import json, math
v = {x["node"]: x["vector"] for x in map(json.loads, open("v.jsonl"))}
norm = lambda x: math.sqrt(sum(a * a for a in x)) or 1
cos = lambda a, b: sum(p * q for p, q in zip(a, b)) / norm(a) / norm(b)
best = sorted(((cos(v["7"], x), n) for n, x in v.items() if n != "7"), reverse=True)[:4]
rows = [l.split("\t") for l in open("near")]
assert all(abs(c - float(r[3])) < 1e-5 for (c, _), r in zip(best, rows)), (best, rows)
END
expect 0 "$NEAP" nn model 7 -k 4 --json
valid_json out
says out '"cosine"'
"$NEAP" train graph.txt -o pa --method pa -q || fail 'train pa'
expect 2 "$NEAP" nn pa 7
says err 'no vectors'
