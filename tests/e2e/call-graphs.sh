#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Call graphs. Recorded with -g, the stacks of running and of sleeping threads have the true callers, in code without
# frame pointers, too. Reports have flat totals, trees, callers, callees and parts of a profile, as text, JSON and CSV;
# their sums are those of pprof, where there is one.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
PPROFIL_SUPERVISE=$build/pprofil-supervise
export PPROFIL_SUPERVISE

# --- recorded
# record NAME OPTIONS... -- PROGRAM...: the folded stacks are in $work/NAME, samples first
record() {
	name=$1
	shift
	"$pprofil" --overhead 100 -g -o "$work/$name.pb.gz" "$@" >"$work/$name.own" 2>"$work/$name.err"
	expect "$name: status" 0 $?
	"$pprofil" convert -f folded --roots none -o - "$work/$name.pb.gz" |
		sed 's/^\(.*\) \([0-9]*\)$/\2 \1/' >"$work/$name"
}
# share NAME PATTERN [OF]: what share of the samples (of those that match OF) have a stack that matches, 0 to 1
share() {
	awk -v pattern="$2" -v of="${3:-.}" '
		$0 ~ of { all += $1; if ($0 ~ pattern) some += $1 }
		END { print (all > 0 ? some / all : "none") }' "$work/$1"
}
samples_in() { awk '{ all += $1 } END { print all + 0 }' "$work/$1"; }
# repeat FUNCTION COUNT: "F;F;F"
repeat() { awk -v f="$1" -v n="$2" 'BEGIN { for (i = 0; i < n; i++) printf "%s%s", i ? ";" : "", f }'; }

chain=$(repeat descend 31)
record busy -- "$targets/call-chain" busy 30 3
between "busy: samples" 100 "$(samples_in busy)" 100000
# a little of the time passes before main, and after it
between "busy: from the beginning, every call" 0.98 "$(share busy "_start;.*;main;$chain;halves" halves)" 1
# some samples are in neither half where a read of the clock takes long
share_is "busy: the halves" "$(awk '{ ns[$1] = $2 } END { print ns["left"] / (ns["left"] + ns["right"]) }' "$work/busy.own")" \
	"$(share busy ';left(;|$)' ';(left|right)(;|$)')" "$(samples_in busy)"
between "busy: no stack is cut" 0 "$(share busy '\[truncated|\[no unwind|\[broken')" 0.01

record thread -- "$targets/call-chain" thread 30 1
between "a thread: from clone on" 0.97 "$(share thread "^[0-9]+ (clone3?|thread_start);start_thread;in_thread;$chain;halves" 'halves')" 1

record asleep -w -- "$targets/call-chain" asleep 30 1
between "asleep: without a stop, every call" 0.95 "$(share asleep "_start;.*;main;$chain;sleep_there" sleep_there)" 1
between "asleep: it is" 5 "$(awk '/sleep_there/ { all += $1 } END { print all + 0 }' "$work/asleep")" 100000

# raise calls functions of glibc
raised='handle;raise(;[^;]*)*;[^;]*(restore_rt|rt_sigreturn)'
record handler -- "$targets/call-chain" handler 10 0.7
between "a handler on a stack of its own, and what it interrupted" 0.95 \
	"$(share handler "_start;.*;main;$raised;handler;$(repeat descend 11);halves" halves)" 1
record handlers -- "$targets/call-chain" handlers 10 0.7
between "a handler in a handler" 0.95 \
	"$(share handlers "_start;.*;main;$raised;outer_handler;raise.*;handler;$(repeat descend 11);halves" halves)" 1
record small --stack-size 1024 -- "$targets/call-chain" handler 30 0.7
between "a handler in less room than its stack" 0.95 \
	"$(share small "^[0-9]+ \[truncated\];descend" halves)" 1

