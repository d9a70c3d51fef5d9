# SPDX-License-Identifier: LGPL-2.1-or-later
# What the end-to-end tests share. A script prints "PASS NAME" or "FAIL NAME: WHY" for each check, "SKIP NAME: WHY"
# where it cannot be made here, and fails if a check has.
set -u
export LC_ALL=C NO_COLOR=1 TERM=dumb PPROFIL_NO_CONFIG=1
build=${abs_builddir:-$PWD}
source=${abs_srcdir:-$PWD}
pprofil=${PPROFIL:-$build/pprofil}
# the script that libtool makes only sets the library's directory, and takes eight times as long as the program
if [ "$pprofil" = "$build/pprofil" ] && [ -x "$build/.libs/pprofil" ]; then
	pprofil=$build/.libs/pprofil
	export LD_LIBRARY_PATH="$build/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
fi
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
# status_of COMMAND...: its exit status; what it printed is in $work/out, and what it said in $work/err
status_of() { "$@" >"$work/out" 2>"$work/err"; echo $?; }
# one_line NAME: what the last command said is one line
one_line() { expect "$1: one line" 1 "$(wc -l <"$work/err" | tr -d ' ')"; }
# can_run_32_bit: the compiler makes 32-bit programs of x86, and the kernel runs them (it does not with ia32_emulation=off)
can_run_32_bit() {
	echo 'int main(void) { return 0; }' >"$work/bits.c"
	gcc -m32 "$work/bits.c" -o "$work/bits" 2>/dev/null && "$work/bits" 2>/dev/null
}
# expect_free NAME PROCESS: it is neither traced nor stopped, or it has ended. It is waited for: the kernel lets go
# the last threads when the supervisor has ended, and a client that was killed does not wait for that.
expect_free() {
	if await process_is_free "$2"; then pass "$1"; else fail "$1" "TracerPid $tracer, state $state"; fi
}
process_is_free() {
	status=$(cat "/proc/$1/status" 2>/dev/null) || return 0
	# printf, for the echo of sh would make a new line of \n in a name
	tracer=$(printf '%s\n' "$status" | sed -n 's/^TracerPid:[^0-9]*//p')
	state=$(printf '%s\n' "$status" | sed -n 's/^State:[^A-Za-z]*\(.\).*/\1/p')
	[ "$tracer" = 0 ] && [ "$state" != t ] && [ "$state" != T ]
}
# number FILE KEY: the number of that key among the totals of a JSON report
number() { sed -n "s/^ *\"$2\": \([0-9.e+-]*\),*\$/\1/p" "$1" | head -n 1; }
# between NAME LOW VALUE HIGH
between() {
	if awk -v l="$2" -v v="$3" -v h="$4" 'BEGIN{exit !(v != "" && v >= l && v <= h)}'; then
		pass "$1"
	else
		fail "$1" "$3 is not within $2 to $4"
	fi
}
# share_is NAME DUE GOT SAMPLES [SLACK]: GOT of 0 to 1 is DUE, as far as chance allows. Samples in strata
# (lib/supervisor/schedule.h) vary no more than a binomial distribution does. Where samples are late they stand for
# different lengths of time, and are worth half as many. Chance passes five standard deviations once in two million
# times. SLACK is by how much the shares may differ for other reasons. NAME is skipped where there are so few samples
# that chance may make a difference of 0.25.
share_is() {
	judged=$(awk -v due="$2" -v got="$3" -v n="$4" -v slack="${5:-0}" 'BEGIN {
		if (due == "" || got == "" || n + 0 == 0) { print "wrong: no samples"; exit }
		sigma = sqrt(due * (1 - due) * 2 / n)
		bound = 5 * sigma + slack
		off = got - due
		verdict = off > bound || off < -bound ? "wrong" : bound > 0.25 ? "vague" : "right"
		printf "%s %.4f for %.4f, bound %.4f (z %.1f of %d samples)\n", verdict, got, due, bound,
			(sigma > 0 ? off / sigma : 0), n }')
	case $judged in
	right*) pass "$1: ${judged#right }" ;;
	vague*) echo "SKIP $1: too few samples on this machine: ${judged#vague }" ;;
	*) fail "$1" "${judged#wrong }" ;;
	esac
}
# time_is NAME DUE SAMPLES NS WHOLE [UNSAMPLED]: the NS of so many samples are DUE. Five standard deviations of the
# samples' number, where samples may be late, and 3 % of WHOLE for what the program's own clock and the loop around it
# take. UNSAMPLED is the time of the row "[not sampled]": any part of it may be missing in NS
time_is() {
	verdict=$(awk -v due="$2" -v n="$3" -v ns="$4" -v whole="$5" -v unsampled="${6:-0}" 'BEGIN {
		unit = n > 0 ? ns / n : whole / 10
		bound = 5 * sqrt(2 * due * unit) + 0.03 * whole + unit
		right = ns > due - bound - unsampled && ns < due + bound
		print (bound + unsampled > 0.4 * whole ? "vague" : right ? "right" : "wrong") }')
	case $verdict in
	right) pass "$1: $4 for $2 ns" ;;
	vague) echo "SKIP $1: too few samples on this machine" ;;
	*) fail "$1" "$4 for $2 ns of $5, $3 samples, ${6:-0} not sampled" ;;
	esac
}
# imbalance_is NAME FUNCTION CSV OWN: the imbalance of the function in CSV (report --imbalance), and its slowest rank,
# are those of the file OWN, which has lines "RANK NS"
imbalance_is() {
	if grep -q '^\[not sampled\],' "$3"; then
		echo "SKIP $1: imbalance: some of the time was not sampled"
		return
	fi
	awk '{ sum += $2; if ($2 > most) { most = $2; rank = $1 } } END { printf "%.6f %d\n", most / (sum / NR) - 1, rank }' \
		"$4" >"$work/due"
	read -r due slowest <"$work/due"
	row=$(awk -F, -v f="$2" '$1 == f { print $12, $13, $11 }' "$3" | tr -d '"')
	# $2 is half of the 95 % interval, so three times $2 are 5.9 standard deviations. The interval is itself an estimate
	echo "$row" | awk -v due="$due" '{ exit !(NF == 3 && $1 > due - 3 * $2 - 0.03 && $1 < due + 3 * $2 + 0.03) }' &&
		pass "$1: imbalance $row for $due" || fail "$1: imbalance" "$row for $due"
	if echo "$row" | awk '{ exit !($2 > 0.15) }'; then
		echo "SKIP $1: the slowest rank: too few samples on this machine"
	else
		expect "$1: the slowest rank" "$slowest" "${row##* }"
	fi
}
# port_is_free PORT: nobody on this machine uses this TCP port
port_is_free() { ! grep -qi "^ *[0-9]*: [0-9A-F]*:$(printf %04X "$1") " /proc/net/tcp /proc/net/tcp6 2>/dev/null; }
# stopped_share REPORT: how long the target was stopped, in parts of its CPU time. Where a stop takes longer than the
# time between two ticks, as in an emulator, each tick finds the thread where the last stop has left it.
stopped_share() { awk "BEGIN { print $(number "$1" stopped_ns) / $(number "$1" target_cpu_ns) }"; }
# mostly_stopped NAME REPORT: is that more than a half? Then it prints that NAME is skipped.
mostly_stopped() {
	awk "BEGIN { exit !($(stopped_share "$2") > 0.5) }" || return 1
	echo "SKIP $1: a stop takes too long here: the target stood still for $(stopped_share "$2") of its CPU time"
}
# shares_are NAME OWN CSV [SLACK]: functions have the shares in a report that the program measured itself. OWN has lines
# "FUNCTION NS".
shares_are() {
	awk -F '[, ]' '
		NR == FNR { due[$1] = $2; whole += $2; next }
		{ sub(/\..*/, "", $5) }
		$5 in due { got[$5] += $3; all += $3; samples += $4 }
		END { for (name in got) print name, due[name] / whole, got[name] / all, samples }' "$2" "$3" >"$work/shares"
	# in one of e^(ns) runs none of n samples meets a function of share s: e^15 is three million
	if awk 'NR == FNR { due[$1] = $2; whole += $2; next } { n += $4 }
		END { for (name in due) if (n * due[name] / whole < 15) exit 0; exit 1 }' "$2" "$work/shares"; then
		echo "SKIP $1: functions: too few samples on this machine to have met each"
	else
		expect "$1: functions" "$(wc -l <"$2")" "$(wc -l <"$work/shares")"
	fi
	while read -r function due got samples; do
		share_is "$1: share of $function" "$due" "$got" "$samples" "${4:-0}"
	done <"$work/shares"
}
# await COMMAND [ARGUMENT...]: waits until it succeeds, and fails at the deadline. Only a test that fails waits so long.
deadline=60 # seconds
await() {
	await_end=$(($(date +%s) + deadline))
	until "$@"; do
		if [ "$(date +%s)" -gt "$await_end" ]; then
			echo "# awaited in vain for $deadline s: $*"
			return 1
		fi
		sleep 0.05
	done
}
is_traced() { grep -q '^TracerPid:.[1-9]' "/proc/$1/status"; }
is_untraced() { ! is_traced "$1"; }
# tracer_of PROCESS: its tracer's number, 0 if it has none, nothing if it has ended
tracer_of() { sed -n 's/^TracerPid:[^0-9]*//p' "/proc/$1/status" 2>/dev/null; }
# cpu_ticks PROCESS: its CPU time, in hundredths of a second
cpu_ticks() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }
# has_used PROCESS TICKS: has it used at least so much CPU time?
has_used() { [ "$(cpu_ticks "$1")" -ge "$2" ]; }
# $unprivileged COMMAND...: runs it as a user without privileges; only root can
unprivileged="setpriv --reuid 65534 --regid 65534 --clear-groups"
# has_taken_term PROCESS: no SIGTERM is pending. Where CPUs are full one may be so for seconds, and a second one is
# lost.
has_taken_term() {
	pending=$(sed -n 's/^ShdPnd:[^0-9a-f]*//p' "/proc/$1/status")
	[ $((0x${pending:-0} & 0x4000)) = 0 ]
}
# idle_cpus MARK: how many CPUs were idle on average since MARK was got by $(idle_mark)
idle_mark() { awk 'NR == FNR { time = $1; next } /^cpu / { print time, ($5 + $6) / 100 }' /proc/uptime /proc/stat; }
idle_cpus() { echo "$1 $(idle_mark)" | awk '{ print ($3 > $1 ? ($4 - $2) / ($3 - $1) : 0) }'; }
finish() {
	[ "$failures" -eq 0 ]
	exit
}
skip() {
	echo "SKIP $1"
	exit 77
}
