#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# --every, --keep and --then: a file for each period. Together the files have what the supervisor has sent, sample by
# sample: a recording of the same run (--events) tells.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

cd "$work" || exit 1
# rows FILE...: samples and time of each function, of each thread, and of each thing that threads wait for. Threads are
# without names: a file has the name that a thread had at the end of its period, and the thread may be renamed later.
rows() {
	for by in function syscall wait; do
		"$pprofil" report -n 0 -f csv --by $by "$@" | awk -F, 'NR > 1 { print $3, $4, $5, $9, $10 }' | sort
	done
	"$pprofil" report -n 0 -f csv --by thread "$@" |
		awk -F, 'NR > 1 { id = $9 " " $10; ns[id] += $3; n[id] += $4 }
			END { for (id in n) printf "%.0f %d %s\n", ns[id], n[id], id }' | sort
}
# same NAME RECORDING FILE...
same() {
	name=$1 recording=$2
	shift 2
	rows "$recording" >whole
	rows "$@" >parts
	expect "$name: files" "" "$(diff whole parts | head -n 5)"
	between "$name: samples" 1 "$(awk '{ n += $2 } END { print n }' whole)" 1e9
	for number in cpu_ns wall_ns samples lost; do
		"$pprofil" report -f json "$recording" >whole.json
		"$pprofil" report -f json "$@" >parts.json
		expect "$name: $number" "$(number whole.json $number)" "$(number parts.json $number)"
	done
	between "$name: elapsed time" "$(awk "BEGIN { print 0.999 * $(number whole.json elapsed_ns) }")" \
		"$(number parts.json elapsed_ns)" "$(awk "BEGIN { print 1.001 * $(number whole.json elapsed_ns) }")"
}

# until.sh COMMAND...: waits until it succeeds. On full CPUs periods may be much longer than asked for.
cat >until.sh <<'END'
for try in $(seq 600); do "$@" && break; sleep 0.1; done
END

# --- nothing is lost, and nothing is counted twice
cat >busy.sh <<'END'
sleep 30 &
for i in $(seq 15); do
	sh -c 'i=0; while [ $i -lt 10000 ]; do i=$((i + 1)); done'
	sleep 0.1
