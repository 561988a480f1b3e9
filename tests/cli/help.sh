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

commands=$(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' overview)
[[ $(wc -w <<<"$commands") -ge 11 ]] || fail "the overview lists too few commands: $commands"
for wanted in train embed score rank explain convert generate estimate info check methods; do
    grep -qw "$wanted" <<<"$commands" || fail "the overview does not list $wanted"
done

for command in $commands; do
    expect 0 "$NEAP" help "$command"
    says out "usage: neap $command"
    says out 'Examples:'
    says out '  neap '
    says out '--json'
    empty err
    cp out text
    expect 0 "$NEAP" "$command" --help
    same out text "neap $command --help"
    expect 0 "$NEAP" "$command" -h
    same out text "neap $command -h"
    longest=$(wc -L <text)
    [[ $longest -le 80 ]] || fail "help of $command is $longest columns wide"
done

expect 0 "$NEAP" train --help
says out '[128; paper, authors: 200]'
says out '--[no-]self'
says out '-d, --dim N'

expect 0 "$NEAP" --version
says out 'neap 0.1.0'
[[ $(wc -l <out) -eq 2 ]] || fail "--version prints two lines"

expect 2 "$NEAP" help trian
says err "did you mean 'train'"
