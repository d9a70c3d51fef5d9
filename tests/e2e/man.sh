#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The man pages and --help name the same options, and the pages are well-formed.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

options_of_help() { { "$@" --help; [ $# -gt 1 ] || "$1" --help=dialects; } | grep -oE '(^|[ ,])(-[a-zA-Z]|--[a-z][a-z-]+)' | tr -d ' ,' | sort -u; }
# a page documents an option where it begins a list entry
options_of_page() {
	sed -n 's/\\-/-/g; /^\.It/p' "$1" | grep -oE 'Fl [-a-zA-Z][-a-z]*' | sed 's/Fl /-/' | sort -u
}

well_formed() { # NAME PAGE
	command -v mandoc >/dev/null || return
	expect "$1: mandoc" "" "$(mandoc -Tlint -Wwarning "$2" 2>&1 | grep -v 'STYLE')"
}

compare() { # NAME PAGE COMMAND...
	name=$1 page=$source/man/$2
	shift 2
	options_of_help "$@" | grep -vxE -e '-h|--usage|--help|--version|-V' >"$work/help"
	options_of_page "$page" | grep -vxE -e '-h|--usage|--help|--version|-V' >"$work/page"
	expect "$name: options only in --help" "" "$(comm -23 "$work/help" "$work/page" | tr '\n' ' ')"
	expect "$name: options only on the page" "" "$(comm -13 "$work/help" "$work/page" | tr '\n' ' ')"
	well_formed "$name" "$page"
	expect_text "$name: examples" '^\.Sh EXAMPLES' "$page"
	expect_text "$name: exit status" '^\.Sh EXIT STATUS' "$page"
}
compare pprofil pprofil.1 "$pprofil"
compare "pprofil report" pprofil-report.1 "$pprofil" report
compare "pprofil ctl" pprofil-ctl.1 "$pprofil" ctl
compare "pprofil kprof" pprofil-kprof.1 "$pprofil" kprof
compare "pprofil gperf" pprofil-gperf.1 "$pprofil" gperf
compare "pprofil convert" pprofil-convert.1 "$pprofil" convert
compare "pprofil annotate" pprofil-annotate.1 "$pprofil" annotate
compare "pprofil diff" pprofil-diff.1 "$pprofil" diff
compare "pprofil merge" pprofil-merge.1 "$pprofil" merge
compare "pprofil push" pprofil-push.1 "$pprofil" push
compare "pprofil top" pprofil-top.1 "$pprofil" top
compare "pprofil view" pprofil-view.1 "$pprofil" view
compare "pprofil web" pprofil-web.1 "$pprofil" web
compare "pprofil doctor" pprofil-doctor.1 "$pprofil" doctor
compare "pprofil stat" pprofil-stat.1 "$pprofil" stat
# each letter of the key table has an entry
"$pprofil" top --list-keys | cut -f 1 | grep -x '[^ ]' | sort -u >"$work/letters"
while read -r key; do
	case $key in '?') key='\\&\?' ;; [+/]) key="[$key]" ;; esac
	expect_text "top: key $key" "^\.It Ic (.* )?$key( |\$)" "$source/man/pprofil-top.1"
done <"$work/letters"
well_formed libpprofil "$source/man/libpprofil.3"
# the functions that the page names exist, and its example compiles and runs
cat "$source"/lib/pprofil/*.h >"$work/headers"
for function in $(sed -n 's/^\.Fn \(pprofil_[a-z_]*\).*/\1/p' "$source/man/libpprofil.3" | sort -u); do
	expect_text "libpprofil: $function" "$function\(" "$work/headers"
done
sanitizers=
nm -D "$build/.libs/libpprofil.so" | grep -q __asan_init && sanitizers=-fsanitize=address,undefined
sed -n '/^\.Bd -literal/,/^\.Ed/{/^\./!p;}' "$source/man/libpprofil.3" | sed 's/\\e/\\/g' \
	>"$work/example.c"
# shellcheck disable=SC2086 # flags
${CC:-cc} $sanitizers -std=gnu11 -Wall -Wextra -Werror -I"$source/lib" "$work/example.c" -o "$work/example" \
	-L"$build/.libs" -Wl,-rpath,"$build/.libs" -lpprofil >"$work/cc" 2>&1
expect "libpprofil: its example compiles" "" "$(cat "$work/cc")"
PPROFIL_SUPERVISE=$build/pprofil-supervise "$work/example" "$targets/known-shares" 0.5 >"$work/out" 2>&1
expect "libpprofil: its example runs" 0 $?
expect_text "libpprofil: and shows the functions" '^ *[0-9.]+ % spend_half \(known-shares\)' "$work/out"
PPROFIL_SUPERVISE=$build/pprofil-supervise "$work/example" /no/such >"$work/out" 2>&1
expect "libpprofil: it fails" 1 $?
expect "libpprofil: and says why" "/no/such: No such file or directory" "$(cat "$work/out")"
# a page for each old system, which apropos(1) finds by the names of its calls
for system in irix solaris bsd macos osf1 n64; do
	well_formed "$system" "$source/man/pprofil-$system.3"
done
for call in irix:profil irix:sprofil solaris:pcsample bsd:profil macos:profil osf1:profil osf1:getsysinfo \
	n64:osProfileInit n64:osProfileFlush; do
	expect_text "apropos ${call#*:}: ${call%:*}" "^\.Nm ${call#*:}( ,)?\$" "$source/man/pprofil-${call%:*}.3"
done
well_formed formats "$source/man/pprofil-formats.5"
for format in $(sed -n 's/.*\.name = "\(.*\)",$/\1/p' "$source"/lib/format/*.c "$source"/lib/format/*/*.c); do
	expect_text "formats: $format" "^\.Ss $format\$" "$source/man/pprofil-formats.5"
done
# the page says what each format keeps and loses, as -f list does
awk '/^[a-z]/ { name = $1 } sub(/^    (keeps|loses): /, "&") { print name, $0 }' \
	>"$work/list" <<EOF_LIST
$("$pprofil" convert -f list)
EOF_LIST
awk '
	function tell() { if (words != "") print name "     " key ": " substr(words, 2); words = "" }
	/^\.S[sh] / { tell(); name = $2 }
	/^\.It (keeps|loses)$/ { tell(); key = $2; telling = 1; next }
	/^\./ { tell(); telling = 0 }
	telling { words = words " " $0 }' "$source/man/pprofil-formats.5" >"$work/page"
between "formats: kept and lost" 20 "$(wc -l <"$work/list")" 1000
expect "formats: kept and lost, only in -f list" "" \
	"$(sort "$work/list" >"$work/a"; sort "$work/page" >"$work/b"; comm -23 "$work/a" "$work/b")"
expect "formats: kept and lost, only on the page" "" "$(comm -13 "$work/a" "$work/b")"
words() { tr ' ' '\n' | sort | paste -s -d' '; }
for format in $("$pprofil" convert -f list | sed -n 's/^\([a-z][^ ]*\) .*/\1/p'); do
	expect "formats: ends of $format" \
		"$("$pprofil" convert -f list | sed -n "s/^$format  *\(.*[^ ]\)  *\(read\|write\).*\$/\1/p" | sed 's/ *read, *$//; s/ *$//' | words)" \
		"$(sed -n -e "s/^\.It Cm $format Ta Pa \([^T]*\) Ta .*/\1/p" -e "/^\.It Cm $format\$/,/^\.Pa/s/^\.Pa //p" \
			"$source/man/pprofil-formats.5" | words)"
done
for command in report convert ""; do
	# shellcheck disable=SC2086
	expect "formats: $command -f list" "$("$pprofil" convert -f list | cksum)" \
		"$("$pprofil" $command -f list | cksum)"
done
for dialect in $(sed -n 's/.*{\.name = "\(.*\)",$/\1/p' "$source/lib/dialect/dialect.c"); do
	expect_text "dialects: $dialect" "^\.Cm (.* )?$dialect( |\$)" "$source/man/pprofil-convert.1"
done
finish
