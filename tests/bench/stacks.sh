#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Part of make bench: the time that a frame takes to unwind, here and in libdwfl's unwinder; then the size of a profile
# with stacks, and the time of a report, compared with those of perf record --call-graph dwarf for the same program at
# the same rate.
#
#   stacks.sh [SECONDS]
set -u
export LC_ALL=C PPROFIL_NO_CONFIG=1
build=${abs_builddir:-$PWD}
source=${abs_srcdir:-$PWD}
seconds=${1:-10}
runs=5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pprofil=$build/.libs/pprofil
export LD_LIBRARY_PATH=$build/.libs
[ -x "$pprofil" ] || pprofil=$build/pprofil

# for the same copies of stacks, which gdb makes: 300 of a C++ program, whose stacks have about 20 frames
unwind() {
	gdb -nx -batch -ex 'python print(1)' >/dev/null 2>&1 || { echo "unwind: no gdb here"; return; }
	g++ -std=c++17 -O2 -fomit-frame-pointer "$source/tests/unwind/exceptions.cc" -o "$work/program" || return
	gdb -nx -batch -ex "python output, count, pause, most = '$work/stacks', 300, 0.003, 1048576" \
		-x "$source/tests/unwind/stacks.py" "$work/program" >"$work/log" 2>&1 </dev/null
	printf '%-16s ' unwind
	"$build/tests/unwind/speed" "$work/stacks"
}
unwind

perf record -q -e cpu-clock -o "$work/try" true >/dev/null 2>&1 || { echo "stacks: no perf here"; exit 0; }
perf record -q -e cpu-clock -F 1000 --call-graph dwarf -o "$work/perf.data" \
	"$build/tests/targets/call-chain" busy 30 "$seconds" >/dev/null 2>&1
"$pprofil" -q -g --overhead 100 -o "$work/p.pb.gz" "$build/tests/targets/call-chain" busy 30 "$seconds"
size() { stat -c %s "$1"; }
printf '%-16s pprofil %d B, perf %d B: 1/%.0f\n' "file of ${seconds} s" "$(size "$work/p.pb.gz")" \
	"$(size "$work/perf.data")" "$(awk "BEGIN{print $(size "$work/perf.data") / $(size "$work/p.pb.gz")}")"

timed() { # COMMAND...: the median of its wall time, ns
	for ((i = 0; i < runs; i++)); do
		start=$(date +%s%N)
		"$@" >/dev/null 2>&1
		echo $(($(date +%s%N) - start))
	done | sort -n | sed -n "$(((runs + 1) / 2))p"
}
own=$(timed "$pprofil" report "$work/p.pb.gz")
tree=$(timed "$pprofil" report --tree "$work/p.pb.gz")
theirs=$(timed perf report --stdio -i "$work/perf.data")
awk "BEGIN { printf \"%-16s pprofil %.1f ms (--tree %.1f ms), perf %.0f ms: 1/%.0f, 1/%.0f\n\", \"report\",
	$own / 1e6, $tree / 1e6, $theirs / 1e6, $theirs / $own, $theirs / $tree }"
