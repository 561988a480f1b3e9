#!/bin/bash
# Help is complete, on standard output, with exit code 0.
. "$(dirname "$0")/lib/common.bash"

expect 0 "$NEAP"
says out 'usage: neap COMMAND'
empty err
cp out overview
expect 0 "$NEAP" --help
same out overview
expect 0 "$NEAP" help
same out overview

list_commands overview >commands
for wanted in train embed score rank explain 'eval link' convert generate estimate info check methods; do
    grep -qx "$wanted" commands || fail "the overview does not list $wanted"
done

while read -r command; do
    read -ra words <<<"$command"
    expect 0 "$NEAP" help "${words[@]}"
    says out "usage: neap $command"
    says out 'Examples:'
    says out '  neap '
    says out '--json'
    empty err
    cp out text
    cp out "help.${command// /-}"
    expect 0 "$NEAP" "${words[@]}" --help
    same out text "neap $command --help"
    expect 0 "$NEAP" "${words[@]}" -h
    same out text "neap $command -h"
    # Every paragraph before the options is whole.
    awk 'NR > 2 && /^[A-Z][a-z]+:$/ { exit } NR > 2' text | awk 'BEGIN { RS = "" } !/[.]$/' >err
    [[ ! -s err ]] || fail "help of $command breaks off"
    longest=$(wc -L <text)
    [[ $longest -le 80 ]] || fail "help of $command is $longest columns wide"
    twice=$(grep -E '^[A-Z][a-z]+:$' text | sort | uniq -d)
    [[ -z $twice ]] || fail "help of $command has more than one heading '$twice'"
done <commands

expect 0 "$NEAP" train --help
says out '[evidence; paper, authors: gap]'
says out '--evidence LIST'
says out '-d, --dim N'

# Of the options that not all methods have, help shows those of one method, with its defaults.
says out "Below are the options of method evidence; \`neap methods NAME\` lists those of"
if grep -q -e '--rho-text' -e '--walks' out; then fail 'options of other methods'; fi
[[ $(wc -l <out) -le 170 ]] || fail "help of train has $(wc -l <out) lines"
for command in 'train --preset paper' 'train --method gap' bench reproduce; do
    # shellcheck disable=SC2086
    expect 0 "$NEAP" $command --help
    says out 'Below are the options of method gap;'
    says out '[128; paper, authors: 200]'
    says out '--[no-]self'
done
expect 0 "$NEAP" help bench
says out 'Below are the options of method gap;'
expect 0 "$NEAP" train --method cane --help
says out '--rho-text X'
says out '[0.003; paper, authors:'
says out '--seed N'
if grep -q -e '--neighbors' out; then fail 'an option that cane does not have'; fi
expect 2 "$NEAP" train --method can --help
says err "there is no method 'can'"

# A sentence that was lost once; and no help of an option is cut, however long: the manual has all of it.
expect 0 "$NEAP" explain --help
tr -s ' \n' ' ' <out >err
says err 'and the alignment is the mean with the other side.'
"$NEAP" manual >manual
python3 - manual help.* <<'END' || fail 'an option is not explained as in the manual'
import re, sys
manual, *texts = (open(f, encoding="utf-8").read() for f in sys.argv[1:])
plain = manual.replace("\\-", "-").replace("\\&", "").replace("\\e", "\\")
about = re.findall(r"\.TP\n\\fB.*\\fR\n(.*)", plain)
default = lambda line: re.sub(r" \[[^\[]*\]$", "", line)  # of a method in help, of all methods in the manual
known = {tuple(re.sub(r"; also --[^\n\[]*?$", "", default(line)).split()) for line in about}
for text in texts:
    options = text[:text.index("\nExamples:")]
    flags = re.findall(r"^ {2}(?:-., | {4})--\S.*?(?=^ {2}\S|^ {6}-|^$|\Z)", options, re.M | re.S)
    assert flags, text
    for words in (default(" ".join(flag.split())).split() for flag in flags):
        if not {"--json", "--quiet", "--help"} & set(words):
            assert any(tuple(words[-len(line):]) == line for line in known if line), words
END

expect 0 "$NEAP" --version
says out 'neap 0.1.0'
[[ $(wc -l <out) -eq 2 ]] || fail "--version prints two lines"

expect 2 "$NEAP" help trian
says err "did you mean 'train'"

# The first word of a command of two lists what may follow.
expect 0 "$NEAP" eval
cp out text
list_commands text >inside
grep '^eval ' commands | diff - inside >&2 || fail 'neap eval does not list its commands'
for again in 'help eval' 'eval --help' 'eval -h' '--help eval'; do
    # shellcheck disable=SC2086
    expect 0 "$NEAP" $again
    same out text "neap $again"
done
for wrong in 'eval nothing' 'help eval nothing' 'eval friends.txt --json' 'eval --json'; do
    # shellcheck disable=SC2086
    expect 2 "$NEAP" $wrong
    while read -r _ word; do says err "$word"; done <inside
done
expect 2 "$NEAP" evla link
says err "did you mean 'eval'"
