#!/bin/bash
# The number of threads does not change a byte.
. "$(dirname "$0")/lib/common.bash"

"$NEAP" generate sbm --nodes 200 --blocks 4 --p-in 0.2 --p-out 0.01 -o graph.txt -q || fail 'generate'
head -100 graph.txt >pairs
for preset in neap paper authors; do
    for threads in 1 2 3 4; do
        expect 0 "$NEAP" train graph.txt -o "$preset.$threads" --preset $preset --dim 16 --epochs 2 --threads $threads
        expect 0 "$NEAP" embed "$preset.$threads" -o "$preset.$threads.txt" --threads $threads
        expect 0 "$NEAP" score "$preset.$threads" pairs --threads $threads
        cp out "$preset.$threads.scores"
        expect 0 "$NEAP" rank "$preset.$threads" 1 2 3 --threads $threads
        cp out "$preset.$threads.ranks"
        for what in '' .txt .scores .ranks; do
            same "$preset.1$what" "$preset.$threads$what" "$threads threads"
        done
    done
done

# 0 is what the CPU mask allows, and is told so.
if command -v taskset >/dev/null; then
    first=$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')
    expect 0 taskset -c "$first" "$NEAP" train graph.txt -o masked --dim 16 --epochs 2
    says err '1 thread (all cores it may use)'
    same neap.1 masked
fi

# With AVX2 the products of a step are our own: what OpenBLAS takes the CPU for does not change a byte either.
if "$NEAP" --version | grep -q avx2; then
    for core in Prescott Haswell; do
        OPENBLAS_CORETYPE=$core expect 0 "$NEAP" train graph.txt -o "$core" --dim 16 --epochs 2
        same neap.1 "$core" "$core"
    done
fi
