#!/bin/bash
# The second implementation, written from docs/format.md in plain Python, reads what the program writes, and what it wrote
# as format 1, and refuses what the program refuses.
. "$(dirname "$0")/lib/common.bash"

reader() { python3 "$NEAP_SOURCE/tests/format_reader.py" "$@"; }

files=()
fine() { # fine FILE: the program says so at once, the reader at the end, of all of them
    expect 0 "$NEAP" check "$1"
    files+=("$1")
}

make_friends
expect 0 "$NEAP" train friends.txt -o model "${quick[@]}"
expect 0 "$NEAP" train friends.txt -o small "${quick[@]}" --neighbors 2 --padding vector --undirected
expect 0 "$NEAP" convert friends.txt graph.safetensors
expect 0 "$NEAP" embed model -o vectors.safetensors
make_purchases
expect 0 "$NEAP" train purchases.txt -o shop "${quick[@]}" --targets auto
printf 'tea\njam\n' >shelf
expect 0 "$NEAP" train purchases.txt -o shelved "${quick[@]}" --targets shelf
for file in model small graph.safetensors vectors.safetensors shop shelved; do fine "$file"; done
expect 0 "$NEAP" methods
methods=$(sed 1d out | cut -d ' ' -f 1)
[[ $(wc -w <<<"$methods") -ge 18 ]] || fail 'there are fewer methods than there were'
make_texts friends.txt
for method in $methods; do
    options=()
    for option in dim=8 epochs=1 walks=2 window=2; do
        if "$NEAP" methods "$method" | grep -qe "--${option%=*} "; then options+=("--${option%=*}" "${option#*=}"); fi
    done
    expect 0 "$NEAP" train friends.txt -o "$method" --method "$method" --text texts.tsv "${options[@]}"
    fine "$method"
done
awk '{ print $1, "likes" NR % 3, "age:" NR; print $2, "likes" NR % 2 }' friends.txt | sort -u -k1,1 >features.txt
for method in text tadw; do # features alone, and beside texts
    expect 0 "$NEAP" train friends.txt -o "$method.features" --method "$method" --features features.txt --dim 8
    expect 0 "$NEAP" train friends.txt -o "$method.both" --method "$method" --features features.txt --text texts.tsv --dim 8
    fine "$method.features"
    fine "$method.both"
done

expect 0 "$NEAP" train friends.txt -o cene.gru --method cene --content gru --text texts.tsv --dim 8 --epochs 1
fine cene.gru