# 400 calls of more than 200 bytes are 80 KiB
record deep --stack-size 16k -- "$targets/call-chain" busy 400 0.7
between "deep: cut at 16 KiB, and said to be" 0.97 "$(share deep "^[0-9]+ \[truncated\];$(repeat descend 30)" halves)" 1
record whole -- "$targets/call-chain" busy 400 0.7
between "deep: whole" 0.97 "$(share whole "main;$(repeat descend 401);halves" halves)" 1
# 4500 calls are 4503 frames and 900 KiB; 2048 and 1024 frames are shown
record deepest -F 100 -- "$targets/call-chain" busy 4500 1
between "recursion: the frames in the middle are left out" 0.95 \
	"$(share deepest "main;$(repeat descend 1000);(descend;)*\[frames left out\];$(repeat descend 2000);(descend;)*halves" halves)" 1

# programs without libc: one whose _start has a frame description, and one whose functions have none
if [ "$(uname -m)" = x86_64 ]; then
	cat >"$work/freestanding.c" <<-'END'
		static volatile int x;
		__attribute__((noinline)) void leaf(int n) { for (int i = 0; i < n; i++) x += i; }
		__attribute__((noinline)) void mid(int n) { leaf(n); x++; }
		void _start(void) { for (int i = 0; i < 300000; i++) mid(1000); __asm__ volatile("syscall" : : "a"(60), "D"(0)); }
	END
	cat >"$work/assembler.s" <<-'END'
		.globl _start
		_start: mov $20000, %ebx
		.Lagain: call outer
		dec %ebx
		jnz .Lagain
		mov $60, %eax
		xor %edi, %edi
		syscall
		outer: sub $24, %rsp
		call work
		add $24, %rsp
		ret
		work: mov $20000, %ecx
		.Lloop: dec %ecx
		jnz .Lloop
		ret
	END
	for program in freestanding.c assembler.s; do
		gcc -O1 -g -nostdlib -static -o "$work/${program%.*}" "$work/$program"
		record "${program%.*}" -- "$work/${program%.*}"
	done
	between "a _start with a frame description is the outermost frame" 0.97 \
		"$(share freestanding '^[0-9]+ _start;mid;leaf' leaf)" 1
	between "functions behind the entry point are not taken for it" 0.97 \
		"$(share assembler '^[0-9]+ _start;outer;work' work)" 1
	gcc -s -nostdlib -static -o "$work/stripped.program" "$work/assembler.s"
	record stripped -- "$work/stripped.program"
	between "without symbols, too" 0.97 "$(share stripped '^[0-9]+ [^;]*;[^;]*;[^;]*$')" 1
fi

# libc without frame descriptions: musl, and busybox on any libc. The rules come from the code. Where none is found the
# stack has a mark, and that is so in few: in none of some thousand samples of each of these.
complete() {
	between "$1: stacks are complete" 0.98 "$(share "$2" '^[0-9]+ ([^\[]|\[(busybox|stripped.program)\];)')" 1
}
if [ "$(uname -m)" = x86_64 ] && command -v musl-gcc >/dev/null; then
	calls=$source/tests/unwind/library-calls.c
	musl-gcc -O2 -static -o "$work/static.program" "$calls" && musl-gcc -O2 -o "$work/dynamic.program" "$calls" &&
		musl-gcc -O2 -static -s -o "$work/stripped.program" "$calls"
	for program in static dynamic stripped; do
		record $program -- "$work/$program.program" 0.5
		complete "musl, $program" $program
	done
	between "musl: from the beginning of the program and of its thread" 0.97 \
		"$(share static '^[0-9]+ (_start;libc_start_main_stage2;main|__clone;start);work;allocate' allocate)" 1
else
	echo "SKIP musl: no musl-gcc of x86-64"
fi
if [ "$(uname -m)" = x86_64 ] && command -v busybox >/dev/null; then
	yes 'the quick brown fox jumps' | head -n 100000 | awk '{ print NR * 7919 % 100003, $0 }' >"$work/data"
	for command in sha256sum sort gzip\ -c "awk {n[\$1%100]+=\$1}END{print(n[7])}"; do
		record "busybox" -- busybox $command "$work/data"
		complete "busybox ${command%% *}" busybox
	done
