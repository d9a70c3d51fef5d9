#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# What the name of an output file says: the extension of a format, and which parts of it are filled in. What is unknown
# is refused before the program runs.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

cat >"$work/p.folded" <<'END'
main;work;scale 40
main;work 20
END

# refused NAME PATTERN FILE COMMAND...: it says one line with the pattern. Neither the file nor the mark of a program
# that has run is there.
refused() {
	name=$1 pattern=$2 file=$3
	shift 3
	rm -f "$work/ran"
	expect "$name: refused" 125 "$(status_of "$@")"
	one_line "$name"
	expect_text "$name: says why" "$pattern" "$work/err"
	expect "$name: no program has run" no "$([ -e "$work/ran" ] && echo yes || echo no)"
	expect "$name: no file" no "$([ -e "$file" ] && echo yes || echo no)"
}
while read -r wrong right; do
	pattern="no format has the extension .*Known are \.pb\.gz, .*with -f FORMAT any name"
	[ -n "$right" ] && pattern="did you mean '.*/$right'\?"
	refused "run, $wrong" "$pattern" "$work/$wrong" "$pprofil" -o "$work/$wrong" touch "$work/ran"
	refused "convert, $wrong" "$pattern" "$work/$wrong" "$pprofil" convert -o "$work/$wrong" "$work/p.folded"
	refused "merge, $wrong" "$pattern" "$work/$wrong" "$pprofil" merge -o "$work/$wrong" "$work/p.folded"
done <<'END'
flame.svgz flame.svg
x.folde x.folded
x.2026.jsn x.2026.json
x.folded.gz x.folded
x.pb.gzz x.pb.gz
gmon.ou gmon.out
x.dot
END
sleep 60 & sleeper=$!
refused "attaching" "did you mean" "$work/x.svgg" "$pprofil" -o "$work/x.svgg" -d 1 -p $sleeper
kill $sleeper
refused "a format that is only read" 'does not write the format events' "$work/x.events" \
	"$pprofil" -o "$work/x.events" touch "$work/ran"
refused "-f text" 'pprofil report -o FILE' "$work/x" "$pprofil" -f text -o "$work/x" touch "$work/ran"

# -f takes any name, and names without an extension are those of the own format
for name in x.dot x.folded.gz; do
	"$pprofil" convert -f folded -o "$work/$name" "$work/p.folded"
	expect "-f folded, $name" "$(sort "$work/p.folded" | cksum)" "$(sort "$work/$name" | cksum)"
done
"$pprofil" -q -f json -o "$work/y.dot" true
expect_text "-f json of a run" '^\{' "$work/y.dot"
for name in plain .hidden dot. dir.d/plain; do
	mkdir -p "$work/dir.d"
	"$pprofil" convert -o "$work/$name" "$work/p.folded"
	expect "no extension, $name" 1f8b "$(od -An -tx1 -N2 "$work/$name" | tr -d ' ')"
	"$pprofil" -q -o "$work/$name" true
	expect "no extension, $name, of a run" 1f8b "$(od -An -tx1 -N2 "$work/$name" | tr -d ' ')"
done

# streams
mkfifo "$work/pipe.fifo"
cat "$work/pipe.fifo" >"$work/got" &
expect "a pipe of any name" 0 "$(status_of "$pprofil" convert -o "$work/pipe.fifo" "$work/p.folded")"
wait
expect "a pipe of any name: the own format" 1f8b "$(od -An -tx1 -N2 "$work/got" | tr -d ' ')"
for stream in - /dev/stdout /dev/null; do
	expect "run to $stream" 0 "$("$pprofil" -q -o $stream true >"$work/got"; echo $?)"
	expect "convert to $stream" 0 "$("$pprofil" convert -o $stream "$work/p.folded" >"$work/got"; echo $?)"
done

# --- patterns
for wrong in "%x.pb.gz" "100%" "%e-%z"; do
	refused "pattern $wrong" '%p pid, %e program, %h host, %t time, %n run number, %r rank, %j job, %% percent$' "$work/$wrong" \
		"$pprofil" -o "$work/$wrong" touch "$work/ran"
done
refused "a pattern with an unknown extension" "did you mean '.*/%e.svg'\?" "$work/x" \
	"$pprofil" -o "$work/%e.svgg" touch "$work/ran"
refused "a pattern in no directory" 'No such file or directory' "$work/x" "$pprofil" -o "$work/no/%e" touch "$work/ran"

# the test itself may run in a job
unset OMPI_COMM_WORLD_RANK PMI_RANK PMIX_RANK PMIX_NAMESPACE SLURM_PROCID SLURM_JOB_ID PBS_JOBID LSB_JOBID FLUX_JOB_ID
refused "a rank outside of a job" '%r is the rank in a job, but Open MPI, MPICH or Slurm did not start this' "$work/x" \
	"$pprofil" -o "$work/%r.json" touch "$work/ran"
refused "the rank of a batch script of Slurm" '%r is the rank in a job, but ' "$work/x" \
	env SLURM_PROCID=0 SLURM_NTASKS=16 "$pprofil" -o "$work/%r.json" touch "$work/ran"
refused "a job that has no name" '%j is the name of a job' "$work/x" \
	env PMI_RANK=1 "$pprofil" -o "$work/%j.json" touch "$work/ran"

