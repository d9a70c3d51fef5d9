#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# A supervisor that hangs (here it is stopped) may hold a thread of the target, and only it can let that thread go. At
# the end of the run, or after 10 s of silence, the client asks for an answer, waits 10 s for it, kills the supervisor
# and says so in one line; the target goes on untraced. All ways to run pprofil are tried at once, for each takes so
# long.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

trap 'kill -9 $(cat "$work"/*.pid) 2>/dev/null; rm -rf "$work"' EXIT

runs() { grep -qs '^State:.[^Z]' "/proc/$1/status"; }

# A target that burns CPU time until it is told to end.
cat >"$work/target" <<-'END'
	echo $$ >"$1.pid"
	until [ -e "$1.stop" ]; do :; done
	exit 7
END

# hang NAME: stops the supervisor of that target while it samples
hang() {
	echo "0 0" >"$work/$1.hung"
	await has_supervisor "$1" || return
	await has_used "$target" $(($(cpu_ticks "$target") + 20)) # so it has been sampled
	since=$(date +%s)
	kill -STOP "$supervisor"
	echo "$supervisor $since" >"$work/$1.hung"
}
has_supervisor() {
	target=$(cat "$work/$1.pid" 2>/dev/null) && supervisor=$(tracer_of "$target")
	[ "${supervisor:-0}" -gt 0 ]
}

# client NAME COMMAND...
client() {
	name=$1
	shift
	"$@" >"$work/$name.out" 2>"$work/$name.err"
	echo $? >"$work/$name.status"
}

attach() { # NAME COMMAND...: starts a target first; its number is added to the command
	name=$1
	shift
	sh "$work/target" "$work/$name" & begun=$!
	sleep 0.2
	client "$name" "$@" "$begun" &
}

names="run batch-run attached batch silent top-silent"
client run "$pprofil" -q -d 10 sh "$work/target" "$work/run" &
client batch-run "$pprofil" top -b -n 3 -d 3.3 sh "$work/target" "$work/batch-run" &
client silent "$pprofil" -q sh "$work/target" "$work/silent" &
client top-silent "$pprofil" top -b -d 1 sh "$work/target" "$work/top-silent" &
attach attached "$pprofil" -f csv -d 10 -p
attach batch "$pprofil" top -b -n 10 -d 1 -p
for name in $names; do
	hang "$name" &
	hangs="${hangs-} $!"
done
# shellcheck disable=SC2086
wait $hangs

# Asked after ten seconds, it has ten more to answer. A busy machine may be late, but it must not be killed earlier.
for name in $names; do
	read -r supervisor since <"$work/$name.hung"
	while [ "$supervisor" != 0 ] && runs "$supervisor" && [ $(($(date +%s) - since)) -lt 40 ]; do
		sleep 0.2
	done
	ended=$(date +%s)
	if [ "$supervisor" = 0 ]; then fail "$name" "it was not traced"; continue; fi
	case $name in *silent) least=19 ;; *) least=10 ;; esac
	between "$name: waited for it, s" $least $((ended - since)) 35
	runs "$supervisor" && kill -9 "$supervisor" # or this test would wait for ever
done

# on a busy machine it may wait for a CPU for a while
for name in $names; do
	target=$(cat "$work/$name.pid")
	expect_free "$name: the target" "$target"
	await has_used "$target" $(($(cpu_ticks "$target") + 1))
	expect "$name: the target gets CPU time" 0 $?
	: >"$work/$name.stop"
done
wait

expect "run: the program's status" 7 "$(cat "$work/run.status")"
expect "silent: the program's status" 7 "$(cat "$work/silent.status")"
expect "top-silent: status" 0 "$(cat "$work/top-silent.status")"
expect "batch-run: status" 0 "$(cat "$work/batch-run.status")"
expect "attached: status" 0 "$(cat "$work/attached.status")"
expect "batch: status" 0 "$(cat "$work/batch.status")"
said='^pprofil: the supervisor hung, and was ended; the target runs on'
for name in run batch-run batch silent top-silent; do
	expect_text "$name: says so" "$said" "$work/$name.err"
	expect "$name: and no more" 1 "$(wc -l <"$work/$name.err")"
done
expect_text "attached: says so" "$said" "$work/attached.err"
expect "attached: once" 1 "$(grep -c supervisor "$work/attached.err")"
expect_text "attached: what came before is reported" '^[0-9.]+,' "$work/attached.out"
expect "batch-run: its frames" 3 "$(grep -c '^# pprofil top' "$work/batch-run.out")"
expect "batch: its frames" 10 "$(grep -c '^# pprofil top' "$work/batch.out")"
expect_text "batch: they say that nothing comes" 'no news of the supervisor for [4-8] s' "$work/batch.out"
finish
