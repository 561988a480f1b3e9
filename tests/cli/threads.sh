#!/bin/bash
# The number of threads does not change a byte.
. "$(dirname "$0")/lib/common.bash"

"$NEAP" generate sbm --nodes 200 --blocks 4 --p-in 0.2 --p-out 0.01 -o graph.txt -q || fail 'generate'
head -100 graph.txt >pairs
for run in neap=evidence neap=gap paper=gap authors=gap; do
    for threads in 1 2 3 4; do
        expect 0 "$NEAP" train graph.txt -o "$run.$threads" --preset ${run%=*} --method ${run#*=} --dim 16 --epochs 2 --threads $threads
        expect 0 "$NEAP" embed "$run.$threads" -o "$run.$threads.txt" --threads $threads
        expect 0 "$NEAP" score "$run.$threads" pairs --threads $threads
        cp out "$run.$threads.scores"
        expect 0 "$NEAP" rank "$run.$threads" 1 2 3 --threads $threads
        cp out "$run.$threads.ranks"
        for what in '' .txt .scores .ranks; do
            same "$run.1$what" "$run.$threads$what" "$threads threads"
        done
    done
done

# 0 is what the CPU mask allows, and is told so.
if command -v taskset >/dev/null; then
    first=$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')
    expect 0 taskset -c "$first" "$NEAP" train graph.txt -o masked --method gap --dim 16 --epochs 2
    says err '1 thread (all cores it may use)'
    same neap=gap.1 masked
fi

# With AVX2 the products of a step are our own: what OpenBLAS takes the CPU for does not change a byte either.
if "$NEAP" --version | grep -q avx2; then
    for core in Prescott Haswell; do
        OPENBLAS_CORETYPE=$core expect 0 "$NEAP" train graph.txt -o "$core" --method gap --dim 16 --epochs 2
        same neap=gap.1 "$core" "$core"
    done
fi
