#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# pprofil as the first process of a container: like an init it reaps orphans and passes signals on, and it ends as its
# program does.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

# as a subreaper, which needs no privilege
zombies='for i in 1 2 3 4 5; do (sleep 0.05 &); done; sleep 0.5; n=0
	while left=$(ps -o stat= --ppid $PPID | grep -c Z); [ "$left" != 0 ] && [ $n -lt 60 ]; do n=$((n + 1)); sleep 1; done
	echo "$left"'
expect "reaper: no orphan stays" 0 "$("$targets/subreaper" "$pprofil" -q sh -c "$zombies")"
expect "reaper: status" 42 "$("$targets/subreaper" "$pprofil" -q sh -c 'exit 42'; echo $?)"
expect "reaper: no orphan stays after -d" 0 \
	"$("$targets/subreaper" "$pprofil" -q -d 0.1 sh -c "sleep 0.5; $zombies")"
"$targets/subreaper" "$pprofil" top -b -n 12 -d 1 sh -c "$zombies >'$work/zombies'; sleep 5" >"$work/out" 2>&1
expect "reaper: no orphan stays under top" 0 "$(cat "$work/zombies")"

contain="unshare -pf --mount-proc"
$contain true 2>/dev/null || contain="unshare -Urpf --mount-proc"
if ! $contain true 2>"$work/err"; then
	[ "$failures" -eq 0 ] || finish
	skip "the first process of a container: $(head -n 1 "$work/err")"
fi

expect "it is the first process" 1 "$($contain "$pprofil" -q sh -c 'echo $PPID')"
expect "no orphan stays" 0 "$($contain "$pprofil" -q sh -c "$zombies")"
expect "no orphan stays after -d" 0 "$($contain "$pprofil" -q -d 0.1 sh -c "sleep 0.5; $zombies")"
expect "2000 orphans: none stays" 0 \
	"$($contain "$pprofil" -q sh -c 'i=0
		while [ $i -lt 2000 ]; do (: &); i=$((i + 1)); done
		n=0; while left=$(ps -o stat= --ppid 1 | grep -c Z); [ "$left" != 0 ] && [ $n -lt 60 ]; do n=$((n + 1)); sleep 1; done
		echo "$left"')"
$contain "$pprofil" top -b -n 12 -d 1 sh -c "$zombies >'$work/zombies'; sleep 5" >"$work/out" 2>&1
expect "no orphan stays under top" 0 "$(cat "$work/zombies")"
expect "status" 42 "$($contain "$pprofil" -q sh -c 'exit 42'; echo $?)"
expect "death by a signal" 143 "$($contain "$pprofil" -q sh -c 'kill -TERM $$'; echo $?)"
expect "a profile" yes "$($contain "$pprofil" -f csv "$targets/known-shares" 0.5 2>&1 >/dev/null |
	grep -q spend_half && echo yes)"

# begin [OPTION...]: $us is pprofil's number outside of the container
begin() {
	: >"$work/out"
	$contain env --default-signal=INT,QUIT,HUP "$pprofil" -q "$@" "$targets/count-signals" "$work/stop" >>"$work/out" &
	container=$!
	for _ in $(seq 300); do
		grep -q ready "$work/out" && break
		sleep 0.1
	done
	us=$(pgrep -P "$container" -x pprofil)
}
end() {
	sleep 3
	touch "$work/stop"
	wait "$container"
	status=$?
	expect "$1" "$2: 0" "$(sed -n 's/^got *//p' "$work/out"): $status"
	rm -f "$work/stop"
}
# signals that images name as STOPSIGNAL, and signals by which servers are told to reopen files and the like
for signal in TERM INT QUIT HUP USR1 USR2 WINCH ALRM CONT 40; do
	begin
	kill -$signal "$us"
	name=$signal
	[ $signal = 40 ] && name=RT40
	end "from outside: $signal" "$name 1"
done
begin
kill -TERM "$us"
await has_taken_term "$us"
sleep 1
kill -TERM "$us"
end "the second one does not end the container" "TERM 2"
begin -d 0.1
sleep 1
kill -TERM "$us"
end "from outside, after -d" "TERM 1"
# The kernel does not deliver signals of default action to a first process. pprofil must end all the same while it
# waits for names.
if command -v python3 >/dev/null && ls /usr/lib*/libdebuginfod.so.1 /usr/lib*/*/libdebuginfod.so.1 2>/dev/null | grep -q .; then
	python3 -c 'import socket, time
mute = socket.create_server(("127.0.0.1", 0))
print(mute.getsockname()[1], flush=True)
asked = mute.accept()
print("asked", flush=True)
time.sleep(60)' >"$work/port" & mute=$!
	await test -s "$work/port"
	strip -g -o "$work/plain" "$targets/known-shares"
	DEBUGINFOD_URLS=http://127.0.0.1:$(head -n 1 "$work/port") DEBUGINFOD_CACHE_PATH=$work/cache \
		$contain "$pprofil" -q -o "$work/p.pb.gz" "$work/plain" 0.3 >/dev/null &
	container=$!
	await grep -q asked "$work/port"
	client=$(pgrep -P "$container" -x pprofil) # it waits for an opener of files
	start=$(date +%s)
	kill -TERM "$client"
	wait "$container"
	expect "while names are looked up: status" 143 $?
	between "while names are looked up: seconds" 0 $(($(date +%s) - start)) 5
	kill $mute
fi
expect "from inside" 7 "$($contain "$pprofil" -q sh -c 'trap "exit 7" TERM; kill -TERM 1
	i=0; while [ $i -lt 100 ]; do sleep 0.1; i=$((i + 1)); done'; echo $?)"
expect "from inside, to all" 7 "$($contain "$pprofil" -q sh -c 'n=0; trap "n=\$((n + 1))" TERM
	sh -c "kill -TERM -1"; sleep 1; sleep 1; exit $((n + 6))'; echo $?)"
finish
