#!/bin/bash
# NumPy makes the scores of cene from the vectors in its file, and those of a new node from the vectors of its words.
. "$(dirname "$0")/lib/common.bash"
/usr/bin/python3 -c 'import numpy' 2>/dev/null || { echo 'no numpy: skipped'; exit 0; }

make_friends
make_texts friends.txt
printf 'alice\tbob\ngrace\tjudy\njudy\tgrace\n' >pairs
for rule in left-right concat both; do
    expect 0 "$NEAP" train friends.txt --text texts.tsv --method cene --dim 16 --epochs 9 --lr 0.1 --pair-score $rule -o $rule --directed
    expect 0 "$NEAP" score $rule pairs
    cp out $rule.scores
    printf 'zoe\tnalice nbob nbob unheard\n' >new.tsv # known words; texts.tsv has them
    expect 0 "$NEAP" score $rule <(printf 'zoe\tgrace\n') --new-text new.tsv
    cat out >>$rule.scores
done
expect 2 "$NEAP" train friends.txt --method cene -o none
says err text
/usr/bin/python3 - <<'END' || fail 'NumPy has other scores'
import json, struct, numpy as np

def tensors(path):
    data = open(path, "rb").read()
    size, = struct.unpack("<Q", data[:8])
    types = {"F32": "<f4", "U32": "<u4", "U64": "<u8", "U8": "u1"}
    return {name: np.frombuffer(data[8 + size:][slice(*t["data_offsets"])], types[t["dtype"]]).reshape(t["shape"])
            for name, t in json.loads(data[8:8 + size]).items() if name != "__metadata__"}

for rule in "left-right", "concat", "both":
    t = tensors(rule)
    names = bytes(t["names.bytes"]).decode().split("\0")
    words = bytes(t["vocabulary.bytes"]).decode().split("\0")
    zoe = (t["words"][words.index("nalice")] + 2 * t["words"][words.index("nbob")]) / 3
    vector = lambda name: (zoe if name == "zoe" else t["E"][names.index(name)]).astype(float)
    for line in open(rule + ".scores"):
        source, target, score = line.split()[:3]
        x, y = vector(source), vector(target)
        halves, whole = x[:8] @ y[8:], x @ y
        theirs = {"left-right": halves, "concat": whole, "both": halves + whole}[rule]
        assert abs(theirs - float(score)) < 1e-4 * max(1, abs(theirs)), (rule, line, theirs)
        assert abs(theirs) > 1e-3, "nothing was learned"
END
