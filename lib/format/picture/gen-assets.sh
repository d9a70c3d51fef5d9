#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Prints text files as C strings: with the PREFIX picture_, FOO-BAR.js becomes picture_foo_bar_js:
#   gen-assets.sh PREFIX HEADER FILE...
set -eu
export LC_ALL=C
prefix=$1 header=$2
shift 2

echo '#include "config.h"'
echo "#include \"$header\""
for file in "$@"; do
	name=$(basename "$file" | tr '.-' '__')
	echo
	echo "const char $prefix${name}[] ="
	sed -e 's/[\\"]/\\&/g' -e 's/?/\\?/g' -e 's/^/    "/' -e 's/$/\\n"/' "$file"
	echo '    "";'
done