else
	echo "SKIP busybox: none for x86-64"
fi

# where one exec or fork follows the other
record execs -- "$targets/event-storm" exec 60 3000
between "execs: from the beginning" 0.9 "$(share execs '^[0-9]+ _start')" 1
record forks -- "$targets/event-storm" fork 60 3000
between "forks: from the beginning" 0.9 "$(share forks '^[0-9]+ _start')" 1
record listed --parse-maps -- "$targets/event-storm" fork 60 3000
between "forks, mappings from lists: from the beginning" 0.9 "$(share listed '^[0-9]+ _start')" 1
record lists --parse-maps -- "$targets/call-chain" busy 30 0.7
between "mappings from lists" 0.97 "$(share lists "main;$chain;halves" halves)" 1

# a recording replayed gives the same stacks
"$pprofil" -q -g --overhead 100 --events "$work/e.events" -o "$work/e.pb.gz" "$targets/call-chain" busy 5 0.5
"$pprofil" convert -f folded -o "$work/e1" "$work/e.pb.gz"
"$pprofil" convert -f folded -o "$work/e2" "$work/e.events"
# the vDSO is in no file, so it has no names when it is replayed
expect "replayed" "$(grep -Ev 'vdso|__kernel' "$work/e1" | sort)" "$(grep -Ev 'vdso|__kernel' "$work/e2" | sort)"

for bad in 1023 1048577 1025k 2M 16q x; do
	"$pprofil" --stack-size "$bad" true 2>"$work/err"
	expect "stack size $bad: status" 125 $?
	expect "stack size $bad: one line" 1 "$(wc -l <"$work/err")"
done

# --- reported
rows() { "$pprofil" report "$@" "$work/p.pb.gz" | tr -d '\r' | grep -v '^#' | grep -v '^$'; }
# expect_rows NAME EXPECTED ARGUMENTS...: the rows of a text report, as "total,self name object", joined by ";"
expect_rows() {
	name=$1 expected=$2
	shift 2
	expect "$name" "$expected" "$(rows "$@" | sed 1d |
		awk '{ printf "%s%s,%s", sep, $1, $3; for (i = 4; i <= NF; i++) printf " %s", $i; sep = ";" }')"
}

"$build/tests/make-stacks" "$work/p.pb.gz" <<'END'
7 make 7 make main 5
7 make 7 make main;parse 20
7 make 7 make main;parse;liblex 30
7 make 8 job main;parse;parse 4
7 make 8 job main;parse;parse;liblex 6
9 cc 9 cc main;eval 25
9 cc 9 cc main;eval|fast;liblex 5
9 cc 9 cc [truncated];eval 5
END

# --- flat
expect "flat" "liblex 0.41 0.41,eval 0.30 0.35,parse 0.24 0.60,main 0.05 0.95,\
[truncated] 0.00 0.05,fast 0.00 0.05" "$(rows -f csv | awk -F, 'NR > 1 { printf "%s%s %.2f %.2f", sep, $5, $1, $11
		sep = "," }')"
expect "sorted by total" "main parse liblex eval" \
	"$(rows -f csv --sort total -n 4 | awk -F, 'NR > 1 { print $5 }' | paste -s -d' ')"
expect "inlined functions for their callers" "0.300000,0.350000" "$(rows -f csv --no-inlines |
	awk -F, '$5 == "eval" { print $1 "," $11 }')"
"$pprofil" report "$work/p.pb.gz" >"$work/out"
expect_text "totals are columns" '^ self%  (\+-95%| ±95%)     CPU s  total%  (\+-95%| ±95%)  function' "$work/out"
expect_text "a row" '^ 24.00   8.27     0.000   60.00   9.43  parse +prog' "$work/out"
expect_text "how many stacks are whole" '^# stacks: 95.0 % complete; \[truncated\] 5.0 %$' "$work/out"
expect "--flat is the same" "$(cat "$work/out")" "$("$pprofil" report --flat "$work/p.pb.gz")"