done
kill $!
END
echo >start
expect "status" 0 "$(status_of "$pprofil" --every 1s -o 'a-%t.pb.gz' --events a.events sh busy.sh)"
expect_text "the last line says how many" "^pprofil: [0-9]+ files saved" err
between "several files" 2 "$(ls a-*.pb.gz | wc -l)" 1000
same "a shell and its children" a.events a-*.pb.gz
# clock FILE: by how many seconds the first sample of a file is later than its beginning, by the clock of the day
clock() {
	"$pprofil" convert --no-symbolize -f json -o clock.json "$1"
	awk -v began="$(stat -c %Y start)" '
		match($0, /"start_time":[0-9]+/) { start = substr($0, RSTART + 13, RLENGTH - 13) }
		match($0, /^"history":{"start":[0-9]+/) { history = substr($0, RSTART + 19, RLENGTH - 19) }
		END { print (history - (start > 0 ? start : 1e9 * began)) / 1e9 }' clock.json
}
# on full CPUs a period may have no sample, and then it has no first one
sampled=$(for file in a-*.pb.gz; do [ "$("$pprofil" report -n 0 -f csv "$file" | wc -l)" -lt 2 ] || echo "$file"; done)
between "periods with samples" 1 "$(echo "$sampled" | grep -c .)" 1000
for file in $(echo "$sampled" | head -n 2) a.events; do between "times since 1970: $file" -2 "$(clock "$file")" 2; done
expect "stacks, sleepers: status" 0 \
	"$(status_of "$pprofil" -g -w --every 1s -o 'b-%n.pb.gz' --events b.events sh busy.sh)"
same "stacks, sleepers" b.events b-*.pb.gz
expect "numbers" "$(seq "$(ls b-*.pb.gz | wc -l)")" "$(ls b-*.pb.gz | tr -dc '0-9\n' | sort -n)"
expect "names are looked up" 0 \
	"$("$pprofil" report -n 0 -f csv b-1.pb.gz | awk -F, '$5 ~ /[+]0x/ && $6 ~ /libc/' | wc -l)"
"$targets/sleepers" 5 1 30 >/dev/null &
first=$!
"$pprofil" -w -g -d 3 --every 1s -o 'c-%t.pb.gz' --events c.events -p $first 2>err
kill $first
same "attached" c.events c-*.pb.gz
"$pprofil" report -f json c.events >whole.json
"$pprofil" report -f json c-*.pb.gz >parts.json
expect "attached: threads" "$(number whole.json threads)" "$(number parts.json threads)"

# --- --then gets each file once, oldest first, when it is complete
cat >note.sh <<'END'
[ "$1" = "$PPROFIL_FILE" ] && "$PPROFIL" report -f json "$1" | grep -q '"samples"' && echo "$1" >>noted
END
PPROFIL=$pprofil
export PPROFIL
"$pprofil" -q --every 1s -o 'd %t.pb.gz' --then 'sh note.sh' sh busy.sh 2>err
expect "--then: no complaint" "" "$(cat err)"
ls d*.pb.gz >files
expect "--then: each file, in order" "$(cat files)" "$(cat noted)"
rm noted
"$pprofil" -q -o d.pb.gz --then 'sh note.sh' true
expect "--then without --every" d.pb.gz "$(cat noted)"
expect "--then fails: the program's status" 7 "$(status_of "$pprofil" -v -o d.pb.gz --then 'exit 3;' sh -c 'exit 7')"
expect_text "--then fails: it is said" "ended with status 3" err
echo text | "$pprofil" -q -o d.pb.gz --then 'cat >input; :' cat >output
expect "standard input is the program's" text "$(cat output)"
expect "standard input of --then is empty" "" "$(cat input)"

# --- a signal to the process group, as a terminal sends it, does not end --then
cat >got.sh <<'END'
echo >running
sh until.sh test -e go
echo "$1" >>got
END
# shellcheck disable=SC2016
setsid sh -c 'echo $$ >group; exec "$0" -q --every 1s -o "g-%t.pb.gz" --then "sh got.sh" sleep 600' "$pprofil" 2>err &
group=$!
await test -e running
kill -TERM -- "-$(cat group)"
touch go
wait $group
expect "a signal to the group: --then gets each file" "$(ls g-*.pb.gz)" "$(cat got)"
expect "a signal to the group: no complaint" "" "$(cat err)"

# --- pprofil can make no process, neither to save files nor to run --then: RLIMIT_NPROC holds users other than root
as_user=
[ "$(id -u)" != 0 ] || as_user=$unprivileged
mkdir -m 777 limited
chmod 711 .
# shellcheck disable=SC2086,SC2016
if command -v prlimit >/dev/null && $as_user test -x "$pprofil" 2>/dev/null &&
	$as_user test -w limited 2>/dev/null; then
	expect "no process: status" 125 "$(status_of $as_user "$pprofil" -q --every 1s --then 'echo >>limited/got' \
		-o 'limited/%n.pb.gz' sh -c 'prlimit --nproc=0:0 --pid $PPID; sleep 3.5')"
	sed -n "s/.*--then: no process can be made for 'echo >>limited.got \(.*\)'\$/\1/p" err >named
	between "no process: files that --then did not get" 1 "$(wc -l <named)" 9
	touch limited/got # before the limit is there, --then may get a file
	expect "no process: no other file" "$(ls limited/*.pb.gz)" "$(sort limited/got named)"
	for file in limited/*.pb.gz; do
		expect "no process: $file is whole" 0 "$(status_of "$pprofil" report "$file")"
	done
else
	echo "SKIP no process can be made: needs prlimit, setpriv and a directory that others can reach"
fi

# --- SIGCHLD is ignored: savers and commands are seen to end, and the program still ignores it
cat >ignored.sh <<'END'
trap '' CHLD
exec "$@"
END
sh ignored.sh "$pprofil" -q --every 1s -o 'i-%n.pb.gz' --then 'echo >>i-then; :' \
	sh -c 'grep SigIgn /proc/self/status >i-program; sh until.sh test -e i-3.pb.gz'
between "SIGCHLD ignored: files" 3 "$(ls i-*.pb.gz | wc -l)" 9
expect "SIGCHLD ignored: --then" "$(ls i-*.pb.gz | wc -l)" "$(wc -l <i-then)"
expect "SIGCHLD ignored: for the program, too" "$(sh ignored.sh grep SigIgn /proc/self/status)" "$(cat i-program)"

# --- --keep
rm -f d*
for old in 20200101-000000 20200102-000000; do
	echo old >"k-$old.pb.gz"
	touch -d '2020-01-02' "k-$old.pb.gz"
done
for other in k-20200101-000000.pb.gz.txt k-today.pb.gz; do
	echo other >"$other"
	touch -d '2020-01-01' "$other"
done
"$pprofil" -q --every 1s --keep 2 -o 'k-%t.pb.gz' sh busy.sh
expect "--keep 2" 2 "$(ls k-2*.pb.gz | wc -l)"
expect "--keep: files of earlier runs are old" 0 "$(ls k-2020* 2>/dev/null | grep -vc txt)"
expect "--keep: other files stay" 2 "$(ls k-today.pb.gz k-20200101-000000.pb.gz.txt | wc -l)"
"$pprofil" -q --every 1s --keep 1 --then 'sh until.sh test -e done; :' -o 'l-%t.pb.gz' \
	sh -c 'sh until.sh grep -q "is removed" err; touch done' 2>err
expect_text "--keep removes a file that waits for --then" "is removed, for --keep 1, before --then has got it" err
expect "--keep, when --then has ended" 1 "$(ls l-*.pb.gz | wc -l)"

# --- names
"$pprofil" -q --every 1s --keep 2 -o 'n-%n.pb.gz' sh until.sh test -e n-4.pb.gz
between "no number is used again" 4 "$(ls n-*.pb.gz | tr -dc '0-9\n' | sort -n | tail -n 1)" 99
for later in $(seq 20); do touch "m-$(date -d "+$later seconds" +%Y%m%d-%H%M%S).pb.gz"; done
ls m-*.pb.gz >taken
"$pprofil" -q --every 1s -o 'm-%t.pb.gz' sleep 2.5
# -o replaces a file, and the first period has the name that -o says
between "names that are taken are not used by later periods" 0 "$(xargs -n 1 stat -c %s <taken | grep -vc '^0$')" 1

# --- signals
"$targets/sleepers" 3 1 60 >/dev/null &
busy=$!
"$pprofil" -q --every 1s -o 's-%t.pb.gz' -p $busy 2>err &
run=$!
has_files() { [ "$(ls "$1"-*.pb.gz 2>/dev/null | wc -l)" -ge "$2" ]; }
await has_files s 2
# the file of a saver that is killed is saved without names
await sh -c "pkill -KILL -P $run -x pprofil"
kill -TERM $run
wait $run
expect "SIGTERM ends the run" 0 $?
expect "all files are whole" 0 "$(status_of "$pprofil" report s-*.pb.gz)"
expect_free "SIGTERM: the target" $busy
"$pprofil" -q --every 1s -o 't-%t.pb.gz' -p $busy 2>err &
run=$!
await has_files t 2
kill -KILL $run
wait $run 2>/dev/null
expect_free "SIGKILL: the target" $busy
kill -KILL $busy
expect "SIGKILL: the files are whole" 0 "$(status_of "$pprofil" report t-*.pb.gz)"

# --- what is wrong
wrong() {
	name=$1
	shift
	expect "$name" 125 "$(status_of "$pprofil" "$@" sh -c 'touch ran')"
	one_line "$name"
	expect "$name: the program did not run" "" "$(ls ran 2>/dev/null)"
}
wrong "no -o" --every 1s
wrong "no %t" --every 1s -o x.pb.gz
wrong "too short" --every 10ms -o x-%t.pb.gz
wrong "--keep with folders" --keep 3 --every 1s -o '%t/x.pb.gz'
wrong "--keep alone" --keep 3 -o x-%t.pb.gz
wrong "a dialect" --dialect bsd --every 1s -o x-%t
finish
