#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Completions in real shells: each long option that --help shows is offered, and values, files, processes and the
# arguments of programs are.
# shellcheck disable=SC2086 # $command is a word or none
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

here=$source/tests/e2e
mkdir "$work/zsh"
"$pprofil" --completion bash >"$work/pprofil.bash"
"$pprofil" --completion zsh >"$work/zsh/_pprofil"
"$pprofil" --completion fish >"$work/pprofil.fish"
expect "another shell" 125 "$(status_of "$pprofil" --completion csh)"; one_line "another shell"
expect "a full disk" 125 "$("$pprofil" --completion bash >/dev/full 2>"$work/err"; echo $?)"

# completed WORD...: what the shell offers for the last word, sorted
completed() {
	case $shell in
	bash) bash --norc "$here/complete.bash" "$work/pprofil.bash" "$@" ;;
	zsh) timeout 60 zsh -f "$here/complete.zsh" "$work/zsh" "$*" ;;
	fish) HOME=$work XDG_CONFIG_HOME=$work fish --no-config "$here/complete.fish" "$work/pprofil.fish" "$*" ;;
	esac 2>"$work/err" </dev/null | sed 's/[/= ]*$//' | sort -u
}
# offers NAME WANTED WORD...: all that is offered is what is wanted; offers_among: it is among what is offered
offers() {
	name=$1 wanted=$2
	shift 2
	expect "$shell: $name" "$wanted" "$(completed "$@" | paste -s -d' ')"
}
offers_among() {
	name=$1 wanted=$2
	shift 2
	expect "$shell: $name" "$wanted" "$(completed "$@" | grep -Fx -- "$wanted")"
}

sed -n '/^Commands/,/^$/s/^  \([a-z]*\)  *[a-z].*/\1/p' >"$work/commands" <<EOF_HELP
$("$pprofil" --help)
EOF_HELP
cd "$work" || exit 1
touch profile.pb.gz
mkdir directory

for shell in bash zsh fish; do
	if ! command -v $shell >/dev/null; then
		echo "SKIP $shell: it is not installed"
		continue
	fi
	for command in "" $(cat "$work/commands"); do
		"$pprofil" $command --help </dev/null | grep -oE -- '(^ *|, )--[a-z][a-z-]+' | grep -oE -- '--[a-z-]+' | sort -u >"$work/options"
		between "$shell: options of pprofil $command" 3 "$(wc -l <"$work/options")" 99
		completed $command -- >"$work/offered"
		expect "$shell: each option of pprofil $command" "" "$(comm -23 "$work/options" "$work/offered" | paste -s -d' ')"
	done
	completed "" >"$work/offered"
	expect "$shell: each command" "" "$(sort "$work/commands" | comm -23 - "$work/offered" | paste -s -d' ')"
	offers_among "a program" env en
	offers "options of dialects" --dialect --diale
	offers "no option for debugging" "" --see
	offers "words" function report --by fu
	offers "words after other options" "state syscall" -F 99 --by s
	offers "all words" "csv json junit markdown text" diff -f ""
	offers "formats" "flame-html flame-svg" convert -f flame
	offers_among "formats and kinds of reports" text -f te
	offers_among "formats and kinds of reports" folded -f fo
	offers "dialects" "irix irix-sprofil" convert --dialect iri
	offers "shells" fish --completion f
	offers "commands of ctl" "start startclr status" ctl 1 sta
	offers "commands of help" "merge" help me
	offers "files" profile.pb.gz report pro
	offers "files of options" profile.pb.gz convert -o pro
	offers "several files" profile.pb.gz merge a b c pro
	offers "two files" profile.pb.gz diff a pro
	offers "directories" directory kprof -p 1 d
	offers_among "processes" $$ -p $$
	offers_among "processes of ctl" $$ ctl $$
	[ $shell = fish ] || offers_among "several processes" "$([ $shell = bash ] && echo 1,)$$" -p "1,$$"
	case $shell in
	fish) offers "a second word" function,object report --by function,ob ;;
	bash) offers "a second word" function,object report --by function,ob ;;
	zsh) offers "a second word" object report --by function,ob ;;
	esac
	offers "outputs of doctor" json doctor -f j
	offers "no value, but what the user knows" "" report --min ""
	offers "words of a program" alpha -F 99 -g completed-program al
	offers "options of a program" --beta completed-program --b
	offers "words of a program of top" alpha top -p 1 -- completed-program al
	case $shell in
	bash)
		offers "an argument behind =" function report --by = fu
		;;
	*) offers_among "an argument behind =" "$([ $shell = fish ] && echo --by=)function" report --by=fu ;;
	esac
done
finish
