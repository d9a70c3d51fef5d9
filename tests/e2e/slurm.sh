#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Jobs of Slurm: munged, slurmctld and slurmd, which this test starts with files and ports of its own, and a pprofil in
# each rank that srun starts. The program measures with its own clock how long each rank computes.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
[ "$(id -u)" = 0 ] || skip "only root can start Slurm's daemons"
for tool in munged slurmctld slurmd sbatch srun scancel scontrol sinfo squeue setsid; do
	command -v $tool >/dev/null || skip "no $tool"
done
cd "$work" || exit 1
here=$(pwd -P) host=$(uname -n)

# --- the daemons
# Waits until process $1 has ended, and then ends all that work in the folder $2: daemons, steps and what these run, for
# none of the daemons changes its folder. A process of its own does so, that none is left if this script is killed.
# shellcheck disable=SC2016,SC2089
end_all='cd / && while kill -0 "$1"; do sleep 0.5; done
	for try in $(seq 50); do
		mine=$(find /proc/[0-9]*/cwd -maxdepth 0 -lname "$2" | cut -d/ -f3)
		[ -n "$mine" ] || break
		kill -9 $mine
		sleep 0.1
	done
	rm -rf "$2"'
setsid sh -c "$end_all" sh $$ "$here" >/dev/null 2>&1 </dev/null &
# shellcheck disable=SC2090
trap 'cd /; sh -c "$end_all" sh "" "$here" 2>/dev/null' EXIT
trap 'exit 1' HUP INT TERM

# variables of another Slurm
for name in $(env | grep -oE '^(SLURM|SRUN|SCANCEL|SINFO|SQUEUE|PMI)_[A-Z0-9_]*='); do unset "${name%=}"; done
export SLURM_CONF="$here/slurm.conf"
configure_slurm() {
	cat >slurm.conf <<END
ClusterName=pprofil
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$here/munge.socket
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmctldPidFile=$here/slurmctld.pid
SlurmdPidFile=$here/slurmd.pid
SlurmctldLogFile=$here/slurmctld.log
SlurmdLogFile=$here/slurmd.log
StateSaveLocation=$here/state
SlurmdSpoolDir=$here/spool
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/linear
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
}
# munged does not accept what others may write to, such as a folder above, unless it is forced
start_munged() {
	(umask 077 && head -c 128 /dev/urandom >munge.key)
	munged --foreground --force --key-file="$here/munge.key" --socket="$here/munge.socket" \
		--pid-file="$here/munged.pid" --seed-file="$here/munged.seed" >munged.out 2>&1 </dev/null &
	munged=$!
	await is_there_or_has_ended munge.socket $munged
	kill -0 $munged 2>/dev/null && [ -e munge.socket ]
}
is_there_or_has_ended() { [ -e "$1" ] || ! kill -0 "$2" 2>/dev/null; }
is_idle() { [ "$(timeout 10 sinfo -h -o %T 2>/dev/null)" = idle ]; }
is_idle_or_has_ended() { is_idle || ! kill -0 "$controller" 2>/dev/null || ! kill -0 "$node" 2>/dev/null; }
# another program may take a port between the look and the start, so there are several tries
start_slurm() {
	port=$((30000 + $$ % 2000))
	for _ in 1 2 3; do
		port=$((port + 2))
		until port_is_free $port && port_is_free $((port + 1)); do port=$((port + 2)); done
		rm -rf state spool
		mkdir state spool
		configure_slurm
		slurmctld -D -c -f "$SLURM_CONF" >slurmctld.out 2>&1 </dev/null &
		controller=$!
		slurmd -D -f "$SLURM_CONF" -N "$host" >slurmd.out 2>&1 </dev/null &
		node=$!
		await is_idle_or_has_ended
		is_idle && return
		kill -9 $controller $node 2>/dev/null
		wait $controller $node 2>/dev/null
	done
	tail -n 5 slurmctld.out slurmd.out | head -c 1500 | sed 's/^/# /'
	false
}
start_munged || skip "munged does not start here: $(tail -n 1 munged.out)"
start_slurm || skip "Slurm does not start here"
run() { timeout 120 srun "$@" </dev/null; }

