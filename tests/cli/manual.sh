#!/bin/bash
# The manual page and the completion know every command and option.
. "$(dirname "$0")/lib/common.bash"

expect 0 "$NEAP" manual
cp out neap.1
expect 0 "$NEAP" completion bash
cp out neap.bash
expect 2 "$NEAP" completion fish

"$NEAP" help >overview
list_commands overview >commands
while read -r command; do
    says neap.1 "neap $command"
    # shellcheck disable=SC2086
    "$NEAP" help $command | sed -n '/^Examples/q; s/^  \(-[a-z], \|    \)--\(\[no-\]\)\?\([a-z-]*\).*/\3/p' >options
    while read -r option; do
        says neap.1 "${option//-/\\-}"
        says neap.bash "--$option"
    done <options
done <commands
says neap.1 'EXIT STATUS'

if command -v groff >/dev/null; then
    groff -man -Tascii -ww neap.1 >/dev/null 2>warnings || fail 'groff'
    empty warnings
fi

bash -n neap.bash || fail 'the completion is not bash'
# shellcheck disable=SC1091
. ./neap.bash
complete_to()
{
    local wanted=$1
    shift
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _neap
    [[ " ${COMPREPLY[*]} " == *" $wanted "* ]] || fail "'$*' does not complete to $wanted but to: ${COMPREPLY[*]}"
}
complete_to train neap tr
complete_to explain neap help ex
complete_to --epochs neap train graph.txt --ep
complete_to --no-self neap train graph.txt --no-
complete_to max neap train --pooling m
complete_to gap neap train --method ''
complete_to paper neap estimate --preset p
complete_to sbm neap generate s
complete_to eval neap ev
complete_to link neap eval l
complete_to link neap help eval ''
complete_to --ratios neap eval link graph.txt --ra
complete_to paper-clean neap eval link --protocol p
complete_to classify neap eval cl
complete_to --labels neap eval cluster graph.txt --la
complete_to kmeans neap eval cluster --algorithm k
