#!/bin/bash
# neap check --split: what was checked, and a leak of each kind that can be made from outside: exit code 5.
. "$(dirname "$0")/lib/common.bash"

make_friends
for protocol in clean paper-clean paper; do
    expect 0 "$NEAP" eval link friends.txt --methods pa --ratios 60 --seeds 1 --protocol $protocol -o kept
done
clean=kept/clean-uniform-60-seed1
expect 0 "$NEAP" check --split $clean
says out 'ok: no leak'
expect 0 "$NEAP" check --split $clean --json
valid_json out
says out '"ok": true'

says out '"train_edges": null'

# A folder of splits: all of one protocol one after the other; a mixture is told.
expect 0 "$NEAP" eval link friends.txt --methods pa --ratios 60 --seeds 2 -o two
expect 0 "$NEAP" check --split two
says out two/clean-uniform-60-seed2
[[ $(grep -c '^ok: no leak' out) -eq 2 ]] || fail 'not both splits were checked'
expect 0 "$NEAP" check --split two --json
valid_json out
[[ $(grep -c '"split": "two/clean-uniform-60-seed' out) -eq 2 ]] || fail 'not both splits are in the JSON'
printf x >>two/clean-uniform-60-seed2/rank_negatives.npy
expect 3 "$NEAP" check --split two
says err two/clean-uniform-60-seed2/rank_negatives.npy
expect 3 "$NEAP" check --split kept
says err 'name the folder of one of them'
expect 3 "$NEAP" check --split . --json
valid_json out

expect 0 "$NEAP" train friends.txt -o whole "${quick[@]}"
for split in kept/*-seed1; do
    expect 0 "$NEAP" train "$split/train.tsv" -o honest "${quick[@]}"
    expect 0 "$NEAP" check --split "$split" --model honest
    expect 5 "$NEAP" check --split "$split" --model whole
    says err 'leak: the test pair'
    empty out
    { cat "$split/train.tsv"; head -n 1 "$split/test.tsv"; } >more.tsv
    expect 0 "$NEAP" train more.tsv -o more "${quick[@]}"
    expect 5 "$NEAP" check --split "$split" --model more
    says err 'is a training edge of the model'
done

# One edge too many that is a test pair turned round, with direction and without.
{ cat $clean/train.tsv; head -n 1 $clean/test.tsv | awk -v OFS='\t' '{ print $2, $1 }'; } >more.tsv
expect 0 "$NEAP" train more.tsv -o more "${quick[@]}"
expect 5 "$NEAP" check --split $clean --model more --json
valid_json out
says out '"leak": true'
says out '"train_edges": null'
says out '"negatives": null'
expect 0 "$NEAP" train more.tsv -o more "${quick[@]}" --undirected
expect 5 "$NEAP" check --split $clean --model more

# mend FOLDER: gives its manifest the checksums of the files that are there.
mend()
{
    python3 - "$1" <<'END'
import json, sys
folder = sys.argv[1]
def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return "%08x" % (crc ^ 0xffffffff)
manifest = json.load(open(f"{folder}/manifest.json"))
for name, about in manifest["files"].items():
    data = open(f"{folder}/{name}", "rb").read()
    about.update(bytes=len(data), crc32c=crc32c(data))
    if "lines" in about:
        about["lines"] = data.count(b"\n")
json.dump(manifest, open(f"{folder}/manifest.json", "w"))
END
}

# A split that trains on its own test.
cp -r $clean bad
mend bad
expect 0 "$NEAP" check --split bad
head -n 1 bad/test.tsv >>bad/train.tsv
mend bad
expect 5 "$NEAP" check --split bad
says err 'is in train.tsv, too: a leak'
expect 5 "$NEAP" eval link friends.txt --split bad --methods pa
rm -r bad

# A negative that is a link.
for file in test_negatives rank_negatives; do
    cp -r $clean bad
    python3 - bad $file <<'END'
import struct, sys
folder, name = sys.argv[1:]
nodes = open(f"{folder}/nodes.txt").read().split("\n")
target = nodes.index(open(f"{folder}/test.tsv").readline().rstrip("\n").split("\t")[1])
data = bytearray(open(f"{folder}/{name}.npy", "rb").read())
data[128:132] = struct.pack("<I", target)
open(f"{folder}/{name}.npy", "wb").write(data)
END
    expect 3 "$NEAP" check --split bad
    says err checksum
    mend bad
    expect 5 "$NEAP" check --split bad
    says err 'the test negative'
    rm -r bad
done

expect 2 "$NEAP" check
expect 2 "$NEAP" check whole --split $clean
expect 3 "$NEAP" check --split $clean --model friends.txt
expect 3 "$NEAP" check --split nowhere --model whole
printf 'alice zoe\nzoe bob\nbob alice\nzoe dan\ndan eve\n' >others.txt
expect 0 "$NEAP" train others.txt -o others "${quick[@]}"
expect 3 "$NEAP" check --split $clean --model others
says err 'another graph'
