#!/bin/bash
# What people bring: read as they mean it, or refused with a remedy that works. Formats in full: tests/test_graph_read.c.
. "$(dirname "$0")/lib/common.bash"

# refused FILE WORDS...: exit code 3, with the file and its line.
refused()
{
    expect 3 "$NEAP" info "$1"
    says err "$1:1:"
    shift
    for words; do says err "$words"; done
}

# reads NODES EDGES ARGUMENTS...: `neap info` counts so many nodes and edges.
reads()
{
    local nodes=$1 edges=$2
    shift 2
    expect 0 "$NEAP" info "$@"
    grep -Eq "^nodes +$nodes\$" out || fail "not $nodes nodes: $*"
    grep -Eq "^edges +$edges," out || fail "not $edges edges: $*"
}

# Files as public temporal graphs are: a time, a rating and a time, a result and a time, seconds from 0, a header.
printf '%s\n' '1 4 1254192988' '2 4 1254194656' '1 5 1254194700' >snap.txt
refused snap.txt 'column 3 looks like Unix time' '--columns 1,2' '--weights ignore' '--columns 1,2,3'
reads 4 3 snap.txt --columns 1,2
reads 4 3 snap.txt --weights ignore
says err 'no weights used'
reads 4 3 snap.txt --columns 1,2,3
says err 'weights used'
printf '%s\r\n' 6,2,4,1289241912 6,5,-2,1289241942 1,15,1,1289243140 >otc.csv
refused otc.csv 'column 4 looks like Unix time' '--columns 1,2 or'
if grep -qF 'column 3 as weight' err; then fail 'a remedy that does not work'; fi
reads 5 3 otc.csv --columns 1,2
expect 3 "$NEAP" info otc.csv --columns 1,2,3
says err 'otc.csv:2:5: the weight -2 is not a positive number of ordinary size (a rating, a sign or a result?)'
printf '%s\n' '% asym multisigned' '1 2 0 885635999.999997' '1 3 0 885635999.999997' '2 3 1 885636000' >chess.txt
expect 3 "$NEAP" info chess.txt
says err 'chess.txt:2:7: column 4 looks like Unix time'
reads 3 3 chess.txt --weights ignore
printf '%s\r\n' '1 2 0' '3 4 2797' '3 5 3304' >email.txt
refused email.txt 'column 3 rises from line to line'
reads 5 3 email.txt --columns 1,2
printf '%s\n' 'src dst time' '1 2 1082040961' '3 4 1082155839' >college.txt
reads 4 2 college.txt
says err 'column 3 is a time, by its header, and left out'
expect 0 "$NEAP" info college.txt --json
says out '"time_column": 3'

# Relations and other formats.
printf '%s\n' 'alice knows bob' 'bob likes carol' >triples.txt
refused triples.txt 'neap has no relations' '--columns 1,3'
reads 3 2 triples.txt --columns 1,3
printf '%s\n' "1 2 {'weight': 4, 'kind': 1}" '2 3 {}' >networkx.txt
refused networkx.txt NetworkX 'data=False' 'nx.write_weighted_edgelist'
reads 3 2 networkx.txt --columns 1,2
printf '%s\n' '<http://x/a> <http://x/p> <http://x/b> .' >triples.nt
refused triples.nt N-Triples '--columns 1,3 --delimiter space'
reads 2 1 triples.nt --columns 1,3 --delimiter space
printf 'digraph {\n  a -> b;\n}\n' >graph.dot
refused graph.dot DOT
printf '<graphml>\n</graphml>\n' >graph.graphml
refused graph.graphml GraphML

# Every command that reads a graph takes --columns: the same graph gives the same file.
make_friends
awk '{ print "x", $2, $1 }' friends.txt >moved.txt
expect 0 "$NEAP" train friends.txt -o plain "${quick[@]}"
expect 0 "$NEAP" train moved.txt -o moved --columns 3,2 "${quick[@]}"
same plain moved 'train --columns'
expect 0 "$NEAP" convert friends.txt plain.safetensors
expect 0 "$NEAP" convert moved.txt moved.safetensors --columns 3,2
same plain.safetensors moved.safetensors 'convert --columns'
expect 0 "$NEAP" estimate moved.txt --columns 3,2
expect 0 "$NEAP" eval link moved.txt --columns 3,2 --methods pa --ratios 70
{ echo weight who whom; cat moved.txt; } >named.txt
expect 0 "$NEAP" convert named.txt named.safetensors --columns whom,who
same plain.safetensors named.safetensors 'convert --columns by words'
expect 0 "$NEAP" score plain friends.txt
cp out scores
expect 0 "$NEAP" score plain moved.txt --columns 3,2
same out scores 'score --columns'
expect 2 "$NEAP" train moved.txt -o m --columns 1
expect 2 "$NEAP" train plain.safetensors -o m --columns 2,1
says err '--columns is for edge lists'

# Bipartite graphs.
printf '%s\n' 'ann book' 'bob book' 'bob lamp' 'cid lamp' >bought.txt
reads 5 4 bought.txt
says out 'bipartite            3 nodes on one side, 2 on the other'
expect 0 "$NEAP" info bought.txt --json
valid_json out
says out '"bipartite": true'
expect 0 "$NEAP" convert bought.txt bought.safetensors
expect 0 "$NEAP" info bought.safetensors
grep -Eq '^bipartite +3 and 2 nodes$' out || fail 'a converted graph is not bipartite'
# Triples with a header are relations as without one; sparse6 is refused by its name.
printf '%s\n' subject,predicate,object ann,knows,bob >triples.csv
expect 3 "$NEAP" info triples.csv
says err 'the header calls column 2 a relation'
expect 0 "$NEAP" info triples.csv --columns 1,3
says out 'nodes                2'
printf '>>sparse6<<:Bf\n' >graph.s6
expect 3 "$NEAP" info graph.s6
says err 'sparse6'

# A decimal comma under a header that calls the column a weight is an error, not a graph without weights.
printf 'source\ttarget\tweight\nann\tbob\t1,5\nbob\tcid\t2,5\n' >comma.tsv
expect 3 "$NEAP" info comma.tsv
says err "comma.tsv:2:9: '1,5' is no finite number, hence no weight"

printf '%s\n' 'ann bob' 'bob cid' 'cid ann' >triangle.txt
reads 3 3 triangle.txt
if grep -q bipartite out; then fail 'a triangle is bipartite'; fi
exit 0
