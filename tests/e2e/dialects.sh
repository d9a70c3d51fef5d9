#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# pprofil --dialect: runs counted from outside by the rules of each system, compared with what the
# kernel says of CPU time, and with glibc's own profil(3).
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

cd "$work" || exit 1
ticks() { sed -n "s/^pprofil: $1: \([0-9]*\) ticks.*/\1/p" err; }
cpu() { sed -n 's/^cpu \([0-9]*\).*/\1/p' own; }
# A sample for every tick, on slow machines, too. Else one sample stands for several ticks, and the time of many of them
# has not been handed out when the run ends.
often="--overhead 1000"
# sampled_less_often NAME HZ: at less than half of that rate; then NAME is skipped. There, as on an emulated machine,
# each tick comes as soon as the last one is over, and what the program does just after a stop is sampled too often.
sampled_less_often() {
	"$pprofil" report -f json events >report
	got=$(awk "BEGIN { print $(number report samples) / $(number report target_cpu_ns) * 1e9 }")
	awk "BEGIN { exit !($got < $2 / 2) }" || return 1
	echo "SKIP $1: this machine samples $got times a second, not $2"
}
# --- every dialect: its system's file, ticks that are the CPU time, and a report -------------
# 60 to 1024 ticks a second. A program that runs so short may end before the time of a few samples has been handed out:
# each of them is worth a tick at 100 Hz, and a sixteenth of a second if the supervisor did not run then.
for row in irix:mon.out:100 irix-sprofil:gmon.out:100 solaris:mon.out:100 \
	pcsample:pcsample.out:100 bsd44:gmon.out:100 osx:gmon.out:100 osf1:mon.out:1024 \
	osf1x:gmon.out:1024 n64:osprofile.out:100 inferno:kpdata:100 plan9:kpdata:100 v7:mon.out:60 \
	glibc:gmon.out:100; do
	dialect=${row%%:*} hz=${row##*:}
	file=${row#*:} file=${file%:*}
	rm -f "$file"
	"$pprofil" $often --dialect "$dialect" --events events "$targets/known-shares" 1 >own 2>err
	expected=$(($(cpu) * hz / 1000000000))
	if ! sampled_less_often "$dialect: ticks x period is the CPU time" "$hz"; then
		# sixteen samples, each worth the ticks between two samples
		rest=$(awk "BEGIN { print int(16 * ($hz > $got ? $hz / $got : 1)) }")
		between "$dialect: ticks x period is the CPU time" $((expected - expected / 20 - rest - hz / 16)) \
			"$(ticks "$file")" $((expected + expected / 20 + rest))
	fi
	format=
	[ "$file" = osprofile.out ] && format="--input-format n64"
	[ ! -e "$file.meta" ] || expect_text "$dialect: what the file has no room for" '^(hz|module) ' "$file.meta"
	"$pprofil" convert --object "$targets/known-shares" -o back.pb.gz "$file" 2>err ||
		"$pprofil" convert --object "$targets/known-shares" $format -o back.pb.gz "$file" 2>err
	"$pprofil" report -f csv -n 0 back.pb.gz >csv 2>err
	expect_text "$dialect: the file is read back, with names" 'spend_half' csv
	rm -f back.pb.gz
done
"$pprofil" --dialect pcsample -f mon-solaris -o mon.out "$targets/known-shares" 1 >own 2>err
"$pprofil" report -f csv -n 0 mon.out >csv 2>err
expect_text "pcsample with modules: names too" 'spend_half' csv

# --- glibc's own profil(3) in the same run -----------------------------------------------------
# Both sample the same program, and are independent: their shares differ like those of n * m / (n + m) samples.
rm -f gmon.out
"$pprofil" $often -F 1000 --dialect glibc "$targets/glibc-profil" 6 >own 2>err
"$pprofil" report -n 0 -f csv --object "$targets/glibc-profil" gmon.out >csv
total=$(awk '/^(half|third|fifth) / {sum += $4} END {print sum}' own)
# glibc asks for a hundred signals a second, but two that are due at once are one signal, and the timer runs by the
# kernel's own tick
between "glibc counts itself" 100 "$total" 1500
as_of=$(awk -v n="$total" -v m="$(ticks gmon.out)" 'BEGIN { print n * m / (n + m) }')
for function in half third fifth; do
	inside=$(awk -v f="$function" -v t="$total" '$1 == f {print $4 / t}' own)
	outside=$(awk -F, -v f="$function" '$5 == "\"" f "\"" || $5 == f {sum += $1} END {print sum + 0}' csv)
	share_is "glibc inside and outside: share of $function" "$inside" "$outside" "$as_of"
done

# --- fork and exec --------------------------------------------------------------------------------
for row in solaris:mon.out bsd44:gmon.out osf1:mon.out irix:mon.out; do
	dialect=${row%%:*} file=${row##*:}
	rm -f mon.out* gmon.out*
	"$pprofil" $often --dialect "$dialect" -F 200 "$targets/known-times" 500 500 >own 2>err
	child=$(ls "$file".* 2>/dev/null | grep -v 'meta$')
	expect_text "$dialect: and it says whose it is" "$file\\.known-times\\.[0-9]+: [0-9]+ ticks? of known-times \\([0-9]+\\)" err
	expect "$dialect: a child has a file of its own" 1 "$(echo "$child" | wc -w)"
	# the child's counts begin with the parent's, and it works as long; 15 ticks of each may not have been handed out
	expected=$(($(cpu) / 5000000))
	between "$dialect: the parent's ticks" $((expected * 19 / 20 - 15)) "$(ticks "$file")" \
		$((expected * 21 / 20 + 15))
	between "$dialect: the child goes on with a copy" $((expected * 19 / 10 - 30)) \
		"$(ticks "$child")" $((expected * 21 / 10 + 30))
done
for dialect in glibc osx; do
	rm -f gmon.out*
	"$pprofil" --dialect "$dialect" -F 200 "$targets/known-times" 300 300 >own 2>err
	expect "$dialect: a child does not count" gmon.out "$(ls gmon.out*)"
done
rm -f mon.out*
"$pprofil" --dialect solaris -F 200 sh -c "'$targets/known-shares' 0.3; exec '$targets/known-shares' 0.3" \
	>own 2>err
# a tick may also count for the shell, before both programs
between "programs that are executed have files of their own" 2 "$(ls mon.out* | grep -vc 'meta$')" 4
for try in 1 2 3 4 5; do # again if a tick counted for the shell
	rm -f mon.out*
	"$pprofil" --dialect solaris -F 20 --no-follow sh -c "exec '$targets/known-shares' 0.3" >own 2>err
	[ -n "$(ls mon.out* 2>/dev/null)" ] || break
done
expect "--no-follow: exec ends it" "" "$(ls mon.out* 2>/dev/null)"
expect_text "and that is said" 'nothing was counted' err

# --- counters that are full ---------------------------------------------------------------------
# 50000 ticks a second; scale 2 puts them all into one counter
fast="-F 50000 --overhead 1000 --scale 2"
"$pprofil" --dialect solaris $fast "$targets/known-shares" 2 >own 2>err
expect_text "solaris: 32767 ends it" 'the counting had ended by the rules of solaris' err
"$pprofil" --dialect irix $fast "$targets/known-shares" 2 >own 2>err
expect_text "irix: an overflow is said" 'found their counter full' err
"$pprofil" --dialect irix --counters 32 $fast "$targets/known-shares" 2 >own 2>err
expect "irix: 32-bit counters do not overflow" "" "$(grep full err)"
"$pprofil" --dialect solaris --counters 32 -f gmon -o g $fast "$targets/known-shares" 2 >own 2>err
expect "solaris: nor do they end" "" "$(grep -E 'full|ended' err)"
expect "gmon holds all of them" "" "$(grep 'hold less' err)"
"$pprofil" --dialect irix --counters 32 $fast "$targets/known-shares" 2 >own 2>err
expect_text "a file that holds less says so" '1 counter holds less than was counted, because the format has 16 bits' err
"$pprofil" --dialect n64 --counters 32 -F 20000 --overhead 1000 "$targets/known-shares" 1 >own 2>err
"$pprofil" report -f csv -n 0 --object "$targets/known-shares" osprofile.out >csv 2>err
expect_text "n64: counters of 32 bits are read back" 'spend_half' csv
"$pprofil" --dialect pcsample --bufsize 400 "$targets/known-shares" 1 >own 2>err
expect "pcsample: a full array" 400 "$(wc -c <pcsample.out)"
expect_text "pcsample: is said" 'ended' err

"$pprofil" --dialect pcsample "$targets/known-shares" 1 >own 2>err
expect "pcsample: from outside the array has room" "" "$(grep ended err)"

# --- what an old format has no room for -----------------------------------------------------------
# a second of CPU time at 1024 ticks a second, a rate that mon.out does not hold
"$pprofil" $often --dialect osf1 "$targets/known-shares" 1 >own 2>err
"$pprofil" report --style prof --object "$targets/known-shares" mon.out >prof 2>err
seconds=$(awk 'NR > 1 { last = $3 } END { print last }' prof)
expected=$(awk '/^cpu / { print $2 / 1e9 }' own)
between "osf1: prof's seconds" "$(awk "BEGIN { print $expected * 0.8 - 0.1 }")" "$seconds" \
	"$(awk "BEGIN { print $expected * 1.2 + 0.1 }")"
"$pprofil" --dialect pcsample "$targets/known-shares" 1 >own 2>err
"$pprofil" report -f csv -n 0 --object "$targets/known-shares" pcsample.out >csv 2>err
expect_text "pcsample of a position-independent program: names" 'spend_half' csv
# the next run of that name writes no second file: the old one must not be taken for its
"$pprofil" --dialect osf1 "$targets/known-shares" 0.3 >own 2>err
"$pprofil" --dialect solaris "$targets/known-shares" 0.3 >own 2>err
expect "what lay beside a former file is gone" no "$([ -e mon.out.meta ] && echo yes || echo no)"
gzip -k pcsample.out
"$pprofil" report -n 0 -f csv --object "$targets/known-shares" pcsample.out >plain.csv
"$pprofil" report -n 0 -f csv --input-format pcsample --object "$targets/known-shares" pcsample.out.gz >packed.csv
expect_text "what lies beside a file that gzip has packed: names" spend_half packed.csv
expect "what lies beside a file that gzip has packed is read" same "$(cmp -s plain.csv packed.csv && echo same)"
rm pcsample.out.meta
"$pprofil" report --object "$targets/known-shares" pcsample.out >out 2>err
expect "without what lies beside it: status" 125 $?
expect_text "without what lies beside it: why" '[.]meta file, which says where it was, is missing' err

# --- regions ------------------------------------------------------------------------------------
"$targets/glibc-profil" 0.1 >own2
half=$(awk '$1 == "half" {print $2 "-" $3}' own2)
rm -f gmon.out*
"$pprofil" --dialect irix-sprofil --region "$half" "$targets/glibc-profil" 1 >own 2>err
"$pprofil" report -f csv -n 0 --object "$targets/glibc-profil" gmon.out >csv
expect "a region by addresses" 1 "$(grep -c 'half' csv)"
expect "and nothing else" 0 "$(grep -cE 'third|fifth' csv)"
expect_text "what it leaves out is said" 'outside the text' err
rm -f gmon.out*
"$pprofil" --dialect irix-sprofil --region glibc-profil --region libc.so.6 "$targets/glibc-profil" 1 >own 2>err
expect "regions by name" yes "$([ -s gmon.out ] && echo yes)"

# OSF/1 had room for 64 ranges. From outside that limit holds for its own dialects only
regions=
first=0x$(nm "$targets/glibc-profil" | awk '$3 ~ /^(half|third|fifth)$/ { print $1 }' | sort | head -n 1)
for i in $(seq 0 99); do
	regions="$regions --region glibc-profil:$(printf '%x-%x' $((first / 16 * 16 + 16 * i)) $((first / 16 * 16 + 16 + 16 * i)))"
done
rm -f gmon.out*
"$pprofil" --dialect irix-sprofil $regions "$targets/glibc-profil" 1 >own 2>err
"$pprofil" report -f csv -n 0 --object "$targets/glibc-profil" gmon.out >csv
expect "100 regions" 3 "$(grep -cE 'half|third|fifth' csv)"
"$pprofil" --dialect osf1x $regions "$targets/glibc-profil" 1 >own 2>err
expect "osf1x: at most 64" 125 $?
expect_text "osf1x: says so" 'too many' err

# --- time in system calls -----------------------------------------------------------------------
# The program says how long it worked between the calls. Some samples of the work are taken only when the next call has
# begun (lib/supervisor/preempt.c): a few hundredths, for a piece of work takes 100 us and more. On a busy machine
# there are also samples of calls that count as work: 12 to 19 of 100 samples of the calls, with four such tests at once.
for dialect in bsd44 osf1 irix; do
	"$pprofil" $often --dialect "$dialect" -F 1000 --events events -o out "$targets/known-times" -s 3000 >own 2>err
	worked=$(awk '{ print $4 / $2 }' own)
	sampled_less_often "$dialect: user time only" 1000 || share_is "$dialect: user time only" "$worked" \
		"$(awk -v ticks="$(ticks out)" '{ print ticks * 1e6 / $2 }' own)" "$(number report samples)" \
		"$(awk -v worked="$worked" 'BEGIN { print 0.03 + 0.15 * (1 - worked) }')"
done
for dialect in solaris glibc v7; do
	"$pprofil" $often --dialect "$dialect" -F 200 --events events -o out "$targets/known-times" -s 1000 >own 2>err
	expected=$(($(cpu) / 5000000))
	sampled_less_often "$dialect: time in system calls too" 200 ||
		between "$dialect: time in system calls too" $((expected * 19 / 20 - 15)) "$(ticks out)" \
			$((expected * 21 / 20 + 15))
done

# --- where it is written --------------------------------------------------------------------------
rm -f mon.out* gmon.out*
ln -s "$targets" link
"$pprofil" --dialect glibc --region link/known-shares -o /dev/stdout link/known-shares 0.3 >out 2>err
expect "a path with a link in it, into a pipe" gmon "$(tail -n +2 out | head -c 4)"
expect "and nothing beside it" "" "$(ls gmon.out* 2>/dev/null)"
"$pprofil" --dialect glibc -f mon "$targets/known-shares" 0.3 >own 2>err
expect "a format has its usual name" mon.out "$(ls mon.out)"
"$pprofil" --dialect glibc sh -c 'exit 3' 2>err
expect "too short for a tick: the program's status" 3 $?

# --- errors -------------------------------------------------------------------------------------
fails() { # NAME PATTERN ARGUMENTS...
	name=$1 pattern=$2
	shift 2
	"$pprofil" "$@" true 2>err
	expect "$name: status" 125 $?
	expect_text "$name: says" "$pattern" err
	expect "$name: one line" 1 "$(wc -l <err)"
}
fails "no such dialect" 'pprofil --help=dialects lists all' --dialect nosuch
fails "a scale that is refused" 'above 65536' --dialect bsd44 --scale 70000
fails "a scale that turns it off" 'turned off' --dialect solaris --scale 1
"$pprofil" -q --dialect irix-sprofil --region no-such "$targets/glibc-profil" 1 >/dev/null 2>err
expect_text "a region of no object" "no tick fell into 'no-such'" err
fails "a region that is none" 'OBJECT, LO-HI' --dialect glibc --region :10-20
fails "a region upside down" 'OBJECT, LO-HI' --dialect glibc --region 2000-1000
fails "a region cut short" 'OBJECT, LO-HI' --dialect glibc --region libc.so.6:
fails "options without a dialect" 'need a --dialect' --scale 4
fails "a format of another kind" 'no format of the profil family' --dialect glibc -f pprof
fails "a format that cannot hold it" 'cannot hold' --dialect solaris -f kpdata
fails "a file that cannot be written" 'No such file' --dialect glibc -o "$work/none/x"
fails "options of a report" 'not for a --dialect' --dialect glibc --by line
fails "counters of no width" '16, 32 or 64' --dialect glibc --counters 24
finish
