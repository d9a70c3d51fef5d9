#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The command as a wrapper and as a program: exit statuses, signals, streams, errors, files.
# shellcheck disable=SC2086 # $unprivileged and $reader are words
. "${abs_srcdir:-.}/tests/e2e/lib.sh"


expect "exit status" 42 "$(status_of "$pprofil" -q sh -c 'exit 42')"
expect "death by signal" 143 "$(status_of "$pprofil" -q sh -c 'kill -TERM $$')"
expect "death by SEGV" 139 "$(status_of "$pprofil" -q sh -c 'kill -SEGV $$')"
expect "standard input" hello "$(echo hello | "$pprofil" -q cat)"
expect "options after the program are its own" "-q --help" "$("$pprofil" -q echo -q --help)"
expect "environment and directory" "$PWD x" "$(V=x "$pprofil" -q sh -c 'echo "$PWD $V"')"
expect "no descriptor is left over" "$(ls /proc/self/fd | wc -l)" \
	"$("$pprofil" -q ls /proc/self/fd | wc -l)"
expect "no child is left over" 0 "$("$pprofil" -q sh -c 'wait; echo $?')"

expect "not found" 127 "$(status_of "$pprofil" /no/such/program)"; one_line "not found"
expect "not executable" 126 "$(status_of "$pprofil" /etc/passwd)"; one_line "not executable"
expect "no such process" 125 "$(status_of "$pprofil" -p 4194303)"; one_line "no such process"
expect "bad pid" 125 "$(status_of "$pprofil" -p x)"; one_line "bad pid"
expect "no descriptors" 125 "$(status_of sh -c "ulimit -n 8; exec '$pprofil' true")"
one_line "no descriptors"
expect_text "no descriptors: what to do" 'ulimit -n' "$work/err"
expect "bad frequency" 125 "$(status_of "$pprofil" -F 0 true)"; one_line "bad frequency"
for time in "-d 0" "-d 10x" "--delay 1h30" "-d -1s" "top -b -d soon"; do
	# shellcheck disable=SC2086 # words
	expect "bad time, $time" 125 "$(status_of "$pprofil" $time true)"; one_line "bad time, $time"
	expect_text "bad time, $time: what is accepted" 'such as 10, 10s, 500ms, 1m or 1h30m' "$work/err"
done
for rate in "10k 10000" "1000Hz 1000" "2kHz 2000" "max 50000" "99 99"; do
	"$pprofil" -F "${rate% *}" -f json true 2>"$work/err"
	expect "frequency ${rate% *}" "${rate#* }" "$(number "$work/err" asked_hz | sed 's/\.0*$//')"
done
expect "time with a unit" 0 "$(status_of "$pprofil" --delay 1ms -d 100ms -f csv "$targets/known-shares" 0.3)"
expect_text "time with a unit: profile" 'spend_[a-z]*' "$work/err"
"$pprofil" --no-inherit -f json sh -c '"$0" 0.1; :' "$targets/known-shares" >"$work/out" 2>"$work/err"
expect "--no-inherit: processes" 1 "$(number "$work/err" processes)"
expect "nothing to do" 125 "$(status_of "$pprofil")"; one_line "nothing to do"
expect "both" 125 "$(status_of "$pprofil" -p 1 true)"; one_line "both"
expect "unknown grouping" 125 "$(status_of "$pprofil" --by x true)"; one_line "unknown grouping"
expect "report of nothing" 125 "$(status_of "$pprofil" report /no/file)"; one_line "no file"
expect "report of no profile" 125 "$(status_of "$pprofil" report /bin/sh)"; one_line "no profile"
expect_text "no profile: says so" 'not a profile' "$work/err"
expect "full disk" 125 "$(status_of "$pprofil" -q -o /dev/full true)"; one_line "full disk"
expect_text "full disk: says so" 'no space left' "$work/err"
expect "no directory" 125 "$(status_of "$pprofil" -q -o /no/dir/p.pb.gz true)"
expect "version" 0 "$(status_of "$pprofil" --version)"

# help: each way to ask for it prints the same
expect "help" 0 "$(status_of "$pprofil" --help)"
cp "$work/out" "$work/help"
for way in -h "-?" help; do
	expect "help by $way" "$(cksum <"$work/help")" "$("$pprofil" "$way" | cksum)"
