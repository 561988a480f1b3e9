#!/bin/bash
# Plain `make` names the packages that are missing, and what installs them; where nothing is missing, nothing is said.
. "$(dirname "$0")/lib/common.bash"

expect 0 "$NEAP_SOURCE/tools/deps" build --check
empty out
empty err
mkdir none
PKG_CONFIG_LIBDIR=$work/none expect 1 "$NEAP_SOURCE/tools/deps" build --check
says err zlib1g-dev
if grep -q cmocka err; then fail 'building needs no tests'; fi
if command -v apt-get >/dev/null; then says err 'make deps'; fi
PKG_CONFIG_LIBDIR=$work/none expect 1 "$NEAP_SOURCE/tools/deps" test --check
says err libcmocka-dev
PKG_CONFIG_LIBDIR=$work/none expect 1 "$NEAP_SOURCE/tools/deps" fuzz --check
says err zlib1g-dev
expect 2 "$NEAP_SOURCE/tools/deps" everything
