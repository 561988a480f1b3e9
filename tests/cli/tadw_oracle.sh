#!/bin/bash
# The vectors of TADW are those that NumPy finds with dense matrices.
. "$(dirname "$0")/lib/common.bash"

/usr/bin/python3 -c 'import numpy' 2>/dev/null || { echo 'no NumPy: skipped'; exit 0; }
expect 0 /usr/bin/python3 "$NEAP_SOURCE/tests/tadw_oracle.py" "$NEAP"
says out alternations
