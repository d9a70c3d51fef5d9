#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# -o FILE of all subcommands: the file is the old one or the whole new one, also when the command fails or the disk is
# full. Pipes, links and descriptors are written to, and not replaced.
# shellcheck disable=SC2086 # $command and $unprivileged are words
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

# untouched NAME COMMAND...: it fails, and the file has its old contents
untouched() {
	name=$1
	shift
	echo precious >"$work/kept"
	expect "$name: fails" 125 "$(status_of "$@" -o "$work/kept")"
	expect "$name: the file is as it was" precious "$(cat "$work/kept")"
	one_line "$name"
	expect "$name: nothing is left beside it" "" "$(ls -A "$work" | grep '^\.pprofil')"
}

cat >"$work/p.folded" <<'END'
main;work;scale 40
main;work 20
main;idle 3
END
echo 'no profile' >"$work/broken"
profile=$work/p.folded

for command in report "report --style prof" "diff $profile" "convert -f folded" "merge -f folded"; do
	untouched "$command: no profile" "$pprofil" $command "$work/broken"
	untouched "$command: no file" "$pprofil" $command "$work/none"
done
untouched "report: no such function" "$pprofil" report --callers nobody "$profile"
untouched "report: no such part" "$pprofil" report --focus nobody "$profile"

# --- a full disk: a limit on the size of files does the same
i=0
while [ $i -lt 3000 ]; do
	echo "main;a_function_of_a_long_name_$i $i"
	i=$((i + 1))
done >"$work/large.folded"
limited() { (ulimit -f 8 && "$pprofil" "$@"); }
for command in "report -n 0" "diff -n 0 $profile" "convert -f folded" "merge -f folded"; do
	untouched "$command: no room" limited $command "$work/large.folded"
done

# --- files that are not regular
"$pprofil" report "$profile" >"$work/plain"
for command in report "diff $profile" "convert -f folded" "merge -f folded"; do
	rm -f "$work"/link "$work"/target "$work"/pipe "$work"/got
	"$pprofil" $command -o "$work/target" "$profile"
	cp "$work/target" "$work/want"
	mkfifo "$work/pipe"
	cat "$work/pipe" >"$work/got" &
	expect "$command: a pipe" 0 "$(status_of "$pprofil" $command -o "$work/pipe" "$profile")"
	wait
	expect "$command: a pipe has it all" "" "$(cmp "$work/want" "$work/got" 2>&1)"
	expect "$command: and is one still" yes "$([ -p "$work/pipe" ] && echo yes)"
	echo old >"$work/target"
	chmod 640 "$work/target"
	ln -s target "$work/link"
	"$pprofil" $command -o "$work/link" "$profile"
	expect "$command: what a link points to" "" "$(cmp "$work/want" "$work/target" 2>&1)"
	expect "$command: the link stays" target "$(readlink "$work/link")"
	expect "$command: permissions stay" 640 "$(stat -c %a "$work/target")"
	rm "$work/target"
	"$pprofil" $command -o "$work/link" "$profile"
	expect "$command: what a link points to is made" "target 0" \
		"$(readlink "$work/link") $(cmp "$work/want" "$work/target" >/dev/null 2>&1; echo $?)"
	for name in /dev/stdout - /dev/fd/1; do
		echo before >"$work/got"
		"$pprofil" $command -o $name "$profile" >>"$work/got"
		expect "$command: $name" "" "$({ echo before && cat "$work/want"; } | cmp - "$work/got" 2>&1)"
	done
	expect "$command: a directory" 125 "$(status_of "$pprofil" $command -o "$work" "$profile")"
	one_line "$command: a directory"
	expect "$command: no such directory" 125 "$(status_of "$pprofil" $command -o "$work/no/file" "$profile")"
	one_line "$command: no such directory"
done

expect "standard output is closed" 125 "$("$pprofil" convert -f json -o - "$profile" 2>"$work/err" >&-; echo $?)"
expect_text "standard output is closed: why" 'Bad file descriptor' "$work/err"

# --- a directory in which no file can be made: a file that exists is overwritten in place
if [ "$(id -u)" = 0 ]; then chmod 755 "$work"; else unprivileged=; fi
mkdir "$work/closed"
# into_closed COMMAND...
into_closed() {
	chmod 755 "$work/closed"
	seq 2000 >"$work/closed/file" # longer than what is written to it
	chmod 666 "$work/closed/file"
	chmod 555 "$work/closed"
	"$pprofil" "$@" -o "$work/want" "$profile"
	expect "$*: a closed directory" 0 \
		"$(status_of $unprivileged "$pprofil" "$@" -o "$work/closed/file" "$profile")"
	expect "$*: its file has it all" "" "$(cmp "$work/want" "$work/closed/file" 2>&1)"
	expect "$*: a new file there" 125 \
		"$(status_of $unprivileged "$pprofil" "$@" -o "$work/closed/new" "$profile")"
	one_line "$*: a new file there"
	chmod 755 "$work/closed"
}
if $unprivileged test -x "$pprofil" 2>/dev/null; then
	into_closed report -n 1
	into_closed diff "$profile"
	into_closed convert -f folded
	into_closed merge -f folded
fi

# --- another user's file in another user's sticky directory cannot be replaced: like /tmp after sudo
if [ "$(id -u)" = 0 ] && $unprivileged test -x "$pprofil" 2>/dev/null; then
	mkdir "$work/sticky"
	chmod 1777 "$work/sticky"
	echo old >"$work/sticky/open"
	echo old >"$work/sticky/shut"
	chmod 666 "$work/sticky/open"
	"$pprofil" merge -f folded -o "$work/want" "$profile"
	expect "a sticky directory: a file that all may write" 0 \
		"$(status_of $unprivileged "$pprofil" merge -f folded -o "$work/sticky/open" "$profile")"
	expect "a sticky directory: it has it all" "" "$(cmp "$work/want" "$work/sticky/open" 2>&1)"
	expect "a sticky directory: another's file" 125 \
		"$(status_of $unprivileged "$pprofil" -o "$work/sticky/shut" touch "$work/sticky/ran")"
	one_line "a sticky directory: another's file"
	expect "a sticky directory: the program has not run" "" "$(ls "$work/sticky/ran" 2>/dev/null)"
fi

"$pprofil" report -o "$work/got" "$profile"
expect "a report is what is printed" "" "$(cmp "$work/plain" "$work/got" 2>&1)"
finish
