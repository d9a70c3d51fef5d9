#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Real profiles as perf.data: perf itself reads the totals and names from it that pprofil reports,
# and pprofil reads what perf record writes, with call chains. Names of JIT code come from a map
# that its process has removed, from a jitdump, and not from a map that another process left.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
command -v perf >/dev/null || skip "no perf"
cc=${CC:-cc}
command -v "$cc" >/dev/null || skip "no compiler"
cd "$work" || exit 1

cat >deep.c <<'C'
#include <time.h>
#define N __attribute__((noinline, noclone))
volatile unsigned long sink;
N void leaf_a(void) { for (int i = 0; i < 30000; i++) sink += i; }
N void leaf_b(void) { for (int i = 0; i < 10000; i++) sink += i; }
N void deeper(int n) { if (n) { deeper(n - 1); sink++; } else { leaf_a(); leaf_b(); } sink++; }
N void middle(void) { deeper(20); sink++; leaf_b(); sink++; }
int main(void)
{
	clock_t end = clock() + CLOCKS_PER_SEC;
	while (clock() < end) middle();
	return 0;
}
C
"$cc" -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -o deep deep.c 2>/dev/null ||
	"$cc" -O1 -g -o deep deep.c || skip "no compiler"

# percent, samples and name of each function of the program, as perf and as pprofil have them
# which name a stub has is a matter of taste
of_perf() {
	perf report --stdio --no-children -g none -n -i "$1" 2>/dev/null |
		awk '$1 ~ /%$/ && $4 == "deep" && $NF !~ /^(_init|\[plt\])$/ { print $1, $2, $NF }' | sort
}
of_pprofil() {
	"$pprofil" report -f csv -n 0 "$1" | awk -F, '
		NR > 1 { all += $3 }
		NR > 1 && $6 == "deep" && $4 > 0 && $5 !~ /^(_init|\[plt\])$/ { ns[$5] = $3; count[$5] = $4 }
		END { for (name in ns) printf "%.2f%% %d %s\n", 100 * ns[name] / all, count[name], name }' | sort
}

# --- written: perf reads it
"$pprofil" -q --overhead 100 -o flat.pb.gz ./deep
"$pprofil" convert -o flat.perf.data flat.pb.gz
expect "perf report: our functions" "$(of_pprofil flat.pb.gz)" "$(of_perf flat.perf.data)"
expect "perf report: all samples" \
	"$("$pprofil" report -f json flat.pb.gz | sed -n 's/^ *"cpu_ns": \([0-9]*\),*$/\1/p' | head -n 1)" \
	"$(perf report --stdio -i flat.perf.data 2>/dev/null | sed -n 's/^# Event count (approx.): //p')"
perf script -i flat.perf.data >script 2>/dev/null
expect_text "perf script" 'deep .*cpu-clock: .* leaf_[ab]\+0x' script
perf annotate --stdio -i flat.perf.data leaf_a >annotate 2>/dev/null
expect_text "perf annotate" 'leaf_a|sink' annotate
expect "read back" "$(of_pprofil flat.pb.gz)" "$(of_pprofil flat.perf.data)"

# --- read: what perf record wrote, where it may
if perf record -q -e cpu-clock -F 997 -g -o stacks.data ./deep >/dev/null 2>&1; then
	expect "of perf record" "$(of_perf stacks.data)" "$(of_pprofil stacks.data)"
	"$pprofil" report stacks.data >text
	expect "of perf record: nothing is said of a run that was none" 0 "$(grep -cE "own:|stopped|lost" text)"
	expect_text "of perf record: the rate" '^# 997 Hz asked, [0-9]+ achieved$' text
	"$pprofil" convert -f perf.data -o again.data stacks.data
	children() {
		perf report --stdio --children -g none -n -i "$1" 2>/dev/null |
			awk '$1 ~ /%$/ && $5 == "deep" { print $1, $2, $3, $NF }' | sort
	}
	expect "stacks of perf's, and back" "$(children stacks.data)" "$(children again.data)"
	perf record -q -e cpu-clock --call-graph dwarf -o dwarf.data ./deep >/dev/null 2>&1
	expect "with copies of stacks" "$(of_perf dwarf.data)" "$(of_pprofil dwarf.data)"
	perf record -q -e cpu-clock -o - ./deep >pipe.data 2>/dev/null
	expect "of a pipe" 125 "$("$pprofil" report pipe.data >/dev/null 2>err; echo $?)"
	expect "of a pipe: one line" 1 "$(wc -l <err)"
	if perf record -q -z -e cpu-clock -o z.data ./deep >/dev/null 2>&1; then
		expect "compressed" 125 "$("$pprofil" report z.data >/dev/null 2>err; echo $?)"
	fi
else
	echo "SKIP perf record: not permitted"
fi

# --- JIT
if command -v node >/dev/null; then
	cat >hot.js <<-J
		function hotLoop(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) % 1000003; return s; }
		const end = Date.now() + 1500;
		let s = 0;
		while (Date.now() < end || process.cpuUsage().user < 8e5) s += hotLoop(100000);
		if (process.argv[2]) require('fs').unlinkSync('/tmp/perf-' + process.pid + '.map');
	J
	quiet="--no-logfile-per-isolate --logfile=/dev/null"
	# shellcheck disable=SC2086
	"$pprofil" -q -o map.pb.gz node --perf-basic-prof $quiet hot.js remove >/dev/null
	"$pprofil" report -f csv -n 3 map.pb.gz >csv
	expect_text "a map that was removed" hotLoop csv
	"$pprofil" -q -o dump.pb.gz node --perf-prof $quiet hot.js >/dev/null
	"$pprofil" report -f csv -n 3 dump.pb.gz >csv
	expect_text "jitdump" hotLoop csv
	# shellcheck disable=SC2016
	"$pprofil" -q -o stale.pb.gz sh -c '
		echo "0 ffffffffffffffff left_over" >/tmp/perf-$$.map
		touch -d "2 hours ago" /tmp/perf-$$.map
		echo $$ >pid
		exec node hot.js' >/dev/null
	"$pprofil" report -f csv stale.pb.gz >csv
	rm -f "/tmp/perf-$(cat pid).map"
	expect "a map that another process left" 0 "$(grep -c left_over csv)"
fi
finish
