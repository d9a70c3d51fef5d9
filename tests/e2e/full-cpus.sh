#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Several pprofils at once, where no CPU is idle: none keeps the others from a CPU for so long that the CPU time of a
# process is missing in its samples. Each pprofil is in a session of its own, because the scheduler divides the CPUs
# among sessions.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

cd "$work" || exit 1
# starts four ranks, as mpirun does
cat >mpirun <<'END'
#!/bin/sh
for rank in 0 1 2 3; do
	OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=4 PMIX_NAMESPACE=job-1@1 "$@" &
done
wait
END
chmod +x mpirun

runs=$(seq $(($(nproc) > 8 ? $(nproc) / 2 : 4)))
for options in "" "-F 1000 --overhead 100"; do
	for run in $runs; do
		mkdir "$run"
		(
			cd "$run" || exit
			# shellcheck disable=SC2086
			setsid -w timeout -k 10 300 "$pprofil" -q $options -o profile.pb.gz ../mpirun "$targets/rank-work" 0.3 2>err
			echo $? >status
		) &
	done
	wait
	expect "'$options': statuses" 0 "$(cat ./*/status | sort -u)"
	for run in $runs; do
		"$pprofil" report -n 0 -f json "$run/profile.pb.gz" >"$run/json"
		"$pprofil" report -n 0 -f csv --by rank "$run/profile.pb.gz" >"$run/csv"
		[ "$options" ] || continue # too few samples for single ranks
		for rank in 0 1 2 3; do
			awk -F, -v rank=$rank '$5 == rank { print $4, $3; exit }' "$run/csv" >cell
			read -r samples ns <cell || samples=0 ns=0
			between "'$options', pprofil $run, rank $rank: samples" 1 "$samples" 1000000
			read -r _ even uneven <"$run/own-$rank"
			time_is "'$options', pprofil $run: rank $rank" $((even + uneven)) "$samples" "$ns" $((even + uneven))
		done
	done
	# No sample represents the time after the last sample of a rank. With few samples, this time is a large part. If the
	# supervisors are in the sessions of their targets, 12 to 22 % of the time are missing, otherwise 2 %.
	for key in samples cpu_ns target_cpu_ns; do
		for run in $runs; do number "$run/json" $key; done | awk '{ sum += $1 } END { printf "%.0f\n", sum }'
	done | paste -s -d' ' >sums
	read -r samples counted used <sums
	echo "'$options': $samples samples have $counted of $used ns"
	if [ "$samples" -ge 800 ]; then
		between "'$options': part of the CPU time that samples have" 0.9 "$(awk "BEGIN { print $counted / $used }")" 1.1
	else
		echo "SKIP '$options': part of the CPU time that samples have: only $samples samples"
	fi
	# shellcheck disable=SC2086
	rm -r $runs
done
finish
