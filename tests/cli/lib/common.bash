# common.bash - a folder of its own for each test, and words for what it expects.
set -u
: "${NEAP:?is the program to test}"

work=$(mktemp -d -t neap-cli.XXXXXX) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset NO_COLOR
export TERM=dumb

fail()
{
    echo "FAILED: $*" >&2
    if [[ -s err ]]; then sed 's/^/  stderr: /' err >&2; fi
    exit 1
}

# expect CODE COMMAND...: runs the command; its words are in the files out and err afterwards.
expect()
{
    local code=$1 got
    shift
    "$@" >out 2>err </dev/null
    got=$?
    [[ $got -eq $code ]] || fail "exit code $got instead of $code: $*"
}

# interrupt_after WORDS COMMAND...: Ctrl-C once the command has said these words; it ends with exit code 130.
interrupt_after()
{
    local words=$1 pid got
    shift
    : >err # the words of the last command are not those of this one
    env --default-signal=INT "$@" >out 2>err </dev/null &
    pid=$!
    for _ in {1..3000}; do
        if grep -qF -e "$words" err || ! kill -0 $pid 2>/dev/null; then break; fi
        sleep 0.02
    done
    grep -qF -e "$words" err || kill -KILL $pid
    says err "$words"
    kill -INT $pid
    wait $pid
    got=$?
    [[ $got -eq 130 ]] || fail "exit code $got instead of 130: $*"
}

# says FILE TEXT: the text is somewhere in the file.
says()
{
    grep -qF -e "$2" "$1" || { sed "s/^/  $1: /" "$1" >&2; fail "no '$2' in $1"; }
}

empty()
{
    [[ ! -s $1 ]] || { sed "s/^/  $1: /" "$1" >&2; fail "$1 should be empty"; }
}

same()
{
    cmp -s "$1" "$2" || fail "$1 and $2 differ: ${3-}"
}

# valid_json FILE: one JSON object and nothing else.
valid_json()
{
    python3 - "$1" <<'END' || fail "$1 is not one JSON object"
import json, sys
data = json.load(open(sys.argv[1], encoding="utf-8"))
assert isinstance(data, dict)
END
}

# list_commands FILE: the commands in a text of `neap help`, one a line; some are two words.
list_commands()
{
    sed -n '/^Commands:/,/^$/s/^  \([a-z ]*[a-z]\)  .*/\1/p' "$1"
}

# A dozen friends in two circles with a bridge.
make_friends()
{
    cat >friends.txt <<'END'
alice bob
alice carol
bob carol
carol dave
dave alice
bob dave
erin frank
erin grace
frank grace
grace heidi
heidi erin
frank heidi
dave erin
ivan alice
ivan bob
judy heidi
judy frank
mallory grace
mallory judy
ivan carol
END
}

# The circle of each friend.
make_circles()
{
    printf '%s\tnorth\n' alice bob carol dave ivan >circles.txt
    printf '%s\tsouth\n' erin frank grace heidi judy mallory >>circles.txt
}

# Small and quick, and trained in epochs: for tests that are not about quality.
# shellcheck disable=SC2034
quick=(--method gap --dim 8 --epochs 2 --valid 0 --threads 1)

# Two small graphs where neap reproduce looks for those of the paper.
make_graphs()
{
    mkdir -p graphs/cora graphs/email
    "$NEAP" generate sbm -o graphs/cora/graph.txt --nodes 60 --blocks 4 --p-in 0.3 --p-out 0.02 --seed 1 -q
    "$NEAP" generate sbm -o graphs/email/graph.txt --nodes 60 --blocks 4 --p-in 0.3 --p-out 0.02 --seed 2 -q
    for ((i = 0; i < 60; i++)); do echo "$i c$((i / 15))"; done >graphs/email/labels.txt
    for ((i = 0; i < 60; i++)); do echo "all block$((i / 15)) half$((i / 8)) own$i"; done >graphs/cora/text.txt
}

# Six buyers and what they bought: bipartite.
make_purchases()
{
    cat >purchases.txt <<'END'
ann tea
ann milk
ann bread
ben tea
ben milk
cem bread
cem jam
cem milk
dot jam
dot tea
eva rice
eva bread
eva tea
fay rice
fay jam
fay milk
END
}

# make_texts EDGES: texts.tsv: the words of a node are its own and those of its neighbours; edges are two columns of names
# without blanks, maybe compressed.
make_texts()
{
    gzip -dcf "$1" | awk '{ print $1 "\tall own" $1 " n" $2; print $2 "\tall own" $2 " n" $1 }' >texts.tsv
}

# close FILE FILE [WHAT]: scores of the same pairs, within rounding.
close()
{
    python3 - "$1" "$2" <<'END' || fail "$1 and $2 differ${3:+: $3}"
import sys
a, b = ([line.split("\t") for line in open(name)] for name in sys.argv[1:])
assert len(a) == len(b) > 0
for x, y in zip(a, b):
    assert x[:2] == y[:2] and abs(float(x[2]) - float(y[2])) <= 1e-5 * max(1, abs(float(x[2]))), (x, y)
END
}
