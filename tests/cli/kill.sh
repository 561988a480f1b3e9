#!/bin/bash
# Killed again and again and resumed, a run gives the same bytes as one that was left alone: ten times, and four times
# with a system that reads texts.
. "$(dirname "$0")/lib/common.bash"

"$NEAP" generate sbm --nodes 200 --blocks 4 --p-in 0.2 --p-out 0.01 -o graph.txt -q || fail 'generate'
awk '{ print $1 "\tall n" $1 " n" $2; print $2 "\tn" $2 " n" $1 }' graph.txt >texts # linked nodes share words

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

# kill_often TIMES OPTION...: a run with these options.
kill_often()
{
    local times=$1 kills=0 start code
    run=("$NEAP" train graph.txt --method gap -q --dim 16 --batch 8 --patience 100 --checkpoint-every 0.02 "${@:2}")
    "${run[@]}" -o whole --metrics whole.jsonl --threads 2 || fail 'the whole run'
    for ((start = 1; kills < times && start <= 6 * times; start++)); do
        kill_one "$kills"
        code=$?
        case $code in
        137) kills=$((kills + 1)) ;;
        0) same part whole 'a run that was quicker than its killer' && rm -f part ;;
        *) fail "exit code $code in start $start" ;;
        esac
        [[ ! -e part ]] || same part whole 'killed after the model was written'
    done
    [[ $kills -eq $times ]] || fail "only $kills kills in $start starts"

    "${run[@]}" -o part --metrics part.jsonl --resume || fail 'the last resume'
    same part whole "after $times kills"
    [[ ! -e part.checkpoint ]] || fail 'the checkpoint was not removed'
    python3 - <<'END' || fail 'the metrics are not those of a run that was left alone'
import json
whole, part = ([json.loads(l) for l in open(f)] for f in ("whole.jsonl", "part.jsonl"))
assert [(l["epoch"], l["loss"], l["valid_auc"]) for l in part] == \
       [(l["epoch"], l["loss"], l["valid_auc"]) for l in whole], part
END
    rm -f part part.jsonl
}

kill_often 10 --epochs 25
kill_often 4 --epochs 25 --method cene --text texts
