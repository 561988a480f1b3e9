#!/bin/bash
# A live line on a terminal, plain lines elsewhere, colours only where they are welcome.
. "$(dirname "$0")/lib/common.bash"

make_friends
train=("$NEAP" train friends.txt -o model "${quick[@]}")
escape=$(printf '\033')

expect 0 "${train[@]}"
says err 'epoch 1/2, loss '
says err 'epoch 2/2, loss '
says err 'edges/s'
if grep -q -e "$escape" -e $'\r' err; then fail 'control characters in a log'; fi

# Validation may end a run long before the time that is shown as left.
if grep -q patience err; then fail 'there is no validation'; fi
expect 0 "$NEAP" train friends.txt -o model --method gap --dim 8 --epochs 9 --valid 0.2 --patience 3 --threads 1
says err 'at most 9 epochs: it ends after 3 without a better validation AUC (--patience)'
expect 0 "$NEAP" estimate friends.txt --method gap --dim 8 --epochs 9 --valid 0.2 --patience 3
says out '(it ends after 3 epochs without a better validation AUC: --patience)'
expect 0 "$NEAP" estimate friends.txt --method gap --dim 8 --epochs 3 --valid 0.2 --patience 3
if grep -q patience out; then fail 'there is nothing to end'; fi

expect 0 "${train[@]}" --progress never
if grep -q 'epoch 1/2' err; then fail '--progress never'; fi
expect 0 "${train[@]}" --progress always
grep -q $'\r''epoch 2/2' err || fail '--progress always'

# A file that takes long to read is heard of; --progress never and -q count there, too.
make_texts friends.txt
slowly()
{
    (head -1 texts.tsv; sleep 1.2; sed 1d texts.tsv) | "$NEAP" train friends.txt -o text --method text --dim 4 --text - "$@" 2>err ||
        fail 'texts from a slow pipe'
}
slowly --progress always
grep -q $'\r''standard input: reading' err || fail 'nothing is heard of a long file'
slowly --progress always -q
if grep -q 'reading' err; then fail '-q is not quiet while a file is read'; fi

# Names from a file cannot steer a terminal through our messages.
expect 3 "$NEAP" rank model "${escape}[31mred"
if grep -q "$escape" err; then fail 'an escape reached the terminal'; fi

# script(1) gives the program a terminal, where the system has one to give (a bare chroot has none).
script -qec true /dev/null >/dev/null 2>&1 </dev/null || exit 0
printf -v line '%q ' "${train[@]}"
TERM=xterm script -qec "$line" typescript >/dev/null </dev/null
grep -q "$escape" typescript || fail 'no live line on a terminal'
grep -q 'epoch 2/2' typescript || fail 'no epoch on a terminal'
TERM=xterm NO_COLOR=1 script -qec "$line" typescript >/dev/null </dev/null
if sed 1d typescript | grep -q "$escape"; then fail 'colours in spite of NO_COLOR'; fi
grep -q $'\r''epoch' typescript || fail 'NO_COLOR took the live line away'
TERM=dumb script -qec "$line" typescript >/dev/null </dev/null
if grep -q "$escape" typescript; then fail 'escapes on a dumb terminal'; fi
grep -q 'epoch 2/2, loss' typescript || fail 'no plain lines on a dumb terminal'
TERM=xterm script -qec "$line -q" typescript >/dev/null </dev/null
if grep -q 'epoch 2/2' typescript; then fail '-q is not quiet on a terminal'; fi

# A line is never as wide as the terminal, or it would wrap and scroll; epoch and time left are kept longest.
printf -v validated '%q ' "$NEAP" train friends.txt -o model --method gap --dim 8 --epochs 2 --valid 0.2 --threads 1
for columns in 12 30 45 60 80 120; do
    TERM=xterm LC_ALL=C.UTF-8 script -qec "stty cols $columns; $validated" typescript >/dev/null </dev/null
    python3 - "$columns" <<'END' || fail "the live line at $columns columns"
import re, sys
width, text = int(sys.argv[1]), open("typescript", encoding="utf-8").read()
lines = [l for l in re.split("[\r\n]+", re.sub("\033\\[[0-9;]*[A-Za-z]", "", text)) if l.startswith("epoch ")]
assert lines and max(map(len, lines)) < width, max(lines, key=len)
assert (" left" in lines[-1]) == (width >= 30) and ("loss" in lines[-1]) == (width >= 45), lines[-1]
assert width < 120 or "edges/s" in lines[-1] and "validation AUC" in lines[-1], lines[-1]
END
done
