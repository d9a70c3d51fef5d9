#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Jobs: ranks, hosts and jobs in profiles, and how unevenly ranks spend their time. A launcher of this test sets the
# variables that launchers set; Open MPI and MPICH are tried where they are installed.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

cd "$work" || exit 1
# as mpirun does it: the children are ranks
mkdir bin
cat >bin/mpirun <<'END'
#!/bin/sh
count=$1
shift
for rank in $(seq 0 $((count - 1))); do
	OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=$count PMIX_NAMESPACE=job-1@1 "$@" &
done
wait
END
chmod +x bin/mpirun

# by_rank NAME FILE: ranks 0 to 3 have 0.6, 0.9, 1.2 and 1.5 s
by_rank() {
	# the launcher itself has no rank, and may have a sample
	"$pprofil" report -n 0 -f csv --by rank "$2" | grep -v 'no rank' >csv
	expect "$1: ranks" "0 1 2 3" "$(awk -F, 'NR > 1 { print $5 }' csv | sort | paste -s -d' ')"
	for rank in 0 1 2 3; do
		awk -F, -v rank=$rank '$5 == rank { print $4, $3; exit }' csv >cell
		read -r samples ns <cell || samples=0 ns=0
		read -r _ even uneven <own-$rank
		time_is "$1: rank $rank" $((even + uneven)) "$samples" "$ns" $((even + uneven))
	done
	"$pprofil" report -n 0 -f json --imbalance "$2" >json
	imbalance "$1: even" even 0 ""
	imbalance "$1: uneven" uneven 0.6 3
}
# imbalance NAME FUNCTION VALUE RANK: as imbalance_is of lib.sh, but for the figures in JSON
imbalance() {
	if grep -qF '"name":"[not sampled]"' json; then
		echo "SKIP $1: imbalance: some of the time was not sampled"
		return
	fi
	awk -v name="$2" 'BEGIN { RS = "{" } index($0, "\"name\":\"" name "\"")' json >row
	found=$(sed -n 's/.*"imbalance":\([-0-9.e]*\).*/\1/p' row) error=$(sed -n 's/.*"error95":\([-0-9.e]*\).*/\1/p' row)
	between "$1: imbalance" "$(awk "BEGIN { print $3 - 0.05 - 3 * $error }")" "$found" \
		"$(awk "BEGIN { print $3 + 0.05 + 3 * $error }")"
	[ -n "$4" ] || return 0
	# rank 2 has a quarter less than rank 3
	if awk "BEGIN { exit !($error > 0.2) }"; then
		echo "SKIP $1: the slowest rank: too few samples on this machine"
	else
		expect "$1: the slowest rank" "$4" "$(sed -n 's/.*"max_rank":"\([^"]*\)".*/\1/p' row)"
	fi
}

# --- one pprofil above the launcher
PATH=$work/bin:$PATH "$pprofil" -q -F 1000 --overhead 100 -o above.pb.gz mpirun 4 "$targets/rank-work" 0.3
by_rank "above the launcher" above.pb.gz
expect "the host" "$(uname -n)" "$("$pprofil" report -f csv --by host above.pb.gz | awk -F, 'NR == 2 { print $5 }')"
expect "the job" "job-1@1" "$("$pprofil" report -f csv --by job --rank 1 above.pb.gz | awk -F, 'NR == 2 { print $5 }')"
expect "--rank" 3 "$("$pprofil" report -f csv --by rank --rank 3 above.pb.gz | awk -F, 'NR == 2 { print $5 }')"
for by in host job rank; do
	"$pprofil" report --by $by --rank 3 above.pb.gz >text
	case $by in
	host) name=$(uname -n) ;;
	job) name=job-1@1 ;;
	rank) name=3 ;;
	esac
	expect "text of --by $by" "$by $name" \
		"$(awk -v by=$by '$NF == by { print by } $1 == "100.00" { print $NF }' text | paste -s -d' ')"
done
expect "two levels" 4 "$("$pprofil" report --by rank,function above.pb.gz | grep -c '^# rank [0-3]:')"

# --- the launcher is itself a rank, as in a step of Slurm with one task for each host
PATH=$work/bin:$PATH PMI_RANK=1 "$pprofil" -q -F 1000 --overhead 100 -o below.pb.gz mpirun 4 "$targets/rank-work" 0.05
expect "a launcher that is a rank: its ranks" "0 1 2 3" \
	"$("$pprofil" report -n 0 -f csv --by rank below.pb.gz | awk -F, 'NR > 1 { print $5 }' | sort | paste -s -d' ')"

# --- a pprofil in each rank
PATH=$work/bin:$PATH mpirun 4 "$pprofil" -q -F 1000 --overhead 100 -o 'rank-%r-%j.pb.gz' "$targets/rank-work" 0.3
expect "names of the files" "rank-0-job-1@1.pb.gz rank-1-job-1@1.pb.gz rank-2-job-1@1.pb.gz rank-3-job-1@1.pb.gz" \
	"$(echo rank-*)"
"$pprofil" merge -o merged.pb.gz rank-*.pb.gz
by_rank "merged" merged.pb.gz
"$pprofil" convert -o merged.json merged.pb.gz
"$pprofil" convert -o again.pb.gz merged.json
expect "json keeps ranks, hosts and jobs" "$("$pprofil" report -f csv --by rank,job merged.pb.gz)" \
	"$("$pprofil" report -f csv --by rank,job again.pb.gz)"