mkdir "$work/runs"
saved() { sed -n 's/^pprofil: .* pprofil report //p; s/^pprofil: saved //p' "$work/err"; } # the name that it says
run() { "$pprofil" -o "$work/runs/$1" sh -c 'echo $$' >"$work/out" 2>"$work/err"; }
run '%e.%p.pb.gz'
expect "program and pid" "$work/runs/sh.$(cat "$work/out").pb.gz" "$(saved)"
expect "program and pid: the file is there" 0 "$(status_of "$pprofil" report "$(saved)")"
run '%p'
expect "a pattern without an extension" "$work/runs/$(cat "$work/out")" "$(saved)"
expect "a pattern without an extension is pprof" 1f8b "$(od -An -tx1 -N2 "$(saved)" | tr -d ' ')"
run '%h,50%%.json'
expect "host and percent" "$work/runs/$(uname -n | sed 's/^[.-]/_/'),50%.json" "$(saved)"
export PMI_RANK=12 SLURM_JOB_ID=4711
run '%j-%r.json'
expect "job and rank" "$work/runs/4711-12.json" "$(saved)"
PMI_RANK=13 sleep 600 & sleeper=$!
executes() { grep -q sleep "/proc/$sleeper/comm"; }
await executes
"$pprofil" -d 0.2 -o "$work/runs/%j-%r.json" -p $sleeper 2>"$work/err"
expect "the rank of an attached process" "$work/runs/4711-13.json" "$(saved)"
kill $sleeper
unset PMI_RANK SLURM_JOB_ID
from=$(date +%Y%m%d-%H%M%S)
run '%t.folded'
until=$(date +%Y%m%d-%H%M%S)
between "time" "$(echo "$from" | tr -d -)" "$(basename "$(saved)" .folded | tr -d -)" "$(echo "$until" | tr -d -)"
echo kept >"$work/runs/n-2.svg"
for number in 1 3 4; do
	run 'n-%n.svg'
	expect "number $number" "$work/runs/n-$number.svg" "$(saved)"
	expect_text "number $number: it is the picture" '<svg' "$(saved)"
done
expect "numbers: what was there stays" kept "$(cat "$work/runs/n-2.svg")"
# runs at the same time take different numbers
for i in 1 2 3 4 5 6; do "$pprofil" -q -o "$work/runs/same-%n.json" "$targets/known-shares" 0.2 >/dev/null & done
wait
expect "runs at the same time" 6 "$(find "$work/runs" -name 'same-[1-6].json' -size +0 | wc -l)"
expect "no program: status" 127 "$(status_of "$pprofil" -o "$work/runs/none-%n.json" "$work/no-such-program")"
expect "no program: no number is taken" no "$([ -e "$work/runs/none-1.json" ] && echo yes || echo no)"
(cd "$work/runs" && "$pprofil" -q --dialect glibc -o 'mon-%n.out' "$targets/known-shares" 0.5 >/dev/null 2>&1)
expect "the file of a dialect" 0 "$(status_of "$pprofil" report --input-format gmon "$work/runs/mon-1.out")"
# names that others chose stay in the directory
evil=$(printf '..\n%%p \033[1mx')
cp "$targets/sleepers" "$work/$evil"
"$pprofil" -o "$work/runs/e-%e.json" "$work/$evil" 1 1 0.1 >/dev/null 2>"$work/err"
expect "an evil name" "e-_._%p _[1mx.json" "$(ls "$work/runs" | grep '^e-')"
"$work/$evil" 1 1 60 >/dev/null & sleeper=$!
"$pprofil" -d 0.1 -o "$work/runs/a-%e-%p.json" -p $sleeper 2>"$work/err"
expect "an evil name, attached" "a-_._%p _[1mx-$sleeper.json" "$(ls "$work/runs" | grep '^a-')"
kill $sleeper
# ctl flush writes to the file that the pattern leads to
"$targets/known-shares" 6000 >/dev/null & target=$!
"$pprofil" -q -o "$work/runs/live-%p-%n.pb.gz" -p $target & us=$!
await is_traced $target
await has_used $target $(($(cpu_ticks $target) + 20))
expect "flush" 0 "$(status_of "$pprofil" ctl $target flush)"
expect "flush: the file can be read" 0 "$(status_of "$pprofil" report "$work/runs/live-$target-1.pb.gz")"
kill -TERM $us; wait $us
kill $target

# no bytes for a terminal
if script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
	on_terminal() { script -qec "$*; echo status \$?" /dev/null </dev/null >"$work/seen" 2>&1; }
	for stream in - /dev/stdout /dev/tty; do
		for command in convert merge; do
			on_terminal "$pprofil" $command -o $stream "$work/p.folded"
			expect_text "$command -o $stream" 'is not for a terminal: redirect it' "$work/seen"
			expect_text "$command -o $stream: fails" '^status 125' "$work/seen"
			on_terminal "$pprofil" $command -f folded -o $stream "$work/p.folded"
			expect_text "$command -o $stream: text" '^main;work;scale 40' "$work/seen"
			expect_text "$command -o $stream: text" '^status 0' "$work/seen"
		done
	done
	rm -f "$work/ran"
	on_terminal "$pprofil" -q -o - touch "$work/ran"
	expect_text "run -o -" 'is not for a terminal: redirect it' "$work/seen"
	expect "run -o -: no program has run" no "$([ -e "$work/ran" ] && echo yes || echo no)"
else
	echo "SKIP terminals: script(1) makes none here"
fi
finish
