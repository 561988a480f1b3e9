#!/bin/bash
# The shared library shows exactly the functions that neap.h declares.
. "$(dirname "$0")/lib/common.bash"

command -v nm >/dev/null || exit 0
grep -oE 'neap_[a-z_0-9]+\(' <(grep -A1 NEAP_API "$NEAP_SOURCE/include/neap.h") | tr -d '(' | sort -u >declared
nm -D --defined-only "$NEAP_BUILD/libneap.so" | awk '$2 == "T" || $2 == "D" || $2 == "B" || $2 == "R" { print $3 }' |
    grep -v '^__\|^_init$\|^_fini$' | sort -u >shown
diff declared shown >difference || { cat difference >&2; fail 'declared (<) and exported (>) differ'; }
[[ $(wc -l <declared) -gt 40 ]] || fail 'no declarations found'