done
# each example of the help is a line of at most 80 characters, and its options exist: with one more it prints the help
sed -n '/^Examples/,/^$/s/^  \(pprofil .*[^ ]\)   *[a-z].*/\1/p' "$work/help" >"$work/examples"
expect "help: examples" 5 "$(wc -l <"$work/examples")"
expect "help: lines that are too long" 0 "$(grep -c '.\{81\}' "$work/help")"
while read -r example; do
	expect "help: $example" 0 "$(echo "$example" | sed 's/ \([.a-z/]*program\|new.pb.gz\)/ --help \1/; /--help/!s/$/ --help/
		s/^pprofil/status_of "$pprofil"/' >"$work/line" && eval "$(cat "$work/line")")"
done <"$work/examples"
sed -n '/^Commands/,/^$/s/^  \([a-z]*\)  *[a-z].*/\1/p' "$work/help" >"$work/commands"
between "help: commands" 10 "$(wc -l <"$work/commands")" 99
while read -r command; do
	"$pprofil" "$command" --help >"$work/help" 2>"$work/err" </dev/null
	expect_text "help: $command" "^Usage: pprofil $command" "$work/help"
	expect "$command -h" "$(cksum <"$work/help")" "$("$pprofil" "$command" -h </dev/null | cksum)"
	expect "help $command" "$(cksum <"$work/help")" "$("$pprofil" help "$command" </dev/null | cksum)"
done <"$work/commands"
for way in --help -h --usage --version help "help report" "report --help" "-f list" --help=dialects \
	"--completion bash" "--completion zsh" "--completion fish"; do
	expect "$way on a full disk" 125 "$("$pprofil" $way 2>"$work/err" >/dev/full; echo $?)"
	one_line "$way on a full disk"
	{ sleep 0.1; "$pprofil" $way 2>"$work/err"; echo $? >"$work/status"; } | true
	expect "whoever reads $way leaves" "0 0" "$(cat "$work/status") $(wc -l <"$work/err")"
done
expect "help dialects" "$("$pprofil" --help=dialects | cksum)" "$("$pprofil" help dialects | cksum)"
expect "help of no command" 125 "$(status_of "$pprofil" help nothing)"; one_line "help of no command"
printf '#!/bin/sh\necho own\n' >"$work/help"; chmod +x "$work/help"
expect "a program called help" own "$(PATH=$work:$PATH "$pprofil" -q -- help)"
expect "a program called help, by its path" own "$(cd "$work" && "$pprofil" -q ./help)"

# a supervisor of another build is recognised at once
for way in version size nothing; do
	start=$(date +%s)
	expect "mixed builds, $way" 125 "$(PPROFIL_SUPERVISE=$targets/wrong-protocol-supervisor WRONG_PROTOCOL=$way \
		status_of "$pprofil" "$targets/known-shares" 5)"
	one_line "mixed builds, $way"
	expect_text "mixed builds, $way: says so" 'wrong-protocol-supervisor .*is of another build' "$work/err"
	# pprofil waits 10 s and longer for its supervisor's answer
	between "mixed builds, $way: seconds" 0 $(($(date +%s) - start)) 9
done

sleep 30 & sleeper=$!
is_traced_or_free() { is_traced $sleeper || ! kill -0 $tracer; } 2>/dev/null
(exec 3<&0; strace -q -o /dev/null -p $sleeper 2>/dev/null) & tracer=$!
await is_traced_or_free
if is_traced $sleeper; then
	expect "already traced" 125 "$(status_of "$pprofil" -p $sleeper)"; one_line "already traced"
	expect_text "already traced: by whom" 'traced by [0-9]+ \(strace\)' "$work/err"
fi
kill $sleeper 2>/dev/null; wait $tracer 2>/dev/null

