#!/bin/bash
# neap eval cluster: clusters of vectors against classes, in one table and one JSON object.
. "$(dirname "$0")/lib/common.bash"

make_friends
make_circles
fast=(--seeds 2 --epochs 3 --dim 8 -t 1)

# Two circles of friends are two clusters.
expect 0 "$NEAP" eval cluster friends.txt --labels circles.txt "${fast[@]}"
says out 'spectral clusters against classes, protocol clean, 2 seeds'
grep -Eq '^evidence +100 % +[01]\.[0-9]{4} ' out || fail 'no row for the default method'
grep -Eq '^gap +100 % +[01]\.[0-9]{4} ' out || fail 'no row for gap'
says err '11 of 11 nodes labelled, 2 classes'

expect 0 "$NEAP" train friends.txt -o model --method gap --epochs 20 -t 1
expect 0 "$NEAP" embed model -o v.txt
expect 0 "$NEAP" embed model -o v.npy
expect 0 "$NEAP" eval cluster friends.txt -l circles.txt --vectors v.txt "${fast[@]}" --json -o kept
valid_json out
same out kept/results.json
python3 - out <<'END' || fail 'the results do not make sense'
import json, sys
r = json.load(open(sys.argv[1]))
assert (r["task"], r["nodes"], r["labelled"], r["classes"], r["strangers"]) == ("cluster", 11, 11, 2, 0), r
assert r["algorithm"] == "spectral" and not r["leaky"], r
(x,) = r["results"]
assert (x["method"], x["protocol"], x["ratio"], x["clusters"]) == ("v.txt", None, None, 2), x
for key in "nmi", "ami", "ari":
    assert x[key]["mean"] > 0.9 and 0 <= x[key]["std"] < 1, x
assert x["gamma"] > 0 and x["seconds"] >= 0
rows = [line.rstrip("\n").split("\t") for line in open("kept/vectors-1.tsv")]
assert rows[0] == ["node", "class", "cluster"] and len(rows) == 12, rows
assert len({(c, k) for _, c, k in rows[1:]}) == 2, rows
END

# Text and NumPy are the same vectors; the number of threads changes nothing.
for other in '--vectors v.npy' '--vectors v.txt -t 4'; do
    # shellcheck disable=SC2086
    expect 0 "$NEAP" eval cluster friends.txt -l circles.txt "${fast[@]}" $other -o other -q
    same kept/vectors-2.tsv other/vectors-2.tsv "$other"
done

# Each choice reaches the library.
expect 0 "$NEAP" eval cluster friends.txt -l circles.txt --vectors v.txt --gamma 0.5 --clusters 3 --assign kmeans --json
says out '"gamma": 0.5'
says out '"clusters": 3'
says out '"assign": "kmeans"'
expect 0 "$NEAP" eval cluster friends.txt -l circles.txt --vectors v.txt --algorithm kmeans --json
says out '"algorithm": "kmeans"'
says out '"gamma": null'

# Methods and ratios: those without vectors are named; a leak is called one.
expect 0 "$NEAP" eval cluster friends.txt -l circles.txt "${fast[@]}" --methods gap,ppr --ratios 60,80 --protocol paper
says err 'ppr has no vectors'
says out '(leaky)'
says out 'held-out links included'
grep -q '^gap  *60 %' out || fail 'no row at 60 %'
expect 0 "$NEAP" eval cluster friends.txt -l circles.txt "${fast[@]}" --ratios 60 --protocol paper-clean --json
if grep -q '"leaky": true' out; then fail 'paper-clean is not leaky'; fi
expect 0 "$NEAP" eval cluster friends.txt -l circles.txt "${fast[@]}" --protocol paper
if grep -q leaky out; then fail 'with all edges there is nothing to leak'; fi

# Labels: some nodes only, strangers, and one line a node.
{ head -3 circles.txt; printf 'erin\tsouth\nzoe\tsouth\n'; } >some.txt
expect 0 "$NEAP" eval cluster friends.txt -l some.txt --vectors v.txt
says err '4 of 11 nodes labelled'
says err '1 line with unknown nodes'
printf '0 1\n1 2\n2 0\n3 4\n4 5\n5 3\n0 3\n' >numbers.txt
printf 'a\na\na\nb\nb\nb\n' >by-line.txt
expect 0 "$NEAP" eval cluster numbers.txt -l by-line.txt --by-line "${fast[@]}" --json
says out '"labelled": 6'

