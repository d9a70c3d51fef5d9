#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# A target knows its own CPU time, and in which functions it spent it. pprofil finds the same, however the target's
# threads run: one busy thread, four on the CPUs there are, one in bursts of 2 ms, and at a low rate.
#
# The bounds. CPU time: within 1 % of getrusage(2).
# - It may be less by what came after the last sample of each thread, and by what is not paid off yet
#   (lib/supervisor/accounting.c). In a run whose CPUs are full the two together are beyond 15 times the mean between
#   two samples for one thread in a hundred thousand runs, and the mean at the end may be twice that of the run: so 30
#   times are allowed, 35 for the sum of two threads, 45 for that of four.
# - It may be more by what passes before main and after the target has read its clock; runs of no work show that.
# - The target's clock also has what passed before its exec, which pprofil does not count.
# Shares: as lib.sh says, and half a point for the target's own reads of its clock.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

ratio() { awk "BEGIN { print ($1) / ($2) }"; }
before_exec=0 outside_main=0
for run in 1 2 3 4 5; do
	"$pprofil" -f json -n 0 "$targets/known-shares" 0 >"$work/out" 2>"$work/report"
	more=$(($(number "$work/report" target_cpu_ns) - $(sed -n 's/^cpu \([0-9]*\) .*/\1/p' "$work/out")))
	[ $more -le $outside_main ] || outside_main=$more
	[ $more -ge -$before_exec ] || before_exec=$((-more))
done

tails=30 round=0
check() { # NAME OPTIONS... -- TARGET ARGUMENTS
	name=$1
	shift
	"$pprofil" -q -o "$work/p.pb.gz" "$@" >"$work/out"
	"$pprofil" report -f json -n 0 "$work/p.pb.gz" >"$work/report"
	"$pprofil" report -f csv -n 0 "$work/p.pb.gz" >"$work/csv"
	own=$(sed -n 's/^cpu \([0-9]*\) .*/\1/p' "$work/out")
	most=$(ratio "1.01 * $own + 2 * $outside_main" "$own")
	least=$(ratio "0.99 * $own - 2 * $before_exec - $round" "$own")
	between "$name: kernel's CPU time" "$least" "$(ratio "$(number "$work/report" target_cpu_ns)" "$own")" "$most"
	if mostly_stopped "$name: sampled CPU time, shares" "$work/report"; then
		return
	fi
	between "$name: sampled CPU time" "$(awk "BEGIN { print $least - $tails / $(number "$work/report" samples) }")" \
		"$(ratio "$(number "$work/report" cpu_ns)" "$own")" "$most"
	sed 's/^cpu [0-9]* //; s/\([a-z]*\) \([0-9]*\) */spend_\1 \2\n/g' "$work/out" | sed '/^$/d' >"$work/own"
	shares_are "$name" "$work/own" "$work/csv" 0.005
}

check "one thread" "$targets/known-shares" 3
# some 15000 samples, where CPUs are free: a share that is wrong by a tenth of itself is found
check "often" -F 5000 --overhead 1000 "$targets/known-shares" 3
# a thread may end while its tracer is on another CPU: lib/supervisor/tracer-affinity.c
tails=45 round=$((4 * 20000000))
check "four threads" "$targets/known-shares" 1.5 4
tails=30 round=0
check "bursts" --overhead 10 "$targets/known-shares" 1.5 1 2000 8000
check "100 Hz" -F 100 "$targets/known-shares" 4
check "maps parsed" --parse-maps "$targets/known-shares" 1
tails=35
check "as before Linux 5.7" --wary "$targets/known-shares" 1 2
# no CPU is idle, and the kernel does not show when a thread was last on a CPU
tails=45 round=$((4 * 20000000))
check "as before Linux 5.7, four threads" --wary "$targets/known-shares" 1.5 4

# Short-lived threads, and many more threads than CPUs. Each has a few samples, whose weights vary much, but the sum of
# their process is kept true, less what is used after the last sample. That is a few per cent, and 15 % in one of 40
# runs. Where other programs want the CPUs, too, threads have ended before they are sampled, and 32 % were seen: half as
# much again is allowed. Where the sum was not kept, a tenth of it was found, and five times as much. It shows nothing
# where a thread has so few samples that what comes after the last one is much of its time.
sum_is_true() { # NAME LEAST_SAMPLES TARGET ARGUMENTS
	name=$1 least=$2
	shift 2
	"$pprofil" -f json -n 0 "$@" >/dev/null 2>"$work/report"
	if [ "$(number "$work/report" samples)" -lt "$least" ]; then
		echo "SKIP $name: sampled CPU time: too few samples on this machine: $(number "$work/report" samples)"
		return
	fi
	between "$name: sampled CPU time" 0.4 "$(awk "BEGIN{
		print $(number "$work/report" cpu_ns) / $(number "$work/report" target_cpu_ns)}")" 1.5
}
sum_is_true "short-lived threads" 150 --overhead 10 "$targets/event-storm" thread 200 5000
sum_is_true "forty threads" 400 --overhead 10 "$targets/known-shares" 0.1 40

