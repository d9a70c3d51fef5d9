#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# pprofil top for a long time, from view to view. Its memory and its supervisor's stay what they
# were when all views had been seen.
#
# TOP_SOAK: seconds of the test (1800 is half an hour). It is skipped without that.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
[ "${TOP_SOAK:-0}" -gt 0 ] || skip "TOP_SOAK is not set: it says for how many seconds"
. "${abs_srcdir:-.}/tests/e2e/tmux.sh"

looks=30
pause=$(awk -v all="$TOP_SOAK" -v looks=$looks 'BEGIN { print all / looks }')
growth=5 # per cent that may be added after the first third

"$targets/long-lists" $((TOP_SOAK + 60)) >/dev/null &
target=$!
trap 'kill $target 2>/dev/null; screen_stop; rm -rf "$work"' EXIT

# Memory without the ring between the two, whose pages appear as it is filled for the first time.
memory() { awk '/^VmRSS:/ { all = $2 } /^RssShmem:/ { ring = $2 } END { print all - ring }' "/proc/$1/status"; }
expect_flat() { # NAME COLUMN
	then=$(sed -n "$((looks / 3))p" "$work/memory" | cut -d ' ' -f "$2")
	now=$(sed -n "${looks}p" "$work/memory" | cut -d ' ' -f "$2")
	echo "# $1: $then kB after a third of $TOP_SOAK s, $now kB at the end"
	between "$1: memory at the end" 1 "$now" $((then * (100 + growth) / 100))
}

screen_start 40 120 "$pprofil" top -p $target
screen_expect "it is watched" '^ .*work_'
client=$(screen_value '#{pane_pid}')
supervisor=$(sed -n 's/^TracerPid:.//p' "/proc/$target/status")
for look in $(seq $looks); do
	screen_keys $((look % 6 + 1))
	sleep "$pause"
	echo "$(memory "$client") $(memory "$supervisor")" >>"$work/memory"
done
screen_expect "it still is" '^CPU [0-9.]+ %'
expect_flat "client" 1
expect_flat "supervisor" 2
screen_keys q
screen_expect_end "it ends" 0
finish
