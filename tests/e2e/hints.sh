#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Words that pprofil does not know: it says in one line which one may have been meant. Short words and those of other
# tools are understood.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

# hint NAME STATUS PATTERN ARGUMENT...: pprofil says one line with the pattern
hint() {
	name=$1 wanted=$2 pattern=$3
	shift 3
	expect "$name" "$wanted" "$(status_of "$pprofil" "$@" </dev/null)"
	one_line "$name"
	expect_text "$name: says so" "$pattern" "$work/err"
}

PATH=$work:$PATH
hint "a misspelt command" 127 "repot: No such file or directory; did you mean 'pprofil report'\?$" repot x.pb.gz
hint "a word of perf" 127 "did you mean 'pprofil -o FILE PROGRAM'\?$" record
hint "a misspelt word of perf" 127 "did you mean 'pprofil -o FILE PROGRAM'\?$" recrod
hint "no command is like it" 127 'No such file or directory$' no-such-program
hint "a path is no command" 127 'No such file or directory$' ./repot
printf '#!/bin/sh\necho own\n' >"$work/repot"
chmod +x "$work/repot"
expect "a program of that name is run" own "$("$pprofil" -q repot)"
hint "help of a misspelt command" 125 "did you mean 'report'\?" help repot

hint "--by" 125 "not 'thraed'; did you mean 'thread'\?$" --by thraed true
hint "--by, two are meant" 125 'this may be syscall or state$' --by s true
hint "-f of a run" 125 "not 'jsn'; did you mean 'json'\?$" -f jsn true
hint "-f of a file" 125 "did you mean 'pprof'\?.*-f list" -f pproff -o "$work/x" true
hint "-f without a file" 125 'add -o FILE' -f folded true
hint "-f of report" 125 "did you mean 'text'\?$" report -f texte x
hint "-f of convert" 125 "did you mean 'speedscope'\?" convert -f spedscope -o "$work/x" x
hint "--input-format" 125 "did you mean 'perf-script'\?" report --input-format pref-script x
hint "--style" 125 "did you mean 'gprof'\?$" report --style gprf x
hint "--sort" 125 "did you mean 'total'\?$" report --sort totla x
hint "--dialect" 125 "did you mean 'irix'\?" --dialect irx true
hint "--dialect of convert" 125 "did you mean 'solaris'\?" convert --dialect solarsi -o "$work/x" x
hint "--roots" 125 "did you mean 'thread'\?$" convert --roots thred -o "$work/x" x
hint "a command of ctl" 125 "did you mean 'status'\?$" ctl 1 sattus

hint "an option" 125 "no option --callgraph; did you mean '--call-graph'\? See pprofil --help$" --callgraph true
hint "an option of a command" 125 "no option --fodl; did you mean '--fold'\? See pprofil report --help$" report --fodl x
hint "an option of top" 125 "did you mean '--batch'\?" top --batchh true
hint "an option of a dialect" 125 "did you mean '--dialect'\?" --dialekt irix true
hint "no option is like it" 125 'no option --whatever; see pprofil diff --help$' diff --whatever x y
hint "hidden options are not proposed" 125 'no option --seeed; see pprofil --help$' --seeed 1 true
hint "the beginning of two options" 125 '^pprofil: --fo may be --fold or --focus$' report --fo x
hint "a letter" 125 'no option -z; see pprofil report --help$' report -tz x
hint "no argument" 125 'by needs an argument; see pprofil --help$' --by
hint "an argument too many" 125 'flat takes no argument$' report --flat=1 x
hint "a file too many" 125 "one argument too many: 'c'; see pprofil annotate --help$" annotate a b c
expect "the beginning of one option" --foo "$("$pprofil" -q --lim 3 echo --foo)"

# a pattern that is no regular expression, of each option that takes one
printf 'main;work 40\nmain 20\n' >"$work/p.folded"
for option in comm thread object function focus ignore callers callees; do
	hint "--$option 'a('" 125 "--$option: 'a\\(' is no name that is there, nor a regular expression: " \
		report --$option 'a(' "$work/p.folded"
done
for command in "diff $work/p.folded" "convert -o $work/x.json" "merge -o $work/x.json"; do
	# shellcheck disable=SC2086 # words
	hint "$command --focus '['" 125 "--focus: '\[' is no name that is there, nor a regular expression: " \
		$command --focus '[' "$work/p.folded"
done
hint "annotate '['" 125 "neither a part of a function's name nor a regular expression: " annotate "$work/p.folded" '['

# each synonym and each beginning prints what the name itself prints
"$pprofil" -q -o "$work/p.pb.gz" "$targets/known-shares" 0.3 >/dev/null
while read -r name words; do
	"$pprofil" report --by "$name" "$work/p.pb.gz" >"$work/right"
	for word in $words; do
		expect "--by $word" "$(cksum <"$work/right")" "$("$pprofil" report --by "$word" "$work/p.pb.gz" | cksum)"
	done
done <<'EOF_NAMES'
function func fn sym symbol f
object obj dso lib library
line srcline li
thread tid thr
process pid proc
program comm command prog
wait wa
syscall sys
state st
EOF_NAMES
for words in "csv cs" "folded fold" "folded collapsed" "speedscope speed" "pprof proto"; do
	name=${words% *} word=${words#* }
	"$pprofil" convert -f "$name" -o "$work/right" "$work/p.pb.gz"
	"$pprofil" convert -f "$word" -o "$work/got" "$work/p.pb.gz"
	expect "-f $word" "$(cksum <"$work/right")" "$(cksum <"$work/got")"
done
finish
