#!/bin/bash
# The example in neap.h compiles and runs; the header is C99, C11 and C++.
. "$(dirname "$0")/lib/common.bash"
: "${NEAP_SOURCE:?is the source tree}" "${NEAP_BUILD:?is the build folder}"
CC=${CC:-cc}
header=$NEAP_SOURCE/include/neap.h
strict=(-Wall -Wextra -Wpedantic -Wstrict-prototypes -Werror "-I$NEAP_SOURCE/include")

make_friends
{
    echo '#include <neap.h>'
    echo '#include <stdio.h>'
    echo 'int main(void)'
    echo '{'
    sed -n '/^ \* In a dozen lines/,/^ \* Rules/s/^ \*     //p' "$header"
    echo 'return err.code;'
    echo '}'
} >example.c
grep -q neap_train example.c || fail 'no example was found in neap.h'

# A library built with a sanitizer wants its run-time in the program too.
link=()
symbols=$(nm -D "$NEAP_BUILD/libneap.so") || fail 'libneap.so'
[[ $symbols == *__asan_init* ]] && link+=("-fsanitize=address,undefined")
[[ $symbols == *__tsan_init* ]] && link+=("-fsanitize=thread")
"$CC" -std=c11 "${strict[@]}" "${link[@]}" example.c -o example "-L$NEAP_BUILD" -lneap \
    "-Wl,-rpath,$NEAP_BUILD" >out 2>err || fail 'the example does not compile'
expect 0 ./example
says out 'alice - bob: '
empty err
rm friends.txt
./example >out 2>err
says err friends.txt

echo '#include <neap.h>' >header.c
for standard in c99 c11; do
    "$CC" "-std=$standard" "${strict[@]}" -c header.c -o header.o 2>err || fail "neap.h is not $standard"
done
cat >sized.c <<'END'
#include <neap.h>
neap_data outside = NEAP_SIZED(neap_data);
int main(void)
{
    neap_rank_spec inside = NEAP_SIZED(neap_rank_spec);
    return outside.size != sizeof outside || outside.graph || inside.size != sizeof inside || inside.k;
}
END
"$CC" -std=c99 "${strict[@]}" sized.c -o sized 2>err || fail 'NEAP_SIZED is not C'
expect 0 ./sized
for compiler in g++ clang++; do
    command -v "$compiler" >/dev/null || continue
    "$compiler" -std=c++11 -Wall -Wextra -Wpedantic -Wshadow -Werror "-I$NEAP_SOURCE/include" -x c++ sized.c -o sized 2>err ||
        fail "neap.h is not C++ to $compiler"
    expect 0 ./sized
done
