#!/bin/bash
# Killed ten times and resumed, a run gives the same bytes as one that was left alone.
. "$(dirname "$0")/lib/common.bash"

"$NEAP" generate sbm --nodes 200 --blocks 4 --p-in 0.2 --p-out 0.01 -o graph.txt -q || fail 'generate'
run=("$NEAP" train graph.txt -q --dim 16 --batch 8 --epochs 25 --patience 100 --checkpoint-every 0.02)
"${run[@]}" -o whole --metrics whole.jsonl --threads 2 || fail 'the whole run'

stamp()
{
    stat -c %i:%y part.checkpoint 2>/dev/null
}

# Kills the run after a new checkpoint (even turns) or at some moment (odd turns).
kill_one()
{
    local turn=$1 before pid
    before=$(stamp)
    "${run[@]}" -o part --metrics part.jsonl --resume --threads $((turn % 3 + 1)) &
    pid=$!
    if ((turn % 2)); then
        sleep "0.0$turn"
    else
        for _ in {1..1000}; do
            [[ $(stamp) != "$before" ]] && break
            sleep 0.005
        done
    fi
    kill -KILL $pid 2>/dev/null
    wait $pid 2>/dev/null
}

kills=0
for ((start = 1; kills < 10 && start <= 60; start++)); do
    kill_one "$kills"
    code=$?
    case $code in
    137) kills=$((kills + 1)) ;;
    0) same part whole 'a run that was quicker than its killer' && rm -f part ;;
    *) fail "exit code $code in start $start" ;;
    esac
    [[ ! -e part ]] || same part whole 'killed after the model was written'
done
[[ $kills -eq 10 ]] || fail "only $kills kills in $start starts"

"${run[@]}" -o part --metrics part.jsonl --resume || fail 'the last resume'
same part whole 'after ten kills'
[[ ! -e part.checkpoint ]] || fail 'the checkpoint was not removed'
python3 - <<'END' || fail 'the metrics are not those of a run that was left alone'
import json
whole, part = ([json.loads(l) for l in open(f)] for f in ("whole.jsonl", "part.jsonl"))
assert [(l["epoch"], l["loss"], l["valid_auc"]) for l in part] == \
       [(l["epoch"], l["loss"], l["valid_auc"]) for l in whole], part
END
