#!/bin/bash
# A file includes files of its own folder and of the folders above it in ARCHITECTURE.md, never below; programs include
# neap.h, src/support and what stands below them: pages, then paper, then neap. CMake lists every file, methods.def those
# of methods.
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

# may_include FOLDER...: a program's folder sees neap.h, its own files, src/support and these.
may_include()
{
    local folder=$1 allowed
    shift
    allowed=$(printf '|%s/' support "$@")
    if grep -nE '^#include "' "../programs/$folder"/*.[ch] | grep -vE "#include \"([a-z_]*\.(h|def)\"${allowed})"; then
        fail "programs/$folder sees more than neap.h, support and $*"
    fi
}
may_include pages pages
may_include paper pages paper
may_include neap pages paper

cd "$NEAP_SOURCE" || exit 1
{
    grep -oE '^  (src|programs)/[a-z0-9_/]+\.c' CMakeLists.txt | tr -d ' '
    sed -n 's/^METHOD(\([a-z0-9_]*\),.*/src\/methods\/\1.c/p' src/methods/methods.def | sort -u
} | sort | diff - <(find src programs -name '*.c' | sort) >"$work/err" ||
    { cd "$work" && fail 'the lists of sources (<) and the folders (>) differ'; }