# --- trees
expect_rows "top-down" "95.00,5.00 main prog;60.00,20.00 |- parse prog;\
30.00,30.00 | |- liblex libx.so;10.00,4.00 | \`- parse prog;6.00,6.00 | liblex libx.so;\
30.00,25.00 \`- eval prog;5.00,0.00 fast (inlined) prog;5.00,5.00 liblex libx.so;\
5.00,0.00 [truncated];5.00,5.00 eval prog" --tree
expect "lines where there is UTF-8" 4 \
	"$(LC_ALL=C.UTF-8 "$pprofil" report --tree "$work/p.pb.gz" | grep -c '├─\|└─')"
expect_rows "what is small is cut off" "95.00,5.00 main prog;60.00,20.00 |- parse prog;\
30.00,30.00 | liblex libx.so;30.00,25.00 \`- eval prog" --tree --min 20
"$pprofil" report --tree --min 20 "$work/p.pb.gz" >"$work/out"
expect_text "and said" '^# 20.00 % of the time is in what is not shown; --min 0 ' "$work/out"
expect_rows "levels" "95.00,5.00 main prog;60.00,20.00 |- parse prog;30.00,25.00 \`- eval prog;\
5.00,0.00 [truncated];5.00,5.00 eval prog" --tree --depth 2
expect_rows "rows" "95.00,5.00 main prog;60.00,20.00 parse prog" --tree -n 2
expect_rows "a recursion in one row" "60.00,24.00 parse prog;36.00,36.00 liblex libx.so" \
	--callees parse --fold
expect_rows "callers" "41.00,41.00 liblex libx.so;36.00,36.00 |- parse prog;\
36.00,36.00 | main prog;5.00,5.00 \`- fast (inlined) prog;5.00,5.00 eval prog;5.00,5.00 main prog" \
	--callers liblex --fold
"$pprofil" report --callers parse "$work/p.pb.gz" >"$work/out"
expect_text "how often it is there" \
	"^# who called 'parse', which is on the stack 60.00 % of the time \(10.00 % more than once" \
	"$work/out"
expect "from the bottom up" "liblex 0 0.41,parse 1 0.36,main 2 0.30,eval 0 0.30,[2] 1 0.30" \
	"$(rows --inverted -n 4 --no-inlines -f csv |
		awk -F, 'NR > 1 { printf "%s%s %s %.2f", sep, $16 ? "[" $16 "]" : $5, $13, $9
			sep = "," }')"
expect_rows "objects" "100.00,56.84 /bin/prog;43.16,43.16 /lib/libx.so" --tree --by object --ignore truncated
expect "lines" 9 "$(rows --tree --by line -f csv --ignore truncated | sed 1d | wc -l | tr -d ' ')"

# --- JSON is whole, and says the same
"$pprofil" report --tree -f json "$work/p.pb.gz" >"$work/json"
expect "JSON: totals of the tree" 1000 "$(number "$work/json" root_ns)"
expect "JSON: rows" 10 "$(grep -c '"depth"' "$work/json")"
expect_text "JSON: incomplete" '"why": "\[truncated\]"' "$work/json"
if command -v python3 >/dev/null; then
	expect "JSON: parents" "main parse liblex 2" "$(python3 -c '
import json, sys
rows = json.load(open(sys.argv[1]))["rows"]
lex = next(r for r in rows if r["name"] == "liblex")
parse = rows[lex["parent"]]
print(rows[parse["parent"]]["name"], parse["name"], lex["name"], lex["depth"])' "$work/json")"
fi