# --- a picture of the ranks over time
# picture_seconds FILE RANK: the seconds of its bar
picture_seconds() { sed -n "s/.*>rank $2, the whole run: \([0-9.]*\) s<.*/\1/p" "$1"; }
"$pprofil" convert -o job.ranks.svg merged.pb.gz
"$pprofil" convert -o again.ranks.svg again.pb.gz
command -v xmllint >/dev/null && expect "picture: is XML" 0 "$(status_of xmllint --noout job.ranks.svg)"
expect "picture: the same from json" "$(cksum <job.ranks.svg)" "$(cksum <again.ranks.svg)"
for rank in 0 1 2 3; do
	seconds=$("$pprofil" report -n 0 -f csv --by rank merged.pb.gz | awk -F, -v r=$rank '$5 == r { print $3 / 1e9 }')
	between "picture: seconds of rank $rank" "$(awk "BEGIN { print $seconds - 0.001 }")" \
		"$(picture_seconds job.ranks.svg $rank)" "$(awk "BEGIN { print $seconds + 0.001 }")"
	between "picture: rank $rank has cells" 1 "$(grep -c ">rank $rank, [0-9.]* to " job.ranks.svg)" 100000
done
"$pprofil" convert --function uneven -o part.ranks.svg merged.pb.gz
between "picture: of a function: rank 0" 0.15 "$(picture_seconds part.ranks.svg 0)" 0.45

# --- what ranks print
PATH=$work/bin:$PATH mpirun 4 "$pprofil" -o 'said-%r.pb.gz' "$targets/rank-work" 0.3 2>err
expect "only rank 0 says something" 1 "$(grep -c 'profile saved' err)"
expect_text "how to see all ranks" \
	"rank 0 of 4; compare all ranks with: pprofil report --imbalance said-\\*\\.pb\\.gz" err
"$pprofil" report --imbalance said-*.pb.gz >several
expect_text "several files" "^# 4 ranks" several
PATH=$work/bin:$PATH mpirun 4 "$pprofil" "$targets/rank-work" 0.3 2>err
expect "one report" 1 "$(grep -c '^# [0-9]* samples*,' err)"
expect_text "how to save all" "-o 'NAME-%r.pb.gz'" err
PATH=$work/bin:$PATH mpirun 3 "$pprofil" -o same.pb.gz "$targets/rank-work" 0.3 2>err
expect "the same file for all ranks" 1 "$(grep -c 'all 3 ranks of this job would write this file' err)"
expect "the same file for all ranks: one line" 1 "$(wc -l <err)"
expect "the same file for all ranks: none was written" "" "$(ls same.pb.gz 2>/dev/null)"
PATH=$work/bin:$PATH mpirun 2 "$pprofil" stat -f json "$targets/rank-work" 0.3 2>stat
expect "stat: rank 0" 1 "$(grep -c '^ "processes": \[' stat)"

# --- ranks without samples, and several jobs
OMPI_COMM_WORLD_RANK=7 PMIX_NAMESPACE=job-1@1 "$pprofil" -q -F 1 -o idle.pb.gz true
"$pprofil" report -f json --imbalance merged.pb.gz idle.pb.gz >json
expect "an idle rank counts" 5 "$(sed -n 's/^{"ranks":\([0-9]*\),.*/\1/p' json)"
OMPI_COMM_WORLD_RANK=1 PMIX_NAMESPACE=job-2@1 "$pprofil" -q -F 1 -o other.pb.gz true
expect "two jobs" 125 "$(status_of "$pprofil" report --imbalance merged.pb.gz other.pb.gz)"
one_line "two jobs"
expect_text "two jobs: why" 'ranks of several jobs; select one job with --job' err
expect "two jobs: one of them" 0 "$(status_of "$pprofil" report --imbalance --job job-1@1 merged.pb.gz other.pb.gz)"

# --- what is wrong
expect "no rank" 125 "$(status_of "$pprofil" -o 'x-%r' true)"
one_line "no rank"
expect "no file" "" "$(ls x-* 2>/dev/null)"
"$pprofil" -q -o one.pb.gz "$targets/known-shares" 1 >/dev/null
expect "imbalance without ranks" 125 "$(status_of "$pprofil" report --imbalance one.pb.gz)"
one_line "imbalance without ranks"
expect_text "imbalance without ranks: why" '^pprofil: one.pb.gz: it has fewer than two ranks' err
expect "picture without ranks" 125 "$(status_of "$pprofil" convert -o no.ranks.svg one.pb.gz)"
one_line "picture without ranks"
expect_text "picture without ranks: why" 'fewer than two ranks' err
# without its last member, the history
awk '/^"history":/ { exit } NR > 1 { print line } { line = $0 } END { sub(/,$/, "", line); print line "}" }' \
	merged.json >timeless.json
expect "picture without times" 125 "$(status_of "$pprofil" convert -o no.ranks.svg timeless.json)"
expect_text "picture without times: why" 'timeless.json does not say when' err
PATH=$work/bin:$PATH mpirun 2 "$pprofil" -o 'each-%r.ranks.svg' "$targets/rank-work" 0.3 2>err
one_line "a picture of each rank"
expect_text "a picture of each rank" 'this picture needs all ranks' err
expect "a picture without ranks: status" 125 "$(status_of "$pprofil" -o one.ranks.svg "$targets/known-shares" 0.1)"
expect_text "a picture without ranks: the profile is kept" 'the profile is saved in one.ranks.svg.pb.gz' err
"$pprofil" report -f json one.ranks.svg.pb.gz >json
between "a picture without ranks: its samples" 1 "$(number json samples)" 100000
expect "no picture" "" "$(ls no.ranks.svg 2>/dev/null)"
finish