# Bursts that are rare, and as long as a period or two, are sampled all the same: each of the ten about twice. A sample
# of every other burst is far below what chance allows. Where other programs want the CPU a burst takes longer, and has
# more samples, but never more than there are periods.
"$pprofil" -F 20 --overhead 10 -f json -n 0 "$targets/known-shares" 1 1 100000 900000 >"$work/out" \
	2>"$work/report"
between "rare bursts, low rate: samples" 3 "$(number "$work/report" samples)" \
	"$(awk "BEGIN { print 20 * $(number "$work/report" elapsed_ns) / 1e9 + 2 }")"

# Threads that wait for each other's messages, on two CPUs, first with some idle time, then with none. Each sleep is
# short. A thread that was asleep when a tick was due often wants a CPU when the tracer looks, and one that was about to
# sleep is asleep. When the first was sampled, and the second was not, shares were wrong by 0.10 to 0.19. Since then
# they are wrong by chance, and by up to 0.06. Where many other programs want the CPUs, the tracer waits for its CPU,
# and often gets it from a thread that goes to sleep: shares were wrong by up to 0.12.
two=
[ "$(nproc)" -le 2 ] || two="taskset -c $(taskset -cp $$ | sed 's/.*: //; s/-/,/' | cut -d, -f1,2)"
$two true || two=
# cpu_used FILE: the CPU time of the shell's children that have ended; FILE has what "times" has printed
cpu_used() { awk -F '[ms ]' 'NR == 2 { print $1 * 60 + $2 + $4 * 60 + $5 }' "$1"; }
for busy in 0 1; do
	times >"$work/before"
	mark=$(idle_mark) hogs=
	for hog in $(seq $((busy * 2))); do
		$two timeout 60 sh -c 'while :; do :; done' & hogs="$hogs $!"
	done
	$two "$pprofil" -F 4000 --overhead 100 -f csv -n 0 "$targets/request-reply" 5 >"$work/out" 2>"$work/report"
	for hog in $hogs; do
		kill "$hog"
		wait "$hog" 2>/dev/null
	done
	times >"$work/after"
	others=$(echo "$mark $(idle_mark) $(cpu_used "$work/before") $(cpu_used "$work/after")" |
		awk -v cpus="$(grep -c '^cpu[0-9]' /proc/stat)" '{ print cpus - ($4 - $2 + $6 - $5) / ($3 - $1) }')
	if awk "BEGIN { exit !($others > 1.2) }"; then # the supervisor counts, too: it uses up to 0.7
		echo "SKIP requests and replies, CPUs kept busy: $busy: other programs use $others CPUs"
		continue
	fi
	sed 's/^cpu [0-9]* //; s/\([a-z]*\) \([0-9]*\) */spend_\1 \2\n/g' "$work/out" | sed '/^$/d' >"$work/own"
	shares_are "requests and replies, CPUs kept busy: $busy" "$work/own" "$work/report" 0.06
done

# A control group with a quota, and three competitors in it. The kernel takes the CPU from the target where it notices
# that the target's turn or the quota is over: in a call that asks for the CPU time, and takes a hundredth of the
# time. Samples that wait for the CPU find the target in that call: in a dozen runs 23 to 46 % of them did. If a late
# sample is left to the next tick, 7 to 9 % do: five standard deviations from that are allowed.
leave_group() { # false if a process is left in it
	[ -d "$1" ] || return 0
	xargs -r kill <"$1/cgroup.procs" 2>/dev/null
	rmdir "$1" 2>/dev/null
}
make_group() { # prints its directory
	for root in /sys/fs/cgroup/cpu /sys/fs/cgroup; do
		made=$root/pprofil-test.$$
		mkdir "$made" 2>/dev/null || continue
		if [ -e "$made/cpu.max" ]; then echo "100000 100000" >"$made/cpu.max"
		elif [ -e "$made/cpu.cfs_quota_us" ]; then echo 100000 >"$made/cpu.cfs_quota_us"
		else false; fi 2>/dev/null && sh -c 'echo $$ >"$0/cgroup.procs"' "$made" 2>/dev/null &&
			echo "$made" && return
		await leave_group "$made"
	done
}
group=$(make_group)
if [ -n "$group" ]; then
	trap 'leave_group "$group"; rm -rf "$work"' EXIT
	sh -c 'echo $$ >"$0/cgroup.procs" && shift
		for i in 1 2 3; do
			timeout 60 sh -c "while :; do :; done" &
		done
		"$@"' "$group" - "$pprofil" -q --overhead 1000 -F 200 -o "$work/quota.pb.gz" "$targets/known-times" 1500 10 >/dev/null
	"$pprofil" report -f csv -n 0 "$work/quota.pb.gz" >"$work/report"
	# samples that stand for different times are worth half as many
	set -- $(awk -F, 'NR > 1 { all += $4; if ($5 != "before" && $5 != "after") share += $1 }
		END { print share + 0, all + 0, (all > 0 ? 0.09 + 5 * sqrt(0.09 * 0.91 * 2 / all) : 1) }' "$work/report")
	if awk "BEGIN { exit !($3 > 0.25) }"; then
		echo "SKIP a quota: too few samples on this machine: $2"
	else
		between "a quota: at the call that asks for the time, of $2 samples" 0 "$1" "$3"
	fi
	await leave_group "$group"
else
	echo "SKIP a quota: no control group can be made"
fi
finish
