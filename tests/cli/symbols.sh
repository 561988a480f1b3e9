#!/bin/bash
# The shared library shows exactly the functions that neap.h declares, and these are the ones that were agreed on:
# tools/neap.symbols, which `tools/symbols --update` writes.
. "$(dirname "$0")/lib/common.bash"

command -v nm >/dev/null || exit 0
grep -oE 'neap_[a-z_0-9]+\(' <(grep -A1 NEAP_API "$NEAP_SOURCE/include/neap.h") | tr -d '(' | LC_ALL=C sort -u >declared
[[ $(wc -l <declared) -gt 40 ]] || fail 'no declarations found'
"$NEAP_SOURCE/tools/symbols" "$NEAP_BUILD/libneap.so" >exported || fail tools/symbols
diff declared exported >err || fail 'declared (<) and exported (>) differ'
diff "$NEAP_SOURCE/tools/neap.symbols" exported >err ||
    fail 'exported (>) is not what tools/neap.symbols says (<); if it should be: tools/symbols --update'

# In the static library nothing can be hidden, so its names stay out of everybody's way.
nm --defined-only "$NEAP_BUILD/libneap.a" 2>/dev/null | awk '$2 ~ /^[A-TV-Z]$/ && $3 !~ /^(neap_|ni_|__)/ { print $3 }' >err
[[ ! -s err ]] || fail 'libneap.a defines names that begin with neither neap_ nor ni_'
