#!/bin/bash
# What strangers put into an edge list: an answer, an exit code, and little memory.
. "$(dirname "$0")/lib/common.bash"

# A name is never an index.
printf '1 9223372036854775807\n2 1\n' >huge.txt
expect 0 "$NEAP" info huge.txt
grep -Eq 'nodes +3$' out || fail 'a name was taken for an index'

# A line of 1 GiB ends the reading at its limit, not at the end of memory. (The sanitizers reserve more than any limit
# on addresses would allow, so what counts is what was touched.)
head -c 1073741824 /dev/zero | tr '\0' x | python3 -c '
import os, subprocess, sys
run = subprocess.Popen(sys.argv[1:])
_, status, usage = os.wait4(run.pid, 0)
sys.exit("too much memory" if usage.ru_maxrss > 400000 else os.waitstatus_to_exitcode(status))
' "$NEAP" info - >out 2>err
[[ ${PIPESTATUS[2]} -eq 3 ]] || fail 'a line of 1 GiB is not refused in little memory'
says err 'standard input:1'

# refused TEXT WORDS: this input ends with exit code 3, these words, and the place.
refused()
{
    printf "$1" >bad.txt
    expect 3 "$NEAP" train bad.txt -o m
    says err "$2"
    says err 'bad.txt'
}
refused 'a b\nc d\0e\n' 'bad.txt:2'
refused 'a b 1\nc d nan\n' 'bad.txt:2'
refused 'a b 1\nc d -2\n' 'bad.txt:2'
refused 'a b 1\nc d inf\n' 'bad.txt:2'
refused 'a b\nlonely\n' 'bad.txt:2'
refused '# only words\n' 'no edges'

# trained TEXT: the same graph in other clothes gives the same model.
make_friends
expect 0 "$NEAP" train friends.txt -o plain "${quick[@]}"
trained()
{
    expect 0 "$NEAP" train clothes.txt -o dressed "${quick[@]}"
    same plain dressed "$1"
}
sed 's/$/\r/' friends.txt >clothes.txt; trained 'CRLF'
printf '\xef\xbb\xbf' | cat - friends.txt >clothes.txt; trained 'BOM'
tr ' ' '\t' <friends.txt >clothes.txt; trained 'tabs'
tr ' ' ',' <friends.txt >clothes.txt; trained 'commas'
{ echo '# a comment'; echo; cat friends.txt; } >clothes.txt; trained 'comments'
{ echo 'source target'; cat friends.txt; } >clothes.txt; trained 'header'
head -c -1 friends.txt >clothes.txt; trained 'no last newline'

# Graphs in which there is nothing to learn.
nothing()
{
    printf "$1" >bad.txt
    expect 3 "$NEAP" train bad.txt -o m --method gap
    says err "$2"
    expect 3 "$NEAP" train bad.txt -o m
    says err 'to learn from'
}
nothing 'a b\n' 'no non-link'
nothing 'a a\nb b\n' 'no edge links two different nodes'
nothing 'a b\nb c\nc a\n' 'no non-link'
