#!/bin/bash
# No pointer is used after it was freed, not even compared with NULL: gcc finds these, but only without optimisation,
# which would have moved the comparison to where it is harmless.
. "$(dirname "$0")/lib/common.bash"

[[ -z ${NEAP_SANITIZE-} ]] || exit 0 # once is enough
flags=(-std=c11 -O0 -Werror=use-after-free -Wuse-after-free=3 -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE -S -o /dev/null)
echo 'int main(void) { return 0; }' >probe.c
gcc "${flags[@]}" probe.c 2>/dev/null || exit 0 # no gcc that knows how
cd "$NEAP_SOURCE" || exit 1
find src programs -name '*.c' ! -name 'avx2*' -print0 |
    xargs -0 -P 2 -n 1 gcc "${flags[@]}" -Iinclude -Isrc -Iprograms -Iprograms/neap 2>"$work/err" || { cd "$work" && fail 'used after it was freed'; }