# Names with tabs and quotes stay in their column; one heap is called one.
printf '"a\tb"\tsay "yes"\n"a\tb"\tc\nc\t# d\n# d\tsay "yes"\n' >odd.tsv
printf '"a\tb"\tx\nc\t"y\tz"\n"# d"\tx\n' >odd-labels.tsv
expect 0 "$NEAP" eval cluster odd.tsv --delimiter tab -l odd-labels.tsv "${fast[@]}" -o odd
python3 - <<'END' || fail 'odd names do not come back'
import csv
rows = list(csv.reader(open("odd/gap-100-1.tsv"), delimiter="\t"))
assert rows[0] == ["node", "class", "cluster"], rows
assert [row[:2] for row in rows[1:]] == [["a\tb", "x"], ["c", "y\tz"], ["# d", "x"]], rows
END
{ echo '11 1'; sed 's/\t.*/ 0/; s/^mallory .*/mallory 9/' circles.txt; } >heap.txt
expect 0 "$NEAP" eval cluster friends.txt -l circles.txt --vectors heap.txt --algorithm kmeans
[[ $(grep -c 'more than nine tenths of the nodes are in one cluster' err) -eq 1 ]] || fail 'one heap is told once'

# Where training leaves fewer nodes than there are classes, that is said, not a number that nobody gave.
awk '{ print $1 "\t" ($1 == "alice" ? "bob" : $1) }' circles.txt >own.txt
expect 3 "$NEAP" eval cluster friends.txt -l own.txt "${fast[@]}" --protocol paper --ratios 15
says err 'each of the 10 classes; --clusters N makes fewer'

# Wrong words.
expect 2 "$NEAP" eval cluster friends.txt
says err '--labels FILE is needed'
expect 2 "$NEAP" eval cluster friends.txt -l circles.txt --methods pa,cn
says err 'none of these methods has vectors'
expect 2 "$NEAP" eval cluster friends.txt -l circles.txt --gamma 0
expect 2 "$NEAP" eval cluster friends.txt -l circles.txt --gamma wide
expect 2 "$NEAP" eval cluster friends.txt -l circles.txt --algorithm magic
expect 2 "$NEAP" eval cluster friends.txt -l circles.txt --ratios 101
expect 2 "$NEAP" eval cluster friends.txt -l circles.txt --vectors v.txt --clusters 12
says err 'the 11 labelled nodes'

# Wrong files: exit 3, with the line.
bad_labels()
{
    expect 3 "$NEAP" eval cluster friends.txt -l "$1" --vectors v.txt
    says err "$2"
    empty out
}
bad_labels missing.txt missing.txt
: >bad.txt
bad_labels bad.txt 'no label in this file'
printf 'alice\tnorth\nbob\n' >bad.txt
bad_labels bad.txt 'bad.txt:2:1: no class'
printf 'alice\tnorth\nbob\tsouth\nalice\tsouth\n' >bad.txt
bad_labels bad.txt 'bad.txt:3'
says err 'a node has one class'
printf 'zoe\tnorth\nyan\tsouth\n' >bad.txt
bad_labels bad.txt 'none of its 2 labels'
printf 'alice\tnorth\nbob\tnorth\n' >bad.txt
bad_labels bad.txt 'two classes are needed'

bad_vectors()
{
    expect 3 "$NEAP" eval cluster friends.txt -l circles.txt --vectors "$1"
    says err "$2"
    empty out
}
grep -v '^erin' v.txt | sed '1s/11/10/' >w.txt
bad_vectors w.txt "no vector for node 'erin'"
says err '--allow-missing'
expect 0 "$NEAP" eval cluster friends.txt -l circles.txt --vectors w.txt --allow-missing --json
says out '"missing": 1'
head -5 v.txt >w.txt
bad_vectors w.txt 'w.txt:5: the file ends after 4 of the 11 vectors'
sed '3s/ [^ ]*/ nan/' v.txt >w.txt
bad_vectors w.txt 'w.txt:3'
head -c 200 v.npy >w.npy
bad_vectors w.npy 'ends after'
bad_vectors model 'a file of neap, but not of vectors'

expect 4 "$NEAP" eval cluster friends.txt -l circles.txt --vectors v.txt -o no/such/folder
empty out

# The bundled graph: packages, with their sections as classes.
data=$NEAP_SOURCE/data
expect 0 "$NEAP" eval cluster "$data/debian.tsv.gz" -l "$data/debian-sections.tsv.gz" --algorithm kmeans --clusters 5 --seeds 1 \
    --methods gap --ratios 20 --epochs 1 --valid 0 --dim 4 --neighbors 4
says err '8,609 of 8,609 nodes labelled, 57 classes'
grep -q '^gap  *20 %' out || fail 'no row for the bundled graph'

# Clustering is announced where it takes long, and Ctrl-C ends it at once.
interrupt_after 'seed 1: clustering 8,609 vectors' "$NEAP" eval cluster "$data/debian.tsv.gz" -l "$data/debian-sections.tsv.gz" \
    --methods gap --ratios 20 --epochs 1 --valid 0 --dim 4 --neighbors 4
says err 'interrupted; the table is not complete'