sh -c 'sleep 0.01 & exec sleep 30' & parent=$!
is_dead() { ps -o stat= --ppid $parent | grep -q Z; }
await is_dead
zombie=$(ps -o pid= --ppid $parent | tr -d ' ')
expect "zombie" 125 "$(status_of "$pprofil" -p "$zombie")"; one_line "zombie"
expect_text "zombie: says so" 'zombie' "$work/err"
kill $parent

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	sleep 30 & sleeper=$!
	if $unprivileged test -x "$pprofil" 2>/dev/null; then
		expect "another's process" 125 "$(status_of $unprivileged "$pprofil" -p $sleeper)"
		one_line "another's process"
		expect_text "another's process: says so" 'belongs to user 0' "$work/err"
		expect "unprivileged" 0 "$(status_of $unprivileged "$pprofil" --overhead 100 -f csv "$targets/known-shares" 0.5)"
		expect_text "unprivileged: profile" 'spend_half' "$work/err"
	fi
	kill $sleeper
fi

"$pprofil" -q --overhead 100 -o "$work/p.pb.gz" "$targets/known-shares" 0.5 >"$work/own"
expect "saved" 0 $?
for by in function object line thread process syscall state; do
	for format in text json csv; do
		expect "report by $by, $format" 0 \
			"$(status_of "$pprofil" report --by $by -f $format "$work/p.pb.gz")"
	done
done
"$pprofil" report --by line -n 0 "$work/p.pb.gz" >"$work/out"
expect_text "source lines" 'known-shares.c:[0-9]+' "$work/out"
"$pprofil" report "$work/p.pb.gz" >"$work/out"
expect_text "definition" 'spend_half +known-shares +\(.*known-shares.c:[0-9]+\)' "$work/out"
# the kernel's figure includes the time before main
own=$(sed -n 's/^cpu \([0-9]*\) .*/\1/p' "$work/own")
between "own CPU time beside ours" "$(awk "BEGIN { print $own / 1e9 - 0.01 }")" \
	"$(sed -n "s/.*target's own: \([0-9.]*\).*/\1/p" "$work/out")" "$(awk "BEGIN { print $own / 1e9 + 0.2 }")"
"$pprofil" -v "$targets/known-shares" 0.2 >/dev/null 2>"$work/err"
expect_text "verbose" 'supervisor used [0-9.]+ s' "$work/err"
for reader in "report -n 0 --by line" "report -f json" "annotate" "diff $work/p.pb.gz" \
	"convert -f perf-script -o -"; do
	function=
	[ "$reader" = annotate ] && function=spend_half
	{ "$pprofil" $reader "$work/p.pb.gz" $function 2>"$work/err"; echo $? >"$work/status"; } | true
	expect "whoever reads $reader leaves" "0 0" "$(cat "$work/status") $(wc -l <"$work/err")"
done
expect "a full disk" 125 "$("$pprofil" report "$work/p.pb.gz" >/dev/full 2>"$work/err"; echo $?)"
one_line "a full disk"
for bad in "-n 0.5" "-n -1" "--tree --depth 1.5" "--input-format pproff"; do
	expect "report $bad" 125 "$(status_of "$pprofil" report $bad "$work/p.pb.gz")"
	one_line "report $bad"
done
"$pprofil" convert --function spend_half -o "$work/half.pb.gz" "$work/p.pb.gz"
expect "a saved part: read" 0 "$(status_of "$pprofil" report "$work/half.pb.gz")"
expect "a saved part is not too little" 0 "$(grep -c '^# note' "$work/out")"
mkfifo "$work/pipe"
expect "a pipe by its name" 125 "$(status_of "$pprofil" report "$work/pipe")"
one_line "a pipe by its name"
expect_text "a pipe by its name: says so" 'no regular file; - reads a pipe' "$work/err"
head -c 300 "$work/p.pb.gz" >"$work/cut.pb.gz"
expect "cut file" 125 "$(status_of "$pprofil" report "$work/cut.pb.gz")"; one_line "cut file"

"$pprofil" -q --events "$work/run.events" "$targets/known-shares" 0.3 >/dev/null
expect "recording replays" 0 "$(status_of "$pprofil" report -f csv "$work/run.events")"
expect_text "recording has the profile" 'spend_half' "$work/out"