expect "srun without pprofil" 0 "$(status_of run -n 4 "$targets/rank-work" 0.01)"
rm -f own-*

# --- a pprofil in each rank
mkdir prof
expect "status" 0 "$(status_of run -n 4 "$pprofil" -g --overhead 100 -o 'prof/%h-%j-%r.pb.gz' "$targets/rank-work" 0.3)"
expect "rank 0 says what it has saved" 1 "$(grep -c 'profile saved' err)"
expect "rank 0 says how to see all" 1 "$(grep -c 'rank 0 of 4; compare all ranks with: ' err)"
# srun says so if it had to wait for the node
expect "the other ranks say nothing" "" "$(cat out err | grep -v '^srun: job\|profile saved\|rank 0 of 4')"
# shellcheck disable=SC2012
job=$(ls prof | sed -n 's/.*-\([0-9]*\)-0\.pb\.gz$/\1/p')
expect "files" "$host-$job-0.pb.gz $host-$job-1.pb.gz $host-$job-2.pb.gz $host-$job-3.pb.gz" "$(cd prof && echo *)"
expect "the job is Slurm's" "JobId=$job" "$(scontrol show job "$job" | grep -o 'JobId=[0-9]*')"

"$pprofil" merge -o flat.pb.gz prof/*
names() { "$pprofil" report -n 0 -f csv --by "$1" "$2" | awk -F, 'NR > 1 { print $5 }' | sort | paste -s -d' '; }
expect "ranks" "0 1 2 3" "$(names rank flat.pb.gz)"
expect "the job" "$job" "$(names job flat.pb.gz)"
expect "the host" "$host" "$(names host flat.pb.gz)"
expect "a file has its rank" 2 "$(names rank "prof/$host-$job-2.pb.gz")"
cat own-* >own
expect "all ranks have computed" 4 "$(wc -l <own)"
while read -r rank even uneven; do
	"$pprofil" report -n 0 -f csv --rank "$rank" flat.pb.gz >rank.csv
	for function in even uneven; do
		due=$even
		[ $function = even ] || due=$uneven
		awk -F, -v f="$function" '$5 == f { print $4, $3; exit }' rank.csv >cell
		read -r samples ns <cell || samples=0 ns=0
		time_is "rank $rank: $function" "$due" "$samples" "$ns" $((even + uneven)) \
			"$(awk -F, '$5 == "[not sampled]" { print $3 }' rank.csv)"
	done
done <own
"$pprofil" report -n 0 -f csv --imbalance flat.pb.gz >imbalance.csv
awk '{ print $1, $3 }' own >own-uneven
imbalance_is "uneven" uneven imbalance.csv own-uneven

# --- merging in a tree, by a job of two ranks
# shellcheck disable=SC2016
expect "the branches: status" 0 "$(status_of run -n 2 sh -c 'first=$((2 * SLURM_PROCID))
	exec "$0" merge -o "part-$SLURM_PROCID.pb.gz" prof/*-$first.pb.gz prof/*-$((first + 1)).pb.gz' "$pprofil")"
expect "the branches: files" "part-0.pb.gz part-1.pb.gz" "$(echo part-*)"
expect "the root: status" 0 "$(status_of "$pprofil" merge -o tree.pb.gz part-0.pb.gz part-1.pb.gz)"
for by in function line rank job host process; do
	"$pprofil" report -n 0 -f csv --by $by flat.pb.gz | sort >flat.csv
	"$pprofil" report -n 0 -f csv --by $by tree.pb.gz | sort >tree.csv
	between "by $by: has rows" 2 "$(wc -l <flat.csv)" 100000
	expect "by $by: a tree merges as one merge does" "$(cat flat.csv)" "$(cat tree.csv)"
done

# --- a batch script is no rank, although it has SLURM_PROCID
cat >batch <<END
#!/bin/sh
"$pprofil" -q -o batch.pb.gz "$targets/rank-work" 0.3
echo \$?,\$SLURM_PROCID,\$SLURM_NTASKS >batch.status
srun -n 2 "$pprofil" -q -o 'step-%r.pb.gz' "$targets/rank-work" 0.01
END
expect "sbatch" 0 "$(status_of timeout 120 sbatch --wait -n 4 -o batch.out batch)"
expect "the batch script: status" 0,0,4 "$(cat batch.status)"
expect "the batch script: rank" "[no rank]" "$(names rank batch.pb.gz)"
expect "the batch script: job" "$(sed -n 's/^Submitted batch job //p' out)" "$(names job batch.pb.gz)"
expect "the steps of a batch script" "step-0.pb.gz step-1.pb.gz" "$(echo step-*)"

# --- what srun returns
expect "the status of a rank" 7 "$(status_of run -n 2 "$pprofil" -o 'status-%r.pb.gz' "$targets/rank-work" 0.01 7)"
expect "the status of a rank: files" "status-0.pb.gz status-1.pb.gz" "$(echo status-*)"
# shellcheck disable=SC2016
for signal in KILL SEGV; do
	expected=$(status_of run -n 1 sh -c "kill -$signal \$\$")
	expect "a rank dies of SIG$signal, as without pprofil" "$expected" \
		"$(status_of run -n 1 "$pprofil" -q -o signal.pb.gz sh -c "kill -$signal \$\$")"
done
expect "no such program" 127 "$(status_of run -n 2 "$pprofil" -o 'none-%r.pb.gz' ./none)"
expect "the same file for all ranks" 125 "$(status_of run -n 2 "$pprofil" -o same.pb.gz "$targets/rank-work" 0.01)"
expect "the same file for all ranks: one says so" 1 "$(grep -c 'all 2 ranks of this job would write this file' err)"
expect "one report: status" 0 "$(status_of run -n 2 "$pprofil" "$targets/rank-work" 0.05)"
expect "one report" 1 "$(cat out err | grep -c '^# [0-9]* samples*,')"

# --- scancel
is_traced_rank() { [ -s "pid-$1" ] && is_traced "$(cat "pid-$1")" 2>/dev/null; }
# all but srun, the daemons and this script
in_job() {
	for process in $(find /proc/[0-9]*/cwd -maxdepth 0 -lname "$here" 2>/dev/null | cut -d/ -f3); do
		tr '\0' '\n' 2>/dev/null <"/proc/$process/environ" | grep -q '^SLURM_PROCID=' && echo "$process"
	done
}
job_is_gone() { [ -z "$(in_job)" ]; }
# cancel NAME OPTION...: by scancel with these options, while all ranks are sampled
cancel() {
	name=$1
	shift
	rm -f pid-* cancelled-*
	timeout 120 srun -n 4 "$pprofil" -g -o 'cancelled-%r.pb.gz' "$targets/rank-work" 30 >out 2>err </dev/null &
	srun=$!
	for rank in 0 1 2 3; do await is_traced_rank $rank || fail "$name: rank $rank" "is not traced"; done
	ranks=$(cat pid-*)
	for process in $ranks; do await has_used "$process" 50; done # so that it has samples
	between "$name: processes" 8 "$(in_job | wc -l)" 100
	expect "$name: status" 0 "$(status_of timeout 60 scancel "$@" "$(squeue -h -o %A)")"
	wait $srun
	for process in $ranks; do expect_free "$name: the rank is not stopped" "$process"; done
	await job_is_gone
	expect "$name: no process is left" "" "$(for process in $(in_job); do ps -o pid=,stat=,args= -p "$process"; done)"
	await is_idle
	expect "$name: the node is free again" idle "$(sinfo -h -o %T)"
}
cancel "scancel -s TERM" -s TERM
expect "scancel -s TERM: files" "cancelled-0.pb.gz cancelled-1.pb.gz cancelled-2.pb.gz cancelled-3.pb.gz" \
	"$(echo cancelled-*)"
expect "scancel -s TERM: merge" 0 "$(status_of "$pprofil" merge -o all.pb.gz cancelled-*)"
expect "scancel -s TERM: the profiles are whole" "0 1 2 3" "$(names rank all.pb.gz)"
# here srun kills all ranks when the first one has ended, and may be faster than some of them
cancel "scancel"
for file in cancelled-*; do
	[ ! -e "$file" ] || expect "scancel: $file is whole" 0 "$(status_of "$pprofil" report "$file")"
done
cancel "scancel -s KILL" -s KILL
finish
