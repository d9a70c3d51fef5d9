#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# How the supervisor is started: which file is taken, and which descriptors it keeps.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

# --- descriptors ---------------------------------------------------------------------------
# supervisor FILE: the tracer of the program whose number is in the file
supervisor() {
	for i in $(seq 100); do
		traced=$(cat "$1" 2>/dev/null)
		tracer=$(sed -n 's/^TracerPid:[^0-9]*\([1-9]\)/\1/p' "/proc/$traced/status" 2>/dev/null)
		[ -n "$tracer" ] && { echo "$tracer"; return; }
		sleep 0.1
	done
}
# as on a kernel without close_range(2), number 436, which answers ENOSYS, 38
for number in 20 1500; do
	rm -f "$work/pid"
	bash -c "ulimit -n hard; exec $number>&1 || exit 77; exec \"\$@\"" - "$targets/refuse-call" 436 38 "$pprofil" -q \
		sh -c "echo \$\$ >'$work/pid'; exec sleep 60" >"$work/out" &
	run=$!
	tracer=$(supervisor "$work/pid")
	if [ -z "$tracer" ]; then
		wait $run 2>/dev/null
		[ $? = 77 ] || fail "without close_range, descriptor $number" "no supervisor"
		echo "SKIP without close_range, descriptor $number: not possible here"
		continue
	fi
	expect "without close_range: descriptor $number is the program's" "$work/out" \
		"$(readlink "/proc/$(cat "$work/pid")/fd/$number")"
	expect "without close_range: descriptor $number is not the supervisor's" "" \
		"$(ls -l "/proc/$tracer/fd" | grep -F "$work/out")"
	kill "$(cat "$work/pid")"
	wait $run 2>/dev/null
done

# --- which supervisor ------------------------------------------------------------------------
direct=$build/.libs/pprofil
[ -x "$direct" ] || skip "no program that is not installed"
unset PPROFIL_SUPERVISE
# beside NAME MODE [DIRECTORY-MODE [LINK]]: a copy of pprofil, and beside it a supervisor that leaves a file when it
# runs
beside() {
	place=$work/$1
	mkdir -p "$place"
	cp "$direct" "$place/pprofil"
	file=$place/${4:+real-}pprofil-supervise
	printf '#!/bin/sh\n: >"%s/ran"\nexec "%s/pprofil-supervise" "$@"\n' "$place" "$build" >"$file"
	chmod "$2" "$file"
	[ -z "${4:-}" ] || ln -s "$file" "$place/pprofil-supervise"
	chmod "${3:-755}" "$place"
}
took() { # NAME: did pprofil run the supervisor beside it?
	"$work/$1/pprofil" -q true >"$work/out" 2>"$work/err"
	[ -e "$work/$1/ran" ] && echo yes || echo no
}
umask 022
chmod 755 "$work"
beside own 755
expect "beside the program: its owner's" yes "$(took own)"
expect "beside the program: nothing is said" "" "$(cat "$work/err")"
beside sticky 755 1777
expect "beside the program in a directory like /tmp: its owner's" yes "$(took sticky)"
beside writable 757
expect "beside the program: one that anybody may write" no "$(took writable)"
if [ -s "$work/err" ]; then # no other supervisor is installed
	expect_text "one that anybody may write: it is said" \
		"$work/writable/pprofil-supervise is not taken, for others may have put it there" "$work/err"
	expect "one that anybody may write: in a line" 1 "$(wc -l <"$work/err")"
fi
beside group 775
expect "beside the program: one that a group may write, but not the program" no "$(took group)"
beside team 775
chmod 775 "$work/team/pprofil"
expect "beside the program: one that a group may write, as the program" yes "$(took team)"
beside open 755 777
expect "beside the program in a directory that anybody may write" no "$(took open)"
beside link 755 755 link
expect "beside the program: a link" no "$(took link)"
# for a program in .libs the directory above is looked into, too, and for no other
beside libtool 755
mkdir "$work/libtool/.libs" "$work/libtool/bin"
mv "$work/libtool/pprofil" "$work/libtool/.libs/pprofil"
"$work/libtool/.libs/pprofil" -q true 2>"$work/err"
expect "above .libs" yes "$([ -e "$work/libtool/ran" ] && echo yes || echo no)"
rm -f "$work/libtool/ran"
mv "$work/libtool/.libs/pprofil" "$work/libtool/bin/pprofil"
"$work/libtool/bin/pprofil" -q true 2>"$work/err"
expect "above another directory" no "$([ -e "$work/libtool/ran" ] && echo yes || echo no)"
if [ "$(id -u)" = 0 ]; then
	beside stranger 755 1777
	chown 65534 "$work/stranger/pprofil-supervise"
	expect "beside the program in a directory like /tmp: another user's" no "$(took stranger)"
	beside theirs 755
	chown 65534 "$work/theirs" "$work/theirs/pprofil" "$work/theirs/pprofil-supervise"
	expect "root runs another user's program: its own" yes "$(took theirs)"
	beside given 755
	chown 65534 "$work/given"
	expect "in another user's directory" no "$(took given)"
fi
finish
