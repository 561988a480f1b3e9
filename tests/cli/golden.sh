#!/bin/bash
# The same bytes of every tensor and of every answer as before the house was rebuilt (tests/golden). Hashes are those of
# the AVX2 kernels; other kernels round products differently.
. "$(dirname "$0")/lib/common.bash"

"$NEAP" --version | grep -q avx2 || exit 0
python3 "$NEAP_SOURCE/tests/golden/run.py" "$NEAP" >now.txt || fail 'tests/golden/run.py'
diff "$NEAP_SOURCE/tests/golden/golden.txt" now.txt >err || fail 'other bytes than before'
