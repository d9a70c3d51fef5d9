#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes a static library of one object, in which no names are global but those of its system's pages: it goes into
# other people's programs, which have names of their own.
#
#   archive.sh CC FLAGS OBJCOPY AR NAMES ARCHIVE OBJECT...
#
# FLAGS: of the compiler, for another word size; NAMES: patterns of objcopy's.
set -eu
cc=$1 flags=$2 objcopy=$3 ar=$4 names=$5 archive=$6
shift 6
whole=${archive%.a}-whole.o
# shellcheck disable=SC2086 # these are words
$cc $flags -r -nostdlib -Wl,--force-group-allocation -o "$whole" "$@"
keep=
for name in $names; do keep="$keep --keep-global-symbol=$name"; done
set -f
# shellcheck disable=SC2086
$objcopy --wildcard $keep "$whole"
rm -f "$archive"
$ar cr "$archive" "$whole"