# checkpoint METHOD OPTION...: that of a run that is stopped after its first epoch.
checkpoint()
{
    local pid copy
    rm -f run.checkpoint
    env --default-signal=INT "$NEAP" train friends.txt -o run --dim 8 --epochs 1000000 --method "$@" >out 2>err </dev/null &
    pid=$!
    for _ in {1..3000}; do
        if [[ -e run.checkpoint ]] || ! kill -0 $pid 2>/dev/null; then break; fi
        sleep 0.01
    done
    kill -INT $pid
    wait $pid
    [[ -e run.checkpoint ]] || fail "no checkpoint: $*"
    copy=${#files[@]}.checkpoint
    cp run.checkpoint "$copy"
    fine "$copy"
}
checkpoint gap --valid 0.1 --patience 1000000
checkpoint gap --valid 0 --optimizer adagrad --padding vector
checkpoint goat --valid 0.1 --patience 1000000 --optimizer adagrad
checkpoint deepwalk --walks 2 --loss both
checkpoint deepwalk --walks 2 --loss hs
checkpoint node2vec --walks 2 --valid 0.1 --patience 1000000
checkpoint walklets --walks 2 --window 2
checkpoint line --order 1
checkpoint line --order 2
checkpoint verse
checkpoint attentivewalk --valid 0.1 --patience 1000000
checkpoint cane --text texts.tsv --valid 0.1 --patience 1000000
checkpoint cane --text texts.tsv --optimizer adagrad
checkpoint cene --text texts.tsv --content gru --valid 0.1 --patience 1000000
checkpoint cene --text texts.tsv --content gru --optimizer adagrad
checkpoint apn --text texts.tsv --valid 0.1 --patience 1000000
checkpoint apn --text texts.tsv --encoder lstm --optimizer adagrad
checkpoint gapcn --kernel 3 --valid 0.1 --patience 1000000
checkpoint gapapn --padding vector --optimizer adagrad
checkpoint gapmlp --valid 0.1 --patience 1000000
checkpoint dmte --text texts.tsv --valid 0.1 --patience 1000000
checkpoint tadw --text texts.tsv --features features.txt
checkpoint tadw --text texts.tsv --valid 0.1 --patience 1000000
checkpoint splitter --walks 2 --loss ns
checkpoint tridnr --walks 2 --text texts.tsv --valid 0.1 --patience 1000000

# What version 0.1.0 wrote as format 1.
count=0
for file in "$NEAP_SOURCE"/tests/format1/*.{safetensors,checkpoint}; do
    fine "$file"
    count=$((count + 1))
done
[[ $count -ge 20 ]] || fail 'files of format 1 are missing'
expect 0 reader "${files[@]}"

size=$(stat -c %s model)
for place in 3 20 500 $((size / 2)) $((size - 1)); do
    cp model damaged
    byte=$(od -An -tu1 -j "$place" -N 1 damaged)
    printf "\\x$(printf %x $((byte ^ 4)))" | dd of=damaged bs=1 seek="$place" conv=notrunc status=none
    expect 3 "$NEAP" check damaged
    expect 3 reader damaged
done

# Lies with good checksums.
python3 -B - "$NEAP_SOURCE/tests" "$NEAP_SOURCE/tests/format1" 2>err >out <<'END' || fail 'a lie was believed'
import json, sys
sys.path.insert(0, sys.argv[1])
from format_reader import check_file, crc32c


def change(source, target, edit):
    data = open(source, "rb").read()
    length = int.from_bytes(data[:8], "little")
    header, rest = json.loads(data[8:8 + length]), data[8 + length:]
    facts = header["__metadata__"]
    rest = edit(header, facts, rest) or rest
    facts["crc32c.header"] = "00000000"
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-(len(text) + 8) % 64)
    text = text.replace(b'"crc32c.header":"00000000"', b'"crc32c.header":"%s"' % crc32c(text).encode())
    open(target, "wb").write(len(text).to_bytes(8, "little") + text + rest)


def say(key, value):
    return lambda header, facts, rest: facts.update({key: value})


def drop(key):
    return lambda header, facts, rest: facts.pop(key) and None


def add(name, shape, dtype="F32", width=4):
    def edit(header, facts, rest):
        rest += b"\0" * (-len(rest) % width)  # behind names.bytes, which is made longer
        last = list(header)[-1]
        header[last]["shape"][0] += len(rest) - header[last]["data_offsets"][1]
        header[last]["data_offsets"][1] = len(rest)
        facts["crc32c." + last] = crc32c(rest[header[last]["data_offsets"][0]:])
        size = width
        for number in shape:
            size *= number
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(rest), len(rest) + size]}
        facts["crc32c." + name] = crc32c(b"\0" * size)
        return rest + b"\0" * size
    return edit


def remove(name):  # an entry is left out, what follows moves up
    def edit(header, facts, rest):
        begin, end = header.pop(name)["data_offsets"]
        facts.pop("crc32c." + name)
        for key, entry in header.items():
            if key != "__metadata__" and entry["data_offsets"][0] >= end:
                entry["data_offsets"] = [at - (end - begin) for at in entry["data_offsets"]]
        return rest[:begin] + rest[end:]
    return edit


def shape(name, numbers):
    return lambda header, facts, rest: header[name].update(shape=numbers)


old = sys.argv[2] + "/"
change("model", "good", say("neap.kind", "model"))
change(old + "deepwalk.safetensors", "good1", say("neap.kind", "model"))
lies = [("model", say("neap.format", "4")), ("model", say("neap.format", "")), ("model", say("neap.kind", "poem")),
        ("model", say("charm", "1")), ("model", say("rows", "7\u0085")), ("model", say("loss", "\x1b")), ("model", say("", "")),
        ("model", say("caf\u00e9", "")), ("model", drop("rows")), ("model", drop("undirected")), ("model", say("undirected", "yes")),
        ("model", say("option.undirected", "yes")), ("model", say("method", "charm")), ("model", say("method", "deepwalk")),
        ("model", say("option.matrix", "no")), ("model", say("option.padding", "vector")), ("model", say("option.neighbors", "2")),
        ("model", say("epoch", "1")), ("model", shape("E", [8, 11])), ("model", shape("E", [11, 8, 1])), ("model", shape("P", [64])),
        ("model", add("charm", [2])), ("model", add("pad", [8])), ("model", add("best.E", [11, 8])), ("model", add("header", [2])),
        ("model", remove("P")), ("model", remove("E")), ("small", remove("hood.nodes")), ("small", remove("pad")),
        ("deepwalk", add("P", [8, 8])), ("deepwalk", add("hood.nodes", [2], "U32")), ("splitter", remove("persona.owners")),
        ("attentivewalk", remove("attention")), ("pa", add("E", [11, 8])), ("cene.gru", say("option.content", "average")),
        ("cene.gru", drop("option.content")), ("cene.gru", remove("gru.U")), ("cene.gru", shape("gru.W", [24, 8])),
        ("cene", say("option.content", "gru")), ("graph.safetensors", say("rows", "11")),
        ("graph.safetensors", add("E", [11, 8])), ("vectors.safetensors", shape("vectors", [88])),
        ("vectors.safetensors", add("E", [11, 8])), ("run.checkpoint", drop("step")), ("run.checkpoint", remove("outputs")),
        ("run.checkpoint", add("best.E", [11, 8])), ("run.checkpoint", say("epoch", "1000001")),
        ("run.checkpoint", say("best.epoch", "1000000")), ("run.checkpoint", say("neap.kind", "model")),
        (old + "gap.checkpoint", remove("best.E"))]
for name in ("good", "good1"):
    check_file(name)
for i, (source, edit) in enumerate(lies):
    change(source, "lie%d" % i, edit)
    try:
        check_file("lie%d" % i)
    except (ValueError, LookupError):
        continue
    sys.exit("lie%d is believed" % i)
change(old + "deepwalk.safetensors", "lie.options", say("neap.format", "3"))  # the reader knows no options
END
expect 0 "$NEAP" check good
expect 0 "$NEAP" check good1
count=0
for file in lie*; do
    expect 3 "$NEAP" check "$file"
    count=$((count + 1))
done
[[ $count -ge 40 ]] || fail 'lies are missing'
