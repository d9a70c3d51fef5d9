#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Merging real profiles: the sums are those of go's pprof, and different processes of one number stay apart.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
go=$(ls /usr/lib/go-*/pkg/tool/linux_*/pprof 2>/dev/null | head -n 1)
go=${GO_PPROF:-$go}

json() { "$pprofil" report -n 0 -f json "$@" >"$work/json"; }
rows() { "$pprofil" report -n 0 -f csv "$@" | sort; }

"$pprofil" -q -F 1000 --overhead 100 -o "$work/a.pb.gz" "$targets/known-shares" 0.3 >/dev/null
"$pprofil" -q -F 250 --overhead 100 -o "$work/b.pb.gz" "$targets/known-shares" 0.3 2 >/dev/null
"$pprofil" -q -o "$work/c.pb.gz" "$targets/known-times" >/dev/null 2>&1
[ -s "$work/c.pb.gz" ] || cp "$work/a.pb.gz" "$work/c.pb.gz"
"$pprofil" -q -w -o "$work/wall.pb.gz" "$targets/known-shares" 0.1 >/dev/null

# --- sums
sum() { for file in a b c; do json "$work/$file.pb.gz"; number "$work/json" "$1"; done |
	awk '{ sum += $1 } END { printf "%.0f\n", sum }'; }
"$pprofil" merge -o "$work/abc.pb.gz" "$work/a.pb.gz" "$work/b.pb.gz" "$work/c.pb.gz"
for key in samples cpu_ns elapsed_ns target_cpu_ns processes; do
	expected=$(sum $key)
	json "$work/abc.pb.gz"
	expect "sum of $key" "$expected" "$(number "$work/json" $key)"
done
expect "the lowest rate" 250 "$(number "$work/json" asked_hz | cut -d. -f1)"

# --- in any order
"$pprofil" merge -o "$work/cab.pb.gz" "$work/c.pb.gz" "$work/a.pb.gz" "$work/b.pb.gz"
"$pprofil" merge -o "$work/ab.pb.gz" "$work/a.pb.gz" "$work/b.pb.gz"
"$pprofil" merge -o "$work/ab.pb.gz" "$work/ab.pb.gz" "$work/c.pb.gz" # one of the files is the output
for by in function object line process thread syscall state; do
	expected=$(rows --by $by "$work/abc.pb.gz")
	expect "by $by in another order" "$expected" "$(rows --by $by "$work/cab.pb.gz")"
	expect "by $by in steps" "$expected" "$(rows --by $by "$work/ab.pb.gz")"
done

# --- go's pprof
if [ -n "$go" ]; then
	plain() { PPROF_TMPDIR=$work "$go" -top -symbolize=none "$@" 2>/dev/null | grep -v '^File:\|^Time:\|^Build ID:\|^pprofil: '; }
	PPROF_TMPDIR=$work "$go" -proto -symbolize=none -output "$work/go.pb.gz" "$work/a.pb.gz" "$work/b.pb.gz" \
		"$work/c.pb.gz" >/dev/null 2>&1
	json "$work/go.pb.gz"
	samples=$(number "$work/json" samples) cpu_ns=$(number "$work/json" cpu_ns)
	json "$work/abc.pb.gz"
	expect "go: samples" "$samples" "$(number "$work/json" samples)"
	expect "go: cpu_ns" "$cpu_ns" "$(number "$work/json" cpu_ns)"
	expect "go: rows" "$(plain "$work/a.pb.gz" "$work/b.pb.gz" "$work/c.pb.gz")" \
		"$(plain "$work/abc.pb.gz")"
	between "go: has rows" 5 "$(plain "$work/abc.pb.gz" | wc -l)" 100000
fi

# --- processes
"$pprofil" merge -o "$work/aa.pb.gz" "$work/a.pb.gz" "$work/a.pb.gz"
expect "a process is itself" 2 "$("$pprofil" report -f csv --by process "$work/aa.pb.gz" | wc -l | tr -d ' ')"
# a process of the same number that began at another time, as on another machine
gzip -dc <"$work/a.pb.gz" | LC_ALL=C sed \
	's/ start=\(.\)9/ start=\1X/g; s/ start=\(.\)[0-8]/ start=\19/g; s/ start=\(.\)X/ start=\18/g' >"$work/elsewhere.pb"
"$pprofil" merge -o "$work/both.pb.gz" "$work/a.pb.gz" "$work/elsewhere.pb"
expect "a number is no process" 3 \
	"$("$pprofil" report -f csv --by process "$work/both.pb.gz" | wc -l | tr -d ' ')"

# --- elapsed time
expect "CPU and elapsed time" 125 \
	"$(status_of "$pprofil" merge -o "$work/x.pb.gz" "$work/a.pb.gz" "$work/wall.pb.gz")"
