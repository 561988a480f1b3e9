#!/bin/bash
# The heuristics, from the graph file to the printed score, against SciPy.
. "$(dirname "$0")/lib/common.bash"

for python in python3 /usr/bin/python3; do
    "$python" -c 'import numpy, scipy' 2>/dev/null || continue
    expect 0 "$python" "$NEAP_SOURCE/tests/heuristics_oracle.py" "$NEAP"
    exit 0
done
echo 'python3 has no scipy: heuristics_oracle.py was not run'
