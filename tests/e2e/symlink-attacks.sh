#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Links, files and FIFOs that another user has laid in a directory where everybody may make files: nothing that pprofil
# writes goes through them, whatever fs.protected_symlinks, fs.protected_regular and fs.protected_fifos say. One's own
# links, and those of the directory's owner, are followed.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
[ "$(id -u)" = 0 ] || skip "to be two users takes root"
$unprivileged true 2>/dev/null || skip "no other user may be taken on"

chmod 755 "$work"
sticky=$work/sticky
mkdir -m 1777 "$sticky"
chmod 1777 "$sticky"
victim=$work/victim
echo 'main;work 40' >"$work/p.folded"

# set_trap KIND NAME: the other user lays it
set_trap() {
	echo precious >"$victim"
	rm -f "$sticky/$2"
	case $1 in
	link) $unprivileged ln -s "$victim" "$sticky/$2" ;;
	chain) ln -sf "$sticky/$2.next" "$work/chain-$2" && $unprivileged ln -sf "$victim" "$sticky/$2.next" ;;
	file) $unprivileged sh -c 'echo bait >"$1" && chmod 666 "$1"' sh "$sticky/$2" ;;
	fifo) $unprivileged mkfifo -m 666 "$sticky/$2" ;;
	esac
}
# refused NAME COMMAND...: it fails in one line, and the victim is as it was
refused() {
	name=$1
	shift
	timeout 20 "$@" >"$work/out" 2>"$work/err"
	status=$?
	expect "$name: refused" 125 $status
	expect "$name: the victim" precious "$(cat "$victim")"
	expect "$name: one line" 1 "$(wc -l <"$work/err" | tr -d ' ')"
	expect "$name: nothing is left there" "" "$(find "$sticky" -name '.pprofil*')"
}

for kind in link file fifo; do
	for writer in "report" "diff $work/p.folded" "convert -f folded" "merge -f folded"; do
		set_trap $kind out
		# shellcheck disable=SC2086
		refused "$writer: $kind" "$pprofil" $writer -o "$sticky/out" "$work/p.folded"
		expect_text "$writer: $kind: says why" "$sticky/out: cannot write: another user made" "$work/err"
		[ $kind != file ] || expect "$writer: the stranger's file" bait "$(cat "$sticky/out")"
	done
	set_trap $kind out.svg
	refused "picture: $kind" "$pprofil" convert -o "$sticky/out.svg" "$work/p.folded"
	set_trap $kind out.pb.gz
	refused "run: $kind" "$pprofil" -q -o "$sticky/out.pb.gz" true
	set_trap $kind events
	refused "--events: $kind" "$pprofil" -q --events "$sticky/events" true
	set_trap $kind prof
	refused "dialect: $kind" "$pprofil" -q --dialect glibc -o "$sticky/prof" "$targets/known-shares" 0.3
done
set_trap chain out
refused "one's own link to a stranger's" "$pprofil" report -o "$work/chain-out" "$work/p.folded"

# a checkpoint, where the link is laid when the run has begun
"$pprofil" -q --control "$work/control" -o "$sticky/late.pb.gz" "$targets/known-shares" 600 >/dev/null 2>"$work/run.err" & run=$!
has_sampled() { "$pprofil" ctl "$work/control" status 2>&1 | grep -q '^samples [1-9]'; }
await has_sampled
set_trap link late.pb.gz
refused "a checkpoint" "$pprofil" ctl "$work/control" flush
kill $run
wait $run 2>/dev/null
expect "the end of the run: the victim" precious "$(cat "$victim")"
expect_text "the end of the run: says why" "cannot write: another user made" "$work/run.err"

# a program that writes its own counters
cat >"$work/flush.c" <<-C
	void pprofil_n64_flush(void);
	int main(void)
	{
		pprofil_n64_flush();
		return 0;
	}
C
if ${CC:-cc} -o "$work/flush" "$work/flush.c" -L"$build/.libs" -lpprofil-n64 2>/dev/null; then
	set_trap link osprofile.out
	LD_LIBRARY_PATH=$build/.libs PPROFIL_N64_OUTPUT=$sticky/osprofile.out "$work/flush"
	expect "osProfileFlush: the victim" precious "$(cat "$victim")"
fi

# kprof's directory
mkdir "$work/private"
$unprivileged ln -s "$work/private" "$sticky/k"
"$targets/known-shares" 600 >/dev/null & target=$!
sleep 0.1
timeout -s INT 30 "$pprofil" kprof -p $target "$sticky/k" >"$work/out" 2>"$work/err"
expect "kprof: refused" 125 $?
expect "kprof: nothing was made there" "" "$(ls -A "$work/private")"
kill $target
wait $target 2>/dev/null

# --- what is still written
"$pprofil" report -o "$work/want" "$work/p.folded"
written() { # NAME PATH FILE: a report for PATH goes into FILE
	"$pprofil" report -o "$2" "$work/p.folded" 2>"$work/err"
	expect "$1: status" 0 $?
	expect "$1: is written" "" "$(cmp "$work/want" "$3" 2>&1)"
}
rm -f "$sticky/out"
echo old >"$work/target"
ln -s "$work/target" "$sticky/out"
written "one's own link" "$sticky/out" "$work/target"
expect "one's own link: stays" "$work/target" "$(readlink "$sticky/out")"
rm -f "$work/target"
written "one's own link to nothing" "$sticky/out" "$work/target"
rm -f "$sticky/out"
written "a new file" "$sticky/out" "$sticky/out"
written "one's own file" "$sticky/out" "$sticky/out"
mkdir "$work/home"
chown 65534 "$work/home"
$unprivileged ln -s "$work/target" "$work/home/link"
echo old >"$work/target"
written "another's link in another's directory" "$work/home/link" "$work/target"

# a link of root in root's directory, for another user
if $unprivileged test -x "$pprofil" 2>/dev/null; then
	rm -f "$sticky/out"
	ln -s "$work/home/mine" "$sticky/out"
	$unprivileged "$pprofil" report -o "$sticky/out" "$work/p.folded" 2>"$work/err"
	expect "a link of the directory's owner: status" 0 $?
	expect "a link of the directory's owner: is followed" "" "$(cmp "$work/want" "$work/home/mine" 2>&1)"
fi
finish
