# SPDX-License-Identifier: LGPL-2.1-or-later
# What the end-to-end tests share. Each test script prints "PASS name" or "FAIL name: why" for
# each thing it asserts, and its last exit status says whether any failed.
set -u
export LC_ALL=C NO_COLOR=1 TERM=dumb
build=${abs_builddir:-$PWD}
source=${abs_srcdir:-$PWD}
pprofil=${PPROFIL:-$build/pprofil}
targets=$build/tests/targets
work=$(mktemp -d "${TMPDIR:-/tmp}/pprofil-e2e-XXXXXX")
trap 'rm -rf "$work"' EXIT
failures=0

pass() { echo "PASS $1"; }
fail() {
	echo "FAIL $1: $2"
	failures=$((failures + 1))
}
# expect NAME EXPECTED ACTUAL
expect() {
	if [ "$2" = "$3" ]; then pass "$1"; else fail "$1" "expected '$2', got '$3'"; fi
}
# expect_text NAME PATTERN FILE
expect_text() {
	if grep -Eq -- "$2" "$3"; then pass "$1"; else
		fail "$1" "no '$2' in: $(head -c 400 "$3")"
	fi
}
# Of a process: not traced, not stopped
expect_free() {
	status=$(cat "/proc/$2/status" 2>/dev/null) || { pass "$1 (ended)"; return; }
	# no echo: sh's own would make a new line of a \n in a name
	tracer=$(printf '%s\n' "$status" | sed -n 's/^TracerPid:[^0-9]*//p')
	state=$(printf '%s\n' "$status" | sed -n 's/^State:[^A-Za-z]*\(.\).*/\1/p')
	if [ "$tracer" = 0 ] && [ "$state" != t ] && [ "$state" != T ]; then pass "$1"; else
		fail "$1" "TracerPid $tracer, state $state"
	fi
}
# number FILE KEY: a number of a JSON report's totals
number() { sed -n "s/^ *\"$2\": \([0-9.e+-]*\),*\$/\1/p" "$1" | head -n 1; }
# between NAME LOW VALUE HIGH
between() {
	if awk -v l="$2" -v v="$3" -v h="$4" 'BEGIN{exit !(v != "" && v >= l && v <= h)}'; then
		pass "$1"
	else
		fail "$1" "$3 is not within $2 to $4"
	fi
}
finish() {
	[ "$failures" -eq 0 ]
	exit
}
skip() {
	echo "SKIP $1"
	exit 77
}
