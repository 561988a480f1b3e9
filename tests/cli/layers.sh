#!/bin/bash
# A file includes files of its own folder and of the folders above it in ARCHITECTURE.md, never below; the program
# includes neap.h and its own.
. "$(dirname "$0")/lib/common.bash"

layers=$(sed -n 's/^| `src\/\([a-z]*\)` |.*/\1/p' "$NEAP_SOURCE/ARCHITECTURE.md")
[[ $(wc -w <<<"$layers") -ge 9 ]] || fail 'ARCHITECTURE.md has no table of layers'
cd "$NEAP_SOURCE/src" || exit 1

grep -rn '^#include "[a-z]*/' . | awk -v layers="$(tr '\n' ' ' <<<"$layers")" '
    BEGIN { n = split(layers, name, " "); for (i = 1; i <= n; i++) place[name[i]] = i }
    {
        split($0, part, /[:"\/]/) # . folder file line #include folder file
        from = part[2]
        match($0, /"[a-z]*\//)
        to = substr($0, RSTART + 1, RLENGTH - 2)
        if (!(from in place) || !(to in place)) bad = "is not in the table of ARCHITECTURE.md"
        else if (place[to] > place[from]) bad = "looks the wrong way"
        if (bad) { print $0 ": " bad; exit 1 }
    }' >"$work/wrong" || fail "$(cat "$work/wrong")"

if grep -n '^#include "[a-z]*/' ../programs/neap/*.[ch]; then fail 'the program sees more than neap.h'; fi
