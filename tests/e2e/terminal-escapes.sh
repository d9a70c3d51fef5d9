#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Names of tasks, paths and arguments may have characters that a terminal obeys. No message, report, frame or title of
# pprofil has them.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

# The characters that a terminal obeys: control characters but newline and tab, U+0080 to U+009F, marks of direction,
# and bytes that are no UTF-8.
cat >"$work/harmful.awk" <<'END'
function say(what) { printf "%s at byte %d\n", what, bytes; exit }
{
	for (i = 1; i <= NF; i++) {
		byte = $i + 0
		bytes++
		if (need > 0) {
			if (byte < 128 || byte > 191) say("cut UTF-8")
			code = code * 64 + byte % 64
			if (--need == 0 && (code < 160 || (code >= 8206 && code <= 8207) || (code >= 8234 && code <= 8238)))
				say("U+" code)
		} else if ((byte < 32 && byte != 9 && byte != 10) || byte == 127) say("control " byte)
		else if (byte >= 240) { need = 3; code = byte % 8 }
		else if (byte >= 224) { need = 2; code = byte % 16 }
		else if (byte >= 192) { need = 1; code = byte % 32 }
		else if (byte >= 128) say("C1 or no UTF-8: " byte)
	}
}
END
harm() { od -An -v -tu1 "$1" | awk -f "$work/harmful.awk"; }
# harmless NAME PATTERN FILE: it has the pattern, and no such character
harmless() {
	expect_text "$1: says so" "$2" "$3"
	expect "$1: is harmless" "" "$(harm "$3")"
}
# said NAME PATTERN COMMAND...: its output and messages are harmless
said() {
	name=$1 pattern=$2
	shift 2
	timeout 60 "$@" >"$work/said" 2>&1 </dev/null
	harmless "$name" "$pattern" "$work/said"
}
printf 'a\033[31m' >"$work/probe"
expect "the test knows an escape" "control 27 at byte 2" "$(harm "$work/probe")"
printf 'a\302\233' >"$work/probe"
expect "the test knows a C1" "U+155 at byte 3" "$(harm "$work/probe")"
printf 'a\303\244\342\200\224' >"$work/probe"
expect "the test knows letters" "" "$(harm "$work/probe")"

evil=$(printf 'x\033[31m\033]0;T\007\302\2331m\342\200\256\177\377\233y')

# --- tasks
"$targets/hostile-names" >"$work/ready" & target=$!
await grep -q '^ready' "$work/ready"
read -r _ _ zombie traced <"$work/ready"
trap 'kill -9 $traced $target 2>/dev/null; rm -rf "$work"' EXIT
said "-p of a zombie" 'is a zombie' "$pprofil" -p "$zombie"
said "-p of a traced task" 'already traced by' "$pprofil" -p "$traced"
said "top -p of a zombie" 'is a zombie' "$pprofil" top -b -n 1 -p "$zombie"
said "a report by process" 'a\?\[31mX' "$pprofil" -d 2 --by process -p $target
said "a report by thread" 'a\?\[31mX' "$pprofil" -d 2 -t -p $target
said "top" 'burn' "$pprofil" top -b -n 10 -d 0.3 -p $target
"$pprofil" -q -d 2 -o "$work/tasks.pb.gz" -p $target
said "a saved report by thread" 'a\?\[31mX' "$pprofil" report --by thread "$work/tasks.pb.gz"
kill -9 "$traced" $target
wait $target 2>/dev/null

# --- paths and arguments
said "a program that is not there" 'No such file' "$pprofil" "./$evil"
said "an option that is not there" 'there is no option' "$pprofil" "--$evil"
said "a word that is no process" 'no process' "$pprofil" -p "$evil"
said "a word that is no format" 'cannot write this format|no format|pprofil' "$pprofil" -f "$evil" -o "$work/out" true
said "a file that is not there" 'No such file' "$pprofil" report "$work/$evil"
said "a socket that is not there" 'no pprofil can be commanded' "$pprofil" ctl "$work/$evil" status
said "a socket that cannot be" 'cannot listen' "$pprofil" --control "$work/none/$evil" true
said "events that cannot be" 'cannot write' "$pprofil" --events "$work/none/$evil" true
said "kprof where nothing can be made" 'cannot make' "$pprofil" kprof -p $$ "$work/none/$evil"
said "an output that cannot be" 'No such file' "$pprofil" -o "$work/none/$evil" true
mkdir "$work/$evil"
cp "$targets/known-shares" "$work/$evil/$evil"
said "a program and its arguments" 'spend_half' "$pprofil" "$work/$evil/$evil" 0.5 "$evil"
said "a profile that is saved" 'profile saved' "$pprofil" -o "$work/$evil/$evil.pb.gz" "$work/$evil/$evil" 0.5 "$evil"
said "a dialect's file" 'ticks' "$pprofil" --dialect glibc -o "$work/$evil/$evil.out" "$work/$evil/$evil" 0.5
said "a report of it" 'spend_half' "$pprofil" report "$work/$evil/$evil.pb.gz"
said "a tree of it" 'spend_half' "$pprofil" report --tree "$work/$evil/$evil.pb.gz"
said "by object" 'x\?\[31m' "$pprofil" report --by object "$work/$evil/$evil.pb.gz"
# CSV and JSON in a file have the name's own bytes, but on a terminal they are harmless. A terminal ignores DEL.
if script -qec true /dev/null >/dev/null 2>&1; then
	for format in csv json; do
		script -qec "'$pprofil' report -f $format --by object '$work/$evil/$evil.pb.gz'" /dev/null \
			</dev/null 2>&1 | tr -d '\r\177' >"$work/said"
		harmless "by object, $format on a terminal" 'known-shares|[0-9]' "$work/said"
	done
fi
said "annotate" 'spend_half' "$pprofil" annotate "$work/$evil/$evil.pb.gz" spend_half
said "annotate what is not there" 'pprofil' "$pprofil" annotate "$work/$evil/$evil.pb.gz" "$evil"
said "diff" 'pprofil diff' "$pprofil" diff "$work/$evil/$evil.pb.gz" "$work/$evil/$evil.pb.gz"
for style in prof gprof kprof; do
	said "--style $style of no file" "." "$pprofil" report --style $style "$work/$evil/none"
	said "--style $style of no such file" "." "$pprofil" report --style $style --object "$work/$evil/$evil" "$work/probe"
done
said "top of a program" 'spend_half' "$pprofil" top -b -n 10 -d 0.4 "$work/$evil/$evil" 4 "$evil"
for picture in svg html; do
	"$pprofil" convert -o "$work/$evil/$evil.$picture" "$work/$evil/$evil.pb.gz"
	harmless "a $picture's title" 'spend_half' "$work/$evil/$evil.$picture"
done
gzip -dc "$work/$evil/$evil.pb.gz" |
	LC_ALL=C grep -ao "$(printf 'pprofil: command [ -~]*x\342\220\233\\[31m')" >"$work/comment"
harmless "a comment of pprof's" 'pprofil: command' "$work/comment"
finish
