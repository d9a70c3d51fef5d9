#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes a static library of a single object, in which only the names of the system's pages are global. Other people's
# programs are linked with it, and may use all other names.
#
#   archive.sh CC FLAGS OBJCOPY AR NAMES ARCHIVE OBJECT...
#
# FLAGS: flags of the compiler, for another word size. NAMES: the global names, as patterns of objcopy.
set -eu
cc=$1 flags=$2 objcopy=$3 ar=$4 names=$5 archive=$6
shift 6
whole=${archive%.a}-whole.o
# Without this flag, gcc makes no machine code of objects that were compiled with -flto. clang does not know it.
lto=-flinker-output=nolto-rel
$cc $lto -E -x c /dev/null >/dev/null 2>&1 || lto=
# shellcheck disable=SC2086 # these are words
$cc $flags $lto -r -nostdlib -Wl,--force-group-allocation -o "$whole" "$@"
keep=
for name in $names; do keep="$keep --keep-global-symbol=$name"; done
set -f
# shellcheck disable=SC2086
$objcopy --wildcard $keep "$whole"
rm -f "$archive"
$ar cr "$archive" "$whole"
