#!/bin/bash
# The metrics agree with scikit-learn's and with OGB's definitions.
. "$(dirname "$0")/lib/common.bash"

/usr/bin/python3 -c 'import numpy, sklearn' 2>/dev/null || { echo 'no scikit-learn: skipped'; exit 0; }
expect 0 /usr/bin/python3 "$NEAP_SOURCE/tests/metrics_oracle.py" "$NEAP_SOURCE"
says out comparisons
