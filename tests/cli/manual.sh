#!/bin/bash
# The manual page and the completions know every command and option.
. "$(dirname "$0")/lib/common.bash"

expect 0 "$NEAP" manual
cp out neap.1
expect 0 "$NEAP" completion bash
cp out neap.bash
for shell in zsh fish; do
    expect 0 "$NEAP" completion $shell
    cp out neap.$shell
done
expect 2 "$NEAP" completion tcsh
says err 'bash, zsh and fish'

"$NEAP" help >overview
list_commands overview >commands
while read -r command; do
    says neap.1 "neap $command"
    # shellcheck disable=SC2086
    "$NEAP" help $command | sed -n '/^Examples/q; s/^  \(-[a-z], \|    \)--\(\[no-\]\)\?\([a-z-]*\).*/\3/p' >options
    while read -r option; do
        says neap.1 "${option//-/\\-}"
        says neap.bash "--$option"
        printf '%s\t%s\n' "$command" "$option" >>pairs
    done <options
done <commands
says neap.1 'EXIT STATUS'

if command -v groff >/dev/null; then
    groff -man -Tascii -ww neap.1 >/dev/null 2>warnings || fail 'groff'
    empty warnings
fi

# Where a shell is there, it reads its script; in any case quotes and brackets must close, as that shell has them.
if command -v zsh >/dev/null; then zsh -n neap.zsh || fail 'the completion is not zsh'; fi
if command -v fish >/dev/null; then fish -n neap.fish || fail 'the completion is not fish'; fi
# And completes words of a group, options and values: zsh with its two functions replaced by ones that print.
zsh_offers() # WORD that must be offered, then the words of a line, the last to be completed
{
    zsh -fc 'want=$1; shift; words=("$@"); CURRENT=$#
        _describe() { print -rl -- ${(P)2}; }; _arguments() { print -rl -- "$@"; }
        set --; . ./neap.zsh' zsh "$@" >offered 2>&1
    says offered "$1"
}
fish_offers() # the same, of a line in one word
{
    fish --no-config -c 'source neap.fish; complete -C "$argv[1]"' "$2" >offered 2>errors
    empty errors
    says offered "$1"
}
if command -v zsh >/dev/null; then
    zsh_offers 'cluster:' neap eval ''
    zsh_offers '--protocol=' neap eval link --pro
    zsh_offers '--targets=' neap rank --ta
fi
if command -v fish >/dev/null; then
    fish_offers cluster 'neap eval '
    fish_offers --protocol 'neap eval link --pro'
    fish_offers --targets 'neap rank --ta'
    fish_offers popularity 'neap train --method p'
fi
python3 - <<'END' || fail 'a completion lacks an option, or has quotes or brackets that do not close'
import re, shlex
specs = commands = 0
zsh, fish, command = set(), set(), None
for line in open("neap.zsh", encoding="utf-8"):
    section = re.fullmatch(r"    '([a-z ]+)'\)\n", line)
    command = section[1] if section else command
    if not line.startswith("            '"):
        continue
    spec = shlex.split(line.rstrip().removesuffix("\\"))  # quoting is that of sh
    assert len(spec) == 1, line
    option = re.fullmatch(r"(-[a-z]|--[a-z-]+=?)\[((?:[^\[\]\\]|\\.)*)\](:(?:[^:\\]|\\.)+:( |_files|\([^()]+\)))?", spec[0])
    assert option or spec[0].startswith(("1: :(", "*:file:_files")), line
    assert not option or option[1].endswith("=") <= bool(option[3]), line
    specs += bool(option)
    if option:
        zsh.add((command, option[1].strip("-=")))
words = r"'(?:[^'\\]|\\.)*'"
form = rf"complete -c neap -n {words}( -l [a-z-]+)?( -s [a-z])?( -x| -r -F)?( -a {words})?( -d {words})?"
for line in open("neap.fish", encoding="utf-8"):
    if line.startswith("complete"):
        assert re.fullmatch(form, line.rstrip("\n")), line
        commands += 1
        option = re.match(r"complete -c neap -n '__neap_is ([a-z ]+)' -l ([a-z-]+)", line)
        if option:
            fish.add((option[1], option[2]))
wanted = {tuple(line.rstrip("\n").split("\t")) for line in open("pairs")}
assert wanted and wanted <= zsh and wanted <= fish, (wanted - zsh, wanted - fish)
assert specs > 300 and commands > 300, (specs, commands)
END
bash -n neap.zsh || fail 'not even bash reads what it shares with zsh' # no construct is zsh's alone
says neap.zsh "'train:learn a model from a graph'"
says neap.zsh "'--pooling=["
says neap.zsh ':max|mean:(max mean)'
says neap.zsh "'1: :(er ba sbm)'"
says neap.fish "complete -c neap -n '__neap_at eval' -x -a 'link'"
says neap.fish "-l pooling -x -a 'max mean'"
says neap.fish "complete -c neap -n '__neap_at generate' -x -a 'er ba sbm'"

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
complete_to fish neap completion ''
complete_to --targets neap train graph.txt --ta
complete_to --resume neap rank model --re
complete_to eval neap ev
complete_to link neap eval l
complete_to link neap help eval ''
complete_to --ratios neap eval link graph.txt --ra
complete_to paper-clean neap eval link --protocol p
complete_to classify neap eval cl
complete_to --labels neap eval cluster graph.txt --la
complete_to kmeans neap eval cluster --algorithm k
