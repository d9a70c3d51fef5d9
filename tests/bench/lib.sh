# SPDX-License-Identifier: LGPL-2.1-or-later
# What the scripts of make bench share.

# bench_start: goes to a directory of its own, which is removed in the end. Sets pprofil to the program that was built.
bench_start() {
	build=${abs_builddir:-$PWD}
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	# without libtool's script
	pprofil=$build/.libs/pprofil
	export LD_LIBRARY_PATH=$build/.libs
	[ -x "$pprofil" ] || pprofil=$build/pprofil
	cd "$work" || exit 1
}

# median [FILE]: the median of numbers, one a line
median() { sort -g "$@" | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
