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

# names FILE...: what these objects, archives or programs define for others.
names() { nm --defined-only "$@" 2>/dev/null | awk '$2 ~ /^[A-TV-Z]$/ && $3 !~ /^_|@/ { print $3 }' | LC_ALL=C sort -u; }

# No name of ours, be it the program's or the library's, is one of a library that we link: statically that would not
# link, and dynamically theirs would call ours.
names "$NEAP" "$NEAP_BUILD/libneap.a" | grep -vxE 'main|data_start' >ours
[[ $(grep -c ^ni_ ours) -gt 100 && $(grep -cx find_command ours) -eq 1 ]] || fail 'no names of ours found'
ldd "$NEAP" | awk '$3 ~ /^\// { print $3 }' >libraries
for name in jansson z zstd; do
    grep -q "/lib$name\." libraries || fail "the program is not linked with $name"
    archive=$(cc -print-file-name=lib$name.a)
    if [[ $archive == /* ]]; then names "$archive"; fi
done >archived
while read -r library; do nm -D --defined-only "$library" | awk '$2 ~ /^[A-TV-Z]$/ { sub(/@.*/, "", $3); print $3 }'; done \
    <libraries | LC_ALL=C sort -u - archived >theirs
grep -qx json_real theirs || fail 'no names of jansson found'
LC_ALL=C comm -12 ours theirs >err
[[ ! -s err ]] || fail 'names of ours that a library has, too'

# The program is for nobody to link: it shows nothing.
if [[ -z ${NEAP_SANITIZE-} ]]; then
    nm -D --defined-only "$NEAP" | awk '$3 !~ /@|^_/' >err
    [[ ! -s err ]] || fail 'the program shows names'
fi

# In the static library nothing can be hidden, so its names stay out of everybody's way.
nm --defined-only "$NEAP_BUILD/libneap.a" 2>/dev/null | awk '$2 ~ /^[A-TV-Z]$/ && $3 !~ /^(neap_|ni_|__)/ { print $3 }' >err
[[ ! -s err ]] || fail 'libneap.a defines names that begin with neither neap_ nor ni_'
