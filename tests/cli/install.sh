#!/bin/bash
# What is installed is complete, and others can build on it: with find_package and with pkg-config, linked to the shared
# library without any other library's development files, or to the static one.
. "$(dirname "$0")/lib/common.bash"
: "${NEAP_SOURCE:?is the source tree}" "${NEAP_BUILD:?is the build folder}"
if [[ -n ${NEAP_SANITIZE-} ]]; then exit 0; fi # the libraries are not those that are installed

cmake --install "$NEAP_BUILD" --prefix "$work/first" >out 2>err || fail 'cmake --install'
mv first prefix # nothing that is installed knows where it was put
(cd prefix && find . ! -type d -printf '%P\n' | sed 's/-[a-z]*\.cmake$/-TYPE.cmake/' | LC_ALL=C sort) >installed
lib=$(dirname "$(grep -x '.*/libneap\.a' installed)") # lib, or lib64, or with the name of the machine
version=$("$NEAP" --version | sed 's/^neap \([0-9.]*\).*/\1/;q')
LC_ALL=C sort >wanted <<END
bin/neap
include/neap.h
$lib/cmake/neap/neapConfig.cmake
$lib/cmake/neap/neapConfigVersion.cmake
$lib/cmake/neap/neapShared-TYPE.cmake
$lib/cmake/neap/neapShared.cmake
$lib/cmake/neap/neapStatic-TYPE.cmake
$lib/cmake/neap/neapStatic.cmake
$lib/libneap.a
$lib/libneap.so
$lib/libneap.so.$version
$lib/libneap.so.${version%.*}
$lib/pkgconfig/neap.pc
share/bash-completion/completions/neap
share/fish/vendor_completions.d/neap.fish
share/man/man1/neap.1
share/zsh/site-functions/_neap
END
diff wanted installed >err || fail 'these files were to be installed (<), these were (>)'
if grep -rlF -e "$work" -e "$NEAP_SOURCE" prefix/include "prefix/$lib"/{cmake,pkgconfig} prefix/share >err; then
    fail 'a file knows the folders of this machine'
fi
expect 0 prefix/bin/neap --version

cat >user.c <<'END'
#include <neap.h>
#include <stdio.h>

/* The second function brings nearly all of the library, and what it needs, into a static program. */
int main(void)
{
    void (*volatile train)(void) = (void (*)(void))neap_train;
    printf("neap %s %s\n", neap_version(), train ? "trains" : "");
    return 0;
}
END

# works PROGRAM: it runs, and is linked to the shared library or not, as its name says.
works()
{
    local needed=0
    LD_LIBRARY_PATH="prefix/$lib" expect 0 "$1"
    says out "neap $version trains"
    readelf -d "$1" >dynamic
    grep -qF "[libneap.so.${version%.*}]" dynamic && needed=1
    [[ $1 = *shared && $needed = 1 || $1 = *static && $needed = 0 ]] || fail "$1: $(grep NEEDED dynamic)"
}

# pkg-config. The empty folder hides everybody else's .pc files.
CC=${CC:-cc}
mkdir none
pc=$work/prefix/$lib/pkgconfig
flags=$(PKG_CONFIG_LIBDIR=$pc:$work/none pkg-config --cflags --libs neap 2>err) || fail 'pkg-config alone'
# shellcheck disable=SC2086
"$CC" user.c -o pc_shared $flags >out 2>err || fail 'pkg-config, shared'
works ./pc_shared
archive=$(PKG_CONFIG_PATH=$pc pkg-config --variable=libdir neap)/libneap.a
# shellcheck disable=SC2046
"$CC" user.c "$archive" -Wl,--as-needed $(PKG_CONFIG_PATH=$pc pkg-config --static --cflags --libs neap) -o pc_static \
    >out 2>err || fail 'pkg-config, static'
works ./pc_static

# find_package.
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.21)
project(user LANGUAGES C)
find_package(neap 0.1 CONFIG REQUIRED COMPONENTS ${WANTED})
add_executable(cmake_shared user.c)
target_link_libraries(cmake_shared PRIVATE neap::neap)
if(NOT TARGET neap::shared)
  message(FATAL_ERROR "neap::shared is gone")
endif()
if(TARGET neap::static)
  add_executable(cmake_static user.c)
  target_link_libraries(cmake_static PRIVATE neap::static)
endif()
END
configure=(cmake -S . -B user "-DCMAKE_PREFIX_PATH=$work/prefix" "-DCMAKE_C_COMPILER=$CC")
expect 0 "${configure[@]}" -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON -DCMAKE_DISABLE_FIND_PACKAGE_Threads=ON
expect 0 cmake --build user
works user/cmake_shared
[[ ! -e user/cmake_static ]] || fail 'neap::static was not asked for'
PKG_CONFIG_LIBDIR=$work/none expect 1 "${configure[@]}" -DWANTED=static -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=OFF \
    -DCMAKE_DISABLE_FIND_PACKAGE_Threads=OFF
says err 'pkg-config does not find what neap::static needs:'
says err jansson
expect 1 "${configure[@]}" -DWANTED=nonsense
expect 0 "${configure[@]}" -DWANTED=static
expect 0 cmake --build user
works user/cmake_static
