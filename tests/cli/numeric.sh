#!/bin/bash
# A loss, or a vector, that is no longer a number ends the run with exit code 1 and keeps the last good checkpoint.
. "$(dirname "$0")/lib/common.bash"

"$NEAP" generate er --nodes 60 --edges 600 -o graph.txt -q || fail 'generate'
run=("$NEAP" train graph.txt --method gap -o model --dim 8 --batch 4 --valid 0 --threads 1 --epochs 1000)
env --default-signal=TERM "${run[@]}" >out 2>err &
pid=$!
for _ in {1..2000}; do
    [[ -e model.checkpoint ]] && break
    sleep 0.005
done
kill -TERM $pid
wait $pid
[[ $? -eq 130 ]] || fail 'the run was not interrupted'

# No options lead a healthy run there, so make the vectors so large that their products overflow, and
# mend the checksums: a valid file, with numbers that nobody has trained.
python3 - model.checkpoint <<'END' || fail 'the checkpoint could not be changed'
import json, struct, sys

def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF

raw = bytearray(open(sys.argv[1], "rb").read())
length = struct.unpack("<Q", raw[:8])[0]
header = bytes(raw[8:8 + length])
fields = json.loads(header)
begin, end = fields["E"]["data_offsets"]
at = 8 + length + begin
count = (end - begin) // 4
raw[at:at + 4 * count] = struct.pack(f"<{count}f", *[1e30 if i % 2 else -1e30 for i in range(count)])

def replace(header, key, digits):
    start = header.index(f'"{key}":"'.encode()) + len(key) + 4
    return header[:start] + digits + header[start + 8:]

header = replace(header, "crc32c.E", b"%08x" % crc32c(raw[at:at + 4 * count]))
header = replace(header, "crc32c.header", b"00000000")
header = replace(header, "crc32c.header", b"%08x" % crc32c(header))
raw[8:8 + length] = header
open(sys.argv[1], "wb").write(raw)
END
expect 0 "$NEAP" check model.checkpoint
cp model.checkpoint before
expect 1 "${run[@]}" --resume
says err 'neap: '
says err 'finite any more in epoch'
says err '; the last good checkpoint is kept'
[[ ! -e model ]] || fail 'a model without numbers was written'
same model.checkpoint before 'the last good checkpoint is gone'

# A run of one step, whose loss is that of before, and without a checkpoint: the end of training looks.
printf 'a b\nb c\nc d\nd a\na e\ne f\nf g\n' >small.txt
for method in deepwalk node2vec walklets; do
    expect 1 "$NEAP" train small.txt -o - --method $method --lr 10 --epochs 1 --walks 1 --walk-length 20 --window 4 --dim 16
    says err 'E is not finite'
    empty out
    if grep -q checkpoint err; then fail 'it speaks of a checkpoint'; fi
done
