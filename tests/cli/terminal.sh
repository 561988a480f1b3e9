#!/bin/bash
# Names from a file give no commands to a terminal, whatever its encoding, and are shown where they are harmless.
. "$(dirname "$0")/lib/common.bash"

cat >look.py <<'END'
"""look.py LANG COMMAND...: runs the command on a terminal, says on standard output what it showed, in hexadecimal."""
import os, pty, sys

pid, terminal = pty.fork()
if pid == 0:
    os.environ.update(LC_ALL=sys.argv[1])
    os.execv(sys.argv[2], sys.argv[2:])
shown = b""
try:
    while more := os.read(terminal, 65536):
        shown += more
except OSError:
    pass
os.waitpid(pid, 0)
print(shown.hex(" "))
END

# Û is c3 9b, and 9b alone is the start of a command to an 8-bit terminal; so it is behind a byte that is not UTF-8.
printf 'al\xc3\x9bice\tb\xff\x9b31mob\nal\xc3\x9bice\tc\xc2\x9b32m\nb\xff\x9b31mob\td\x9bd\nc\xc2\x9b32m\te\n' >names.txt
printf 'd\x9bd\tal\xc3\x9bice\ne\td\x9bd\ne\tb\xff\x9b31mob\nf\te\n' >>names.txt
expect 0 "$NEAP" train names.txt -o model "${quick[@]}"
expect 0 "$NEAP" train names.txt -o default --dim 4
alice=$(printf 'al\xc3\x9bice') bob=$(printf 'b\xff\x9b31mob')
for command in "rank|model|$alice|--explain" "explain|model|$alice|$bob" "score|model|names.txt" "rank|default|$alice|--explain" "explain|default|$alice|$bob" "rank|model|$alice$bob" \
    "info|$bob" "explain|model|$alice|$bob|--json"; do
    IFS='|' read -ra words <<<"$command"
    for language in C C.UTF-8; do
        expect 0 python3 look.py $language "$NEAP" "${words[@]}"
        says out '6d 6f 62' # the end of bob's name
        if grep -qE '(ff|63|64) 9b' out; then fail "a raw control in $language: ${words[0]}"; fi
        if grep -q 'c2 9b' out; then fail "a control in UTF-8 in $language: ${words[0]}"; fi
        [[ $command == *--json ]] && continue # which is UTF-8 by definition
        if [[ $language == C ]] && grep -qE ' [89][0-9a-f]( |$)' out; then
            fail "a byte that an 8-bit terminal obeys: ${words[0]}"
        fi
    done
    if [[ $command == *"$alice"* ]]; then says out 'c3 9b'; fi # a letter, on a terminal that reads UTF-8
done
