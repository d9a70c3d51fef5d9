#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# A signal that has a handler comes amid a call: what the call returns has the same distribution as without pprofil.
# HANDLED_ROUNDS: so many signals for each call. HANDLED_OPTIONS: pprofil's options.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

rounds=${HANDLED_ROUNDS:-150}
options=${HANDLED_OPTIONS:--F 1000 --overhead 100}

"$targets/interrupted-transfers" "$rounds" >"$work/plain"
"$targets/interrupted-transfers" "$rounds" >"$work/again"
for run in 1 2 3; do
	"$targets/delaying-tracer" "$targets/interrupted-transfers" "$rounds" >"$work/delayed.$run"
	expect "the program's status, delayed" 0 $?
done
# shellcheck disable=SC2086
"$pprofil" -q $options "$targets/interrupted-transfers" "$rounds" >"$work/under"
expect "the program's status" 0 $?
between "signals that missed their calls" 0 "$(grep -c 'missed' "$work/under")" \
	$((rounds + $(grep -c 'missed' "$work/plain")))
expect "bytes that are wrong, or what the signal says of its sender" "" "$(grep 'wrong' "$work/under" | head -n 1)"

# distance CALL FILE FILE: the Kolmogorov-Smirnov statistic of two samples, in thousandths
distance() {
	for side in 1 2; do
		shift
		sed -n "s/^$call error\$/$call -99999999/; s/^$call \([-0-9]*\)\$/\1 $side/p" "$1"
	done | sort -n | awk '
		{ values[NR] = $1; side[NR] = $2; all[$2]++ }
		END {
			for (i = 1; i <= NR; i++) {
				seen[side[i]]++
				if (i < NR && values[i + 1] == values[i])
					continue
				apart = seen[1] / all[1] - seen[2] / all[2]
				if (apart < 0) apart = -apart
				if (apart > most) most = apart
			}
			print int(most * 1000) }'
}

# The signal is sent when a number of bytes has arrived, so a call that sends returns at least these. (A call that
# receives may get the signal before all of them.)
for call in $(awk '$1 !~ /-recv/ { print $1 }' "$work/under" | uniq); do
	expect "$call: returns less than had arrived, or fails" "" \
		"$(awk -v call="$call" '$1 == call && ($2 == "error" || $2 != "missed" && $2 <= 0)' "$work/under" | head -n 1)"
done

# Two samples of one distribution are further apart than 2.2 * sqrt(2 / ROUNDS) once in ten thousand times
# (2 * exp(-2 * 2.2^2)). Two plain runs differ by more, for other programs run, too. A tracer holds the caller, so when
# the signal comes fewer bytes are under way to the receiver: most runs under a tracer that only delays show that, too.
# TCP is left out: how much it has under way depends on which CPU each process runs on.
chance=$(awk "BEGIN { print int(1000 * 2.2 * sqrt(2 / $rounds)) }")
for call in $(awk '/^(pipe|unix)-/ { print $1 }' "$work/plain" | uniq); do
	plain=$(distance "$call" "$work/plain" "$work/again")
	delayed=$(for run in 1 2 3; do distance "$call" "$work/plain" "$work/delayed.$run"; done | sort -n | tail -n 1)
	under=$(distance "$call" "$work/plain" "$work/under")
	between "$call: apart from plain by $under (plain from plain: $plain, delayed from plain: $delayed)" \
		0 "$under" $((chance + (plain > delayed ? plain : delayed)))
done
finish
