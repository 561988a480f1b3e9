#!/bin/bash
# A file includes files of its own folder and of the folders above it in ARCHITECTURE.md, never below; the program
# includes neap.h and its own.
. "$(dirname "$0")/lib/common.bash"

layers=$(sed -n 's/^| `src\/\([a-z]*\)` |.*/\1/p' "$NEAP_SOURCE/ARCHITECTURE.md")
[[ $(wc -w <<<"$layers") -ge 9 ]] || fail 'ARCHITECTURE.md has no table of layers'
cd "$NEAP_SOURCE/src" || exit 1

allowed=
for layer in $layers; do
    allowed="$allowed $layer"
    [[ $layer == cli ]] && allowed=cli
    while IFS=: read -r file _ line; do
        folder=$(sed -n 's/^#include "\([a-z]*\)\/.*/\1/p' <<<"$line")
        [[ -z $folder || " $allowed " == *" $folder "* ]] || fail "$file includes $folder, which is below $layer"
    done < <(grep -rn '^#include "' "$layer")
done
for folder in */; do
    grep -qw "${folder%/}" <<<"$layers" || fail "src/$folder is not in the table of ARCHITECTURE.md"
done