one_line "CPU and elapsed time"
expect "nothing was written" "" "$(ls "$work/x.pb.gz" 2>/dev/null)"
expect "--cpu" 0 "$(status_of "$pprofil" merge --cpu -o "$work/x.pb.gz" "$work/a.pb.gz" "$work/wall.pb.gz")"
json "$work/x.pb.gz"
expect "--cpu: CPU time" 0 "$(number "$work/json" wall_ns)"

# --- errors
expect "no output" 125 "$(status_of "$pprofil" merge "$work/a.pb.gz")"; one_line "no output"
expect "no files" 125 "$(status_of "$pprofil" merge -o "$work/x")"; one_line "no files"
expect "no file at all" 125 "$(status_of "$pprofil" merge -o "$work/y" /no/file)"
one_line "no file at all"
expect "no file was written" "" "$(ls "$work/y" 2>/dev/null)"
head -c 300 "$work/a.pb.gz" >"$work/short.pb.gz"
echo "no profile" >"$work/text"
expect "bad files" 1 "$(status_of "$pprofil" merge -o "$work/y.pb.gz" "$work/text" "$work/a.pb.gz" /no/file \
	"$work/short.pb.gz")"
expect "bad files: a line each, and how many" 4 "$(wc -l <"$work/err")"
for bad in "$work/text" /no/file "$work/short.pb.gz"; do
	expect_text "bad files: $bad" "^pprofil: $bad: " "$work/err"
done
expect_text "bad files: the rest" "^pprofil: merge: 3 of 4 files were left out" "$work/err"
expect "bad files: the good one is there" "$("$pprofil" report "$work/a.pb.gz")" "$("$pprofil" report "$work/y.pb.gz")"
expect "report: bad files" 125 "$(status_of "$pprofil" report "$work/a.pb.gz" "$work/short.pb.gz")"
one_line "report: bad files"

# a folder that cannot be read is left out, too; root can read all
as_user=
[ "$(id -u)" != 0 ] || as_user=$unprivileged
mkdir -m 000 "$work/closed"
mkdir -m 777 "$work/theirs"
chmod 711 "$work"
if $as_user test -x "$pprofil" 2>/dev/null && ! $as_user test -r "$work/closed" 2>/dev/null &&
	$as_user test -w "$work/theirs" 2>/dev/null; then
	cp "$work/a.pb.gz" "$work/theirs"
	cd "$work/theirs" || exit
	# shellcheck disable=SC2086
	expect "a closed folder" 1 "$(status_of $as_user "$pprofil" merge -o z.pb.gz "$work/closed" a.pb.gz)"
	expect_text "a closed folder: says so" "^pprofil: $work/closed: .*ermission" "$work/err"
	# shellcheck disable=SC2086
	expect "report: a closed folder" 125 "$(status_of $as_user "$pprofil" report "$work/closed" a.pb.gz)"
	one_line "report: a closed folder"
	cd "$work" || exit
else
	echo "SKIP a closed folder: only for users who cannot read it"
fi

# --- folders, lists and several files
mkdir "$work/folder" "$work/empty"
cp "$work/a.pb.gz" "$work/b.pb.gz" "$work/folder"
echo hidden >"$work/folder/.hidden"
"$pprofil" merge -o "$work/both.pb.gz" "$work/a.pb.gz" "$work/b.pb.gz"
"$pprofil" merge -o "$work/of-folder.pb.gz" "$work/folder"
find "$work/folder" -name '*.pb.gz' | "$pprofil" merge -o "$work/of-list.pb.gz" --files-from -
expect "report: an empty folder" 125 "$(status_of "$pprofil" report "$work/empty")"
expect_text "report: an empty folder: which" "^pprofil: report: there are no files in $work/empty$" "$work/err"
for how in folder list; do
	expect "a $how" "$("$pprofil" report -n 0 "$work/both.pb.gz")" "$("$pprofil" report -n 0 "$work/of-$how.pb.gz")"
done
cp "$work/both.pb.gz" "$work/folder/all.pb.gz"
"$pprofil" merge -o "$work/folder/all.pb.gz" "$work/folder"
expect "an earlier result in the folder" "$("$pprofil" report -n 0 "$work/both.pb.gz")" \
	"$("$pprofil" report -n 0 "$work/folder/all.pb.gz")"
rm "$work/folder/all.pb.gz"
expect "report of several files" "$("$pprofil" report -n 0 "$work/both.pb.gz")" \
	"$("$pprofil" report -n 0 "$work/a.pb.gz" "$work/b.pb.gz")"
expect "report of a folder" "$("$pprofil" report -n 0 "$work/both.pb.gz")" "$("$pprofil" report -n 0 "$work/folder")"
for command in "merge -o $work/y.pb.gz" report; do
	# shellcheck disable=SC2086
	expect "${command%% *}: an empty folder" 125 "$(status_of "$pprofil" $command "$work/empty")"
	one_line "${command%% *}: an empty folder"
done
expect "nothing was left behind" "" "$(ls -a "$work" | grep '^\.pprofil')"
finish
