#!/bin/bash
# Scores of TriDNR, those of new nodes with texts among them, are NumPy's.
. "$(dirname "$0")/lib/common.bash"

/usr/bin/python3 -c 'import numpy' 2>/dev/null || { echo 'no NumPy: skipped'; exit 0; }
expect 0 /usr/bin/python3 "$NEAP_SOURCE/tests/tridnr_oracle.py" "$NEAP"
says out scores
