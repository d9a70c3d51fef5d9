#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Prints text files as C strings: FOO-BAR.js becomes picture_foo_bar_js:  gen-assets.sh FILE...
set -eu
export LC_ALL=C

echo '#include "config.h"'
echo '#include "format/picture/picture.h"'
for file in "$@"; do
	name=$(basename "$file" | tr '.-' '__')
	echo
	echo "const char picture_$name[] ="
	sed -e 's/[\\"]/\\&/g' -e 's/?/\\?/g' -e 's/^/    "/' -e 's/$/\\n"/' "$file"
	echo '    "";'
done