"$targets/known-shares" 6000 >/dev/null & target=$!
start=$(date +%s)
expect "duration" 0 "$(status_of "$pprofil" -d 3 -f csv -p $target)"
between "duration: seconds" 3 $(($(date +%s) - start)) 30
expect_text "duration: profile" 'spend_[a-z]*' "$work/out"
expect_free "duration: target" $target
# a shell starts background processes with SIGINT ignored, and pprofil leaves an ignored SIGINT alone
env --default-signal=INT "$pprofil" -f csv -p $target >"$work/out" 2>"$work/err" & us=$!
await is_traced $target
await has_used $target $(($(cpu_ticks $target) + 50))
kill -INT $us; wait $us
expect "attach and SIGINT" 0 $?
expect_text "attach and SIGINT: prints" 'spend_half' "$work/out"
expect_free "attach and SIGINT: target" $target
kill $target

"$pprofil" -q sh -c 'trap "exit 9" TERM; : >"$0"; while :; do sleep 0.1; done' "$work/ready" & us=$!
await test -e "$work/ready"
kill -TERM $us; wait $us
expect "SIGTERM is passed on" 9 $?
"$pprofil" -w -f csv --by syscall sleep 2 2>"$work/err"
expect_text "wall mode names the system call" 'nanosleep' "$work/err"
(ulimit -n 40; "$pprofil" -f csv "$targets/sleepers" 100 1 1) >/dev/null 2>"$work/err"
expect_text "few descriptors" ',busy,' "$work/err"
# a program inherits the signals as pprofil got them
for signal in PIPE XFSZ; do
	expect "SIG$signal is the program's own" \
		"$(sh -c 'grep SigIgn /proc/self/status')" \
		"$("$pprofil" -q sh -c 'grep SigIgn /proc/self/status')"
done
# names that never come, because a server of debug files does not answer
cat >"$work/mute.py" <<'END'
import socket, sys, threading
def listen():
    asked = []
    while True:
        asked.append(mute.accept())
        print("asked", flush=True)
mute = socket.create_server(("127.0.0.1", 0), backlog=50)
print(mute.getsockname()[1], flush=True)
threading.Thread(target=listen, daemon=True).start()
sys.stdin.read()
END
if command -v python3 >/dev/null && ls /usr/lib*/libdebuginfod.so.1 /usr/lib*/*/libdebuginfod.so.1 2>/dev/null | grep -q .; then
	mkfifo "$work/hold"
	python3 "$work/mute.py" <"$work/hold" >"$work/port" & mute=$!
	exec 9>"$work/hold"
	await test -s "$work/port"
	slow() {
		DEBUGINFOD_URLS=http://127.0.0.1:$(head -n 1 "$work/port") DEBUGINFOD_CACHE_PATH=$work/cache "$pprofil" "$@"
	}
	strip -g -o "$work/plain" "$targets/known-shares" # or no debug file would be asked for
	asks_more() { [ "$(wc -l <"$work/port")" -gt "$1" ]; }
	# ends NAME STATUS COMMAND...: the command ends with this status if SIGTERM comes while it
	# waits for names
	ends() {
		name=$1 wanted=$2
		shift 2
		asked=$(wc -l <"$work/port")
		slow "$@" 2>"$work/err" 9>&- & us=$!
		await asks_more "$asked"
		sleep 0.5
		expect "$name: it waits" yes "$(kill -0 $us && echo yes)"
		start=$(date +%s)
		kill -TERM "$(cat "/proc/$us/task/$us/children" | tr -d ' ' | grep . || echo $us)"
		wait $us
		expect "$name: status" "$wanted" $?
		between "$name: seconds" 0 $(($(date +%s) - start)) 20 # without the signal it takes 90
	}
	ends "no names" 143 -q -o "$work/unnamed.pb.gz" "$work/plain" 0.3
	expect "no names: the profile is there" 0 "$(status_of "$pprofil" report -f csv "$work/unnamed.pb.gz")"
	expect_text "no names: they are found now" 'spend_half' "$work/out"
	shared=/dev/shm/pprofil-test-$$.pb.gz
	if [ -w /dev/shm ]; then
		ends "no names, in shared memory" 143 -q -o "$shared" "$work/plain" 0.3
		expect "no names, in shared memory: the profile is there" 0 "$(status_of "$pprofil" report -f csv "$shared")"
		rm -f "$shared"
	fi
	ends "no names to print" 143 "$work/plain" 0.3
	expect "no names: nothing is left" "" "$(ls -A "$work" | grep '^\.pprofil')"
	exec 9>&-
	wait $mute
fi
finish
