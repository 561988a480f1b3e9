#!/bin/bash
# NumPy reads what embed writes for it, names of any bytes included.
. "$(dirname "$0")/lib/common.bash"
/usr/bin/python3 -c 'import numpy' 2>/dev/null || { echo 'no numpy: skipped'; exit 0; }

make_friends
printf 'alice\tZo\xc3\xab, "the" one\nbob\tno\xfftext\nbob\t%s\n' "$(printf 'x%.0s' {1..300})" >>friends.tsv
tr ' ' '\t' <friends.txt >>friends.tsv
expect 0 "$NEAP" train friends.tsv -o model "${quick[@]}"
for ending in npy npz csv; do expect 0 "$NEAP" embed model -o v.$ending; done
cp v.npz again.npz
expect 0 "$NEAP" embed model -o v.npz
same v.npz again.npz 'embedded twice'
/usr/bin/python3 - <<'END' || fail 'NumPy reads something else'
import csv, numpy, urllib.parse
z = numpy.load("v.npz", allow_pickle=False)
x = numpy.load("v.npy", allow_pickle=False)
assert sorted(z.files) == ["names", "vectors"], z.files
assert z["vectors"].dtype == numpy.float32 and (z["vectors"] == x).all() and x.shape[1] == 8
names = [str(n).encode("utf-8", "surrogateescape") for n in z["names"]]
beside = [urllib.parse.unquote_to_bytes(l) for l in open("v.names.txt", "rb").read().split(b"\n")[:-1]]
assert names == beside and b"no\xfftext" in names and b"x" * 300 in names, names
rows = list(csv.reader(open("v.csv", encoding="utf-8", errors="surrogateescape", newline="")))
assert rows[0] == ["node"] + ["x%d" % k for k in range(8)], rows[0]
assert [r[0].encode("utf-8", "surrogateescape") for r in rows[1:]] == names
assert (numpy.array([r[1:] for r in rows[1:]], dtype=numpy.float32) == x).all()
END
