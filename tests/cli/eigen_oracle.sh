#!/bin/bash
# The eigensolver agrees with SciPy's, also where eigenvalues are equal.
. "$(dirname "$0")/lib/common.bash"

/usr/bin/python3 -c 'import numpy, scipy.sparse.linalg' 2>/dev/null || { echo 'no SciPy: skipped'; exit 0; }
expect 0 /usr/bin/python3 "$NEAP_SOURCE/tests/eigen_oracle.py" "$NEAP_SOURCE"
says out comparisons