# --- parts of a profile
samples() { "$pprofil" report -f json "$@" "$work/p.pb.gz" | sed -n 's/^ *"samples": \([0-9]*\),$/\1/p' | head -n 1; }
expect "--pid" 35 "$(samples --pid 9)"
expect "-p, several" 100 "$(samples -p 7,9)"
expect "--comm" 65 "$(samples --comm make)"
expect "--thread" 10 "$(samples --thread job)"
expect "--thread by number" 10 "$(samples --thread 8)"
expect "--object" 41 "$(samples --object libx.so)"
expect "--function" 24 "$(samples --function parse)"
expect "--focus" 60 "$(samples --focus parse)"
expect "--focus, a pattern" 95 "$(samples --focus '^(par|ev)')"
expect "--ignore" 40 "$(samples --ignore parse)"
expect "several" 30 "$(samples --focus parse --function liblex --comm make --ignore job --thread make)"
"$pprofil" report --focus parse --comm make "$work/p.pb.gz" >"$work/out"
expect_text "a part says so" '^# pprofil: ./prog \(only --comm make --focus parse: 60.0 %\)$' "$work/out"
expect_text "and how much it is" '^# a part: 60.00 % of the time, 60 of 100 samples$' "$work/out"
expect_text "shares are of the part" '^ 60.00 .* 60.00 .* liblex ' "$work/out"
"$pprofil" report --focus eval --comm make "$work/p.pb.gz" >"$work/out"
expect_text "nothing is left" '^# nothing is left' "$work/out"
"$pprofil" convert --focus eval -o "$work/part.pb.gz" "$work/p.pb.gz"
expect "a part is saved" "35 samples" "$("$pprofil" report "$work/part.pb.gz" | sed -n 's/^# \(.*samples\),.*/\1/p')"

# --- errors
expect "no such function" 125 "$(status_of "$pprofil" report --callers prase "$work/p.pb.gz")"
one_line "no such function"
expect_text "what there is" "no function is called 'prase'; there is 'parse'" "$work/err"
for wrong in "--callees a(" "--focus nobody" "--pid x" "--pid 5" "--tree --flat" "--tree --by thread" \
	"--min 5" "--tree --sort total" "--tree --min 101" "--style gprof --focus main" \
	"--callers main --callees main" "--sort calls"; do
	# shellcheck disable=SC2086
	expect "$wrong" 125 "$(status_of "$pprofil" report $wrong "$work/p.pb.gz")"; one_line "$wrong"
done
expect "--tree --inverted" 0 "$(status_of "$pprofil" report --tree --inverted "$work/p.pb.gz")"
expect "--inverted --tree" 0 "$(status_of "$pprofil" report --inverted --tree "$work/p.pb.gz")"

# --- no stacks
"$pprofil" -q -o "$work/flat.pb.gz" "$targets/known-shares" 0.2 >/dev/null
"$pprofil" report "$work/flat.pb.gz" >"$work/out"
expect "no totals" 0 "$(grep -c 'total%' "$work/out")"
"$pprofil" report --tree "$work/flat.pb.gz" >"$work/out"
expect_text "a tree of what has no stacks" '^# the profile has no stacks' "$work/out"

# --- another reader: the same functions with the same self and total
for pprof in "${PPROF:-}" /usr/lib/go-*/pkg/tool/*/pprof; do
	[ -x "$pprof" ] || continue
	"$pprof" -symbolize=none -top -cum -unit=ns -nodecount=1000 -nodefraction=0 "$work/p.pb.gz" \
		2>/dev/null | awk '$2 ~ /^[0-9.]+%$/ { sub("ns", "", $1); sub("ns", "", $4); print $6, $1 + 0, $4 + 0 }' |
		sort >"$work/theirs"
	rows -f csv -n 0 | awk -F, 'NR > 1 { print $5, $3, $13 }' | sort >"$work/ours"
	expect "as pprof counts" "$(cat "$work/theirs")" "$(cat "$work/ours")"
	break
done
finish
