# SPDX-License-Identifier: LGPL-2.1-or-later
# What the tests of the installed packages share. autopkgtest runs them in the source directory.
set -eu
export LC_ALL=C NO_COLOR=1
work=${AUTOPKGTEST_TMP:-$(mktemp -d)}

fail() {
	echo "FAIL $1"
	exit 1
}
# has PATTERN FILE
has() {
	if grep -Eq -- "$1" "$2"; then echo "PASS $1 in $2"; else fail "no '$1' in $2: $(head -c 2000 "$2")"; fi
}
build_demo() {
	gcc -O1 -g -pthread -shared -fPIC contrib/demo/work.c -o "$work/libdemo-work.so"
	gcc -O1 -g -pthread contrib/demo/demo.c -o "$work/demo" -L"$work" -ldemo-work -Wl,-rpath,"$work"
}
