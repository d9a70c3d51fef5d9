#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Options from the user's file and from PPROFIL_OPTIONS: they come before those of the command line, a wrong one is
# reported with its place, and a file that others may write is not used.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

unset PPROFIL_NO_CONFIG PPROFIL_OPTIONS
export XDG_CONFIG_HOME="$work/config" HOME="$work/home"
mkdir -p "$work/config/pprofil" "$work/home/.config/pprofil"
file=$work/config/pprofil/options
cat >"$work/p.folded" <<'END'
main;work;scale 40
main;work 20
END
rate() { "$pprofil" "$@" -f json true 2>&1 >/dev/null | sed -n 's/^ *"asked_hz": \([0-9]*\).*/\1/p'; }
# kind COMMAND...: what the command prints: text, json or csv
kind() { "$@" 2>&1 | awk '/^\{/ { kind = "json" } /^share,/ { kind = "csv" } /^# pprofil/ { kind = "text" } END { print kind }'; }

cat >"$file" <<'END'
# rates and formats
run -F 50      # fifty
report -f json
report --tree --min '10'

top -d "500ms"
END
expect "the file: a run" 50 "$(rate)"
expect "the command line wins" 70 "$(rate -F 70)"
expect "PPROFIL_OPTIONS wins over the file" 60 "$(PPROFIL_OPTIONS='-F 60' rate)"
expect "the command line wins over PPROFIL_OPTIONS" 70 "$(PPROFIL_OPTIONS='-F 60' rate -F 70)"
expect "PPROFIL_NO_CONFIG" 1000 "$(PPROFIL_NO_CONFIG=1 PPROFIL_OPTIONS='-F 60' rate)"
expect "PPROFIL_NO_CONFIG, empty" 60 "$(PPROFIL_NO_CONFIG='' PPROFIL_OPTIONS='-F 60' rate)"
expect "the file: another command" json "$(kind "$pprofil" report "$work/p.folded")"
expect "the file: another command, and the command line" text "$(kind "$pprofil" report -f text "$work/p.folded")"
"$pprofil" report "$work/p.folded" >"$work/out"
expect_text "the file: all lines of a command" '"kind": "calls"' "$work/out"
"$pprofil" report --flat "$work/p.folded" >"$work/out"
expect "the command line may choose another shape" 0 "$(grep -c '"kind"' "$work/out")"
expect "one line of the file is not for all commands" 0 "$(status_of "$pprofil" convert -f folded -o - "$work/p.folded")"
PPROFIL_OPTIONS="-o '$work/a b-%n.json' -q" "$pprofil" true
expect "words in quotes" 0 "$(status_of "$pprofil" report "$work/a b-1.json")"

printf 'run -F 40\n' >"$work/home/.config/pprofil/options"
expect "~/.config" 40 "$(unset XDG_CONFIG_HOME; rate)"
expect "a relative XDG_CONFIG_HOME is not used" 40 "$(cd "$work"; XDG_CONFIG_HOME=config; rate)"
expect "no file" 1000 "$(XDG_CONFIG_HOME=$work/none; rate)"
expect "no home" 1000 "$(unset XDG_CONFIG_HOME HOME; rate)"

# wrong NAME PATTERN LINE COMMAND...: the second line of the file is wrong
wrong() {
	name=$1 pattern=$2
	printf '# comment\n%s\n' "$3" >"$file"
	shift 3
	expect "$name" 125 "$(status_of "$@")"
	one_line "$name"
	expect_text "$name: where and why" "^pprofil: $work/config/pprofil/options:2: $pattern" "$work/err"
}
wrong "a wrong value" '-F takes a number from' 'run -F soon' "$pprofil" true
wrong "a wrong word" "--by takes .*, not 'lien'; did you mean 'line'" 'report --by lien' "$pprofil" report "$work/p.folded"
wrong "no such option" "there is no option --frequenzy; did you mean '--frequency'" 'run --frequenzy 9' "$pprofil" true
wrong "an option without its argument" '-F needs an argument' 'run -F' "$pprofil" true
wrong "a program" "only options can be here, not 'rm'" 'run -g rm -rf' "$pprofil" true
wrong "a program behind --" "only options can be here, not '--'" 'run -- rm' "$pprofil" true
wrong "no such command" "a line begins with run or a command, not 'reprot'; did you mean 'report'" 'reprot -f csv' "$pprofil" true
wrong "an open quote" 'a quote is not closed' "report -f 'csv" "$pprofil" true
wrong "help is not for files" 'there is no option --help' 'run --help' "$pprofil" true
for help in -h --version "report --help" help "help report"; do
	# shellcheck disable=SC2086 # words
	expect "wrong options, and pprofil $help" "0 0" "$(status_of "$pprofil" $help) $(wc -l <"$work/err")"
done
rm "$file"
expect "PPROFIL_OPTIONS is wrong" 125 "$(PPROFIL_OPTIONS='-F soon' status_of "$pprofil" true)"
one_line "PPROFIL_OPTIONS is wrong"
expect_text "PPROFIL_OPTIONS is wrong: says so" '^pprofil: PPROFIL_OPTIONS: -F takes' "$work/err"
expect "PPROFIL_OPTIONS with a program" 125 "$(PPROFIL_OPTIONS='-g ls' status_of "$pprofil" true)"
expect_text "PPROFIL_OPTIONS with a program: says so" "PPROFIL_OPTIONS: only options can be here, not 'ls'" "$work/err"

# unused NAME PATTERN: the file is not used, and one line says why
unused() {
	expect "$1: the file is not used" 1000 "$(rate)"
	"$pprofil" -q true 2>"$work/err"
	one_line "$1"
	expect_text "$1: says so" "^pprofil: $work/config/pprofil/options: these options are not used: $2" "$work/err"
}
echo 'run -F 50' >"$file"
chmod 666 "$file"
unused "anybody may write" 'anybody may write to it$'
chmod 644 "$file"
expect "and is used again" 50 "$(rate)"
if [ "$(id -u)" = 0 ]; then
	chown 65534 "$file"
	unused "another user's" 'it belongs to another user$'
	chown 0 "$file"
	chmod 755 "$work" "$work/config" "$work/config/pprofil"
	# shellcheck disable=SC2086 # words
	if $unprivileged test -x "$pprofil" 2>/dev/null; then
		expect "root's file is for all" 50 "$($unprivileged "$pprofil" -f json true 2>&1 | sed -n 's/^ *"asked_hz": \([0-9]*\).*/\1/p')"
	fi
fi
rm "$file"
mkfifo "$file"
unused "a pipe" 'it is no regular file'
rm "$file"
head -c 70000 /dev/zero | tr '\0' '#' >"$file"
unused "a large file" 'it is too large$'
finish
