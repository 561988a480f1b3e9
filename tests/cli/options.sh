#!/bin/bash
# The command line says what it does not understand, and what it would.
. "$(dirname "$0")/lib/common.bash"

make_friends
refused()
{
    local words=$1
    shift
    expect 2 "$NEAP" "$@"
    says err 'neap: '
    says err "$words"
    empty out
}

refused 'did you mean --epochs?' train friends.txt -o m --epoch5
refused 'did you mean --dim?' train friends.txt -o m --dimm 3
refused 'there is no option --frobnicate' train friends.txt -o m --frobnicate
refused 'did you mean --dim 200?' train friends.txt -o m -dim 200
refused 'did you mean --size 200?' train friends.txt -o m -size 200
refused 'did you mean --undirected?' train friends.txt -o m -undirected
refused 'there is no option -z' train friends.txt -o m -z
refused 'Try `neap train --help`' train friends.txt -o m --dim x
refused '--dim takes a whole number' train friends.txt -o m --dim x
refused '--dim must be between' train friends.txt -o m --dim 0
refused 'max|mean' train friends.txt -o m --pooling median
for command in 'train friends.txt -o m' 'estimate friends.txt'; do
    # shellcheck disable=SC2086
    {
        refused 'use a multiple of --window' $command --method walklets --dim 5
        refused '--dim must be even' $command --dim 5 --method line
        refused 'two halves of one length' $command --method attentivewalk --dim 5
    }
done
refused 'neap|paper|authors' train friends.txt -o m --preset best
refused '--test must be between' train friends.txt -o m --test 1.5
refused '--test takes a number' train friends.txt -o m --test nan
refused '--dim needs a value' train friends.txt -o m --dim
refused '--output needs a value' train friends.txt -o --resume
refused '--output MODEL is needed' train friends.txt
refused 'neap train GRAPH -o MODEL' train -o m
refused "'more.txt' is one argument too many" train friends.txt more.txt -o m
refused '--json is a switch' info friends.txt --json=perhaps
refused "did you mean 'train'" trai
refused 'a command comes first' --epochs 5
refused 'no method' methods nothing-like-it
refused 'unknown kind of graph' generate xy -o g.txt --nodes 5
refused 'er needs --edges' generate er -o g.txt --nodes 5
refused 'both write to standard output' generate er --nodes 5 --edges 4 -o - --json
refused 'there is no option --dim' score model --dim 5
[[ ! -e m ]] || fail 'a refused command line wrote a file'

# These are all the same run.
expect 0 "$NEAP" train friends.txt --method gap -o a --dim 8 --epochs 1 --lr 1e-3 --no-self --undirected --valid 0
for spelling in \
    '--dim=8 --epochs=1 --lr=0.001 --self=no --undirected=yes --valid=0' \
    '-d 8 -e 1 --learning-rate 0.001 --no-self --directed=0 --validation 0' \
    '-d8 -e1 --learning_rate 1E-3 --no_self --no-directed --valid 0.0' \
    '--size 8 --iter 1 --alpha .001 --self --no-self --undirected --valid 0' \
    '--dimensions 9 --dimensions 8 --epochs 1 --directed --undirected --lr 1e-3 --self=off --valid 0 --preset neap'; do
    # shellcheck disable=SC2086
    expect 0 "$NEAP" train --method gap $spelling -o b -- friends.txt
    same a b "$spelling"
done

# A preset is applied first, wherever it stands.
expect 0 "$NEAP" train friends.txt -o a --preset paper --dim 8 --epochs 1 --json
python3 -c '
import json
o = json.load(open("out"))["options"]
assert (o["dim"], o["epochs"], o["batch"], o["padding"]) == ("8", "1", "64", "zero"), o' || fail 'preset first'
expect 0 "$NEAP" train friends.txt -o b --dim 8 --epochs 1 --preset=paper
same a b 'preset behind the options'

# A value of any length is among the options.
weights=$(printf '0.12345678,%.0s' {1..11})1
expect 0 "$NEAP" train friends.txt -o long --method fastrp --dim 8 --hop-weights "$weights" --json
says out "\"hop-weights\": \"$weights\""

# A file whose name looks like an option.
cp friends.txt ./--dim
expect 0 "$NEAP" info -- --dim
