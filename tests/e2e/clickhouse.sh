#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Rows of profiles in a ClickHouse server that this test starts: the queries of contrib/clickhouse give what pprofil
# gives for the merged profile. Two real runs, which are ranks of a job, are multiplied: each copy is another host or
# another time. PPROFIL_CLICKHOUSE_ROWS is how many rows there are to be at least, such as 10000000.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
command -v clickhouse-server >/dev/null && command -v clickhouse-client >/dev/null || skip "no ClickHouse"
cd "$work" || exit 1
rows=${PPROFIL_CLICKHOUSE_ROWS:-1}
queries=$source/contrib/clickhouse/queries
mkdir runs

# --- the server
server=
stop_server() {
	[ -n "$server" ] && kill -9 "$server" 2>/dev/null && wait "$server" 2>/dev/null
	rm -rf "$work"
}
trap stop_server EXIT
trap 'exit 1' HUP INT TERM
# the server ends with this script, even if that is killed
with_me=
setpriv --pdeathsig KILL true 2>/dev/null && with_me="setpriv --pdeathsig KILL"

configure_server() {
	cat >config.xml <<END
<yandex>
	<logger><level>warning</level><log>$work/server.log</log><errorlog>$work/server.err</errorlog></logger>
	<listen_host>127.0.0.1</listen_host>
	<tcp_port>$port</tcp_port>
	<path>$work/data/</path>
	<tmp_path>$work/tmp/</tmp_path>
	<users_config>$work/users.xml</users_config>
	<default_profile>default</default_profile>
	<default_database>default</default_database>
	<mark_cache_size>67108864</mark_cache_size>
	<remote_servers>
		<pprofil><shard><replica><host>127.0.0.1</host><port>$port</port></replica></shard></pprofil>
	</remote_servers>
</yandex>
END
	cat >users.xml <<END
<yandex>
	<profiles><default><max_memory_usage>4000000000</max_memory_usage></default></profiles>
	<users>
		<default>
			<password></password>
			<networks><ip>127.0.0.1</ip></networks>
			<profile>default</profile>
			<quota>default</quota>
		</default>
	</users>
	<quotas><default></default></quotas>
</yandex>
END
}
client() { clickhouse-client --host 127.0.0.1 --port "$port" "$@"; }
answers_or_has_ended() { ! kill -0 "$server" 2>/dev/null || client --query 'SELECT 1' >/dev/null 2>&1; }
# another program may take the port between the look and the start, so there are several tries
start_server() {
	port=$((20000 + $$ % 10000))
	for _ in 1 2 3 4 5; do
		port=$((port + 1))
		until port_is_free $port; do port=$((port + 1)); done
		configure_server
		# shellcheck disable=SC2086
		$with_me clickhouse-server --config-file=config.xml >server.out 2>&1 &
		server=$!
		await answers_or_has_ended
		kill -0 "$server" 2>/dev/null && client --query 'SELECT 1' >/dev/null 2>&1 && return
	done
	echo "# $(cat server.out server.err 2>/dev/null | head -c 1000)"
	false
}
# timed NAME COMMAND...: runs it, and says how long it took
timed() {
	timed_name=$1
	shift
	timed_begin=$(date +%s%N)
	"$@"
	echo "# $timed_name: $((($(date +%s%N) - timed_begin) / 1000000)) ms" >&2
}
# ask QUERY [WHERE]: all rows that a file of contrib/clickhouse/queries gives
ask() {
	sed "s/WHERE 1\$/WHERE ${2:-1}/; /^LIMIT/d" "$queries/$1.sql" >query.sql
	timed "query $1" client --format TabSeparatedRaw <query.sql
}
insert() { client --query "INSERT INTO pprofil.samples FORMAT JSONEachRow"; }

start_server || { fail "the server" "does not start"; finish; }
expect "schema" 0 "$(status_of client --multiquery <"$source/contrib/clickhouse/schema.sql")"
expect "schema, again" 0 "$(status_of client --multiquery <"$source/contrib/clickhouse/schema.sql")"

# --- two runs
cat >work.py <<'END'
import ast, copy, glob, io, json, os, re, sys, time, tokenize
end = time.process_time() + float(sys.argv[1])
while True:
    for name in sorted(glob.glob(os.path.dirname(os.__file__) + '/*.py')):
        text = open(name, encoding='utf-8', errors='replace').read()
        ast.dump(copy.deepcopy(ast.parse(text)))
        list(tokenize.generate_tokens(io.StringIO(text).readline))
        json.loads(json.dumps(text.split()))
        re.findall(r'(\w+)\s*\(([^()]*)\)', text)
        if time.process_time() > end:
            sys.exit()
END
seconds=$([ "$rows" -gt 100000 ] && echo 8 || echo 1)
run() { # RANK NAME COMMAND...
	rank=$1 name=$2
	shift 2
	OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=2 PMIX_NAMESPACE=job-7 \
		"$pprofil" -q -g -F 999 --overhead 50 -o runs/%r.pb.gz "$@" >/dev/null
	mv "runs/$rank.pb.gz" "runs/$name.pb.gz"
}
if command -v python3 >/dev/null; then
	run 0 old python3 work.py "$seconds"
else
	run 0 old "$targets/known-shares" 1
fi
run 1 new "$targets/known-shares" 1
# A merge gives code the best name that any of its files has. So it is made once before the rows are.
"$pprofil" merge -o runs/both.pb.gz runs/old.pb.gz runs/new.pb.gz
"$pprofil" convert --rank 0 -o runs/old.pb.gz runs/both.pb.gz
"$pprofil" convert --rank 1 -o runs/new.pb.gz runs/both.pb.gz
"$pprofil" convert -o old.jsonl --label version=1.2 --label env=prod runs/old.pb.gz
"$pprofil" convert -f clickhouse -o - --label version=1.3 --label env=prod runs/new.pb.gz >new.jsonl
cat old.jsonl new.jsonl >both.jsonl
base=$(wc -l <both.jsonl)
between "rows of the runs" 5 "$base" 1000000

# --- many hosts and times
copies=$(((rows + base - 1) / base))
[ "$copies" -ge 8 ] || copies=8
hosts=$((copies < 160 ? 4 : 40))
times=$(((copies + hosts - 1) / hosts))
start=$(sed -n '1s/^{"time":\([0-9]*\),.*/\1/p' both.jsonl)
between "start of the run" "$(($(date +%s) - 3600))" "$start" "$(date +%s)"
multiply() {
	for time in $(seq 0 $((times - 1))); do
		for host in $(seq 0 $((hosts - 1))); do
			sed "s/^{\"time\":[0-9]*/{\"time\":$((start + 60 * time))/
				s/\"host\":\"[^\"]*\"/\"host\":\"node-$host\"/" both.jsonl
		done
	done
}
load() { multiply | insert; }
"$pprofil" report -n 1 runs/both.pb.gz | head -n 3
timed "load of $((hosts * times * base)) rows, $(wc -c <both.jsonl) bytes for $base" load
expect "rows" $((hosts * times * base)) "$(client --query 'SELECT count() FROM pprofil.samples')"
# merge_copies FILE COUNT: so many copies of runs/FILE, made of merges of merges
merge_copies() {
	cp "runs/$1" power.pb.gz
	copies_left=$2
	while [ "$copies_left" -gt 0 ]; do
		if [ $((copies_left % 2)) = 1 ] && [ -f "$1" ]; then
			"$pprofil" merge -o "$1" "$1" power.pb.gz
		elif [ $((copies_left % 2)) = 1 ]; then
			cp power.pb.gz "$1"
		fi
		"$pprofil" merge -o power.pb.gz power.pb.gz power.pb.gz
		copies_left=$((copies_left / 2))
	done
}
merge_copies old.pb.gz $((hosts * times))
merge_copies new.pb.gz $((hosts * times))
"$pprofil" merge -o merged.pb.gz old.pb.gz new.pb.gz
echo "# frames of a stack: $(client --query 'SELECT avg(length(stack)) FROM pprofil.samples'); as pprof:" \
	"$(wc -c <runs/old.pb.gz) and $(wc -c <runs/new.pb.gz) bytes"
echo "# on disk: $(client --query "SELECT sum(bytes_on_disk), sum(data_uncompressed_bytes), count()
	FROM system.parts WHERE active AND database = 'pprofil' FORMAT TabSeparatedRaw") bytes, bytes unpacked, parts"

server_used() {
	echo "# the server has used $(cpu_ticks "$server") hundredths of a second of CPU time, and at most" \
		"$(sed -n 's/^VmHWM:[^0-9]*//p' "/proc/$server/status") of memory"
}
server_used

# Code without a name is a row for each address in the table, and one for each object in a report.
named='$1 !~ /[+]0x/ && $1 != "[" $2 "]"'
# report_self FILE: NAME OBJECT SAMPLES NS of functions
report_self() {
	"$pprofil" report -n 0 -f csv "$1" | tr -d '\r' | awk -F, -v OFS='\t' 'NR > 1 { print $5, $6, $4, $3 }' | summed
}
# summed: lines "NAME OBJECT SAMPLES NS", of which those with the same name and object are one
summed() {
	awk -F'\t' -v OFS='\t' '{ sub(/.*\//, "", $2) }
		'"$named"' { samples[$1 OFS $2] += $3; ns[$1 OFS $2] += $4 }
		END { for (key in ns) if (ns[key] > 0) printf "%s\t%.0f\t%.0f\n", key, samples[key], ns[key] }' | sort
}
# same NAME EXPECTED GOT: both files are equal, and not empty
same() {
	if [ -s "$2" ] && cmp -s "$2" "$3"; then
		pass "$1 ($(wc -l <"$2") lines)"
	else
		fail "$1" "$(diff "$2" "$3" | head -n 6)"
	fi
}

# --- top functions
ask top-functions | cut -f 1-4 | summed >got
report_self merged.pb.gz >due
same "top functions" due got
sums=$(client --query 'SELECT sum(samples), sum(ns) FROM pprofil.samples FORMAT TabSeparatedRaw' | tr '\t' ' ')
"$pprofil" report -f json merged.pb.gz >merged.json
expect "all samples and all time" "$(number merged.json samples) $(number merged.json cpu_ns)" "$sums"
ask top-functions "host = 'node-3'" | cut -f 1-4 | summed >got
awk -F'\t' -v OFS='\t' -v n="$hosts" '{ printf "%s\t%s\t%.0f\t%.0f\n", $1, $2, $3 / n, $4 / n }' due >due.host
same "top functions of a host" due.host got
# totals of functions whose name is that of one function
"$pprofil" report -n 0 -f csv merged.pb.gz | tr -d '\r' | awk -F, -v OFS='\t' '
	NR > 1 && $5 !~ /[+]0x/ && $5 != "[" $6 "]" { rows[$5]++; total[$5] = $14 OFS $13 }
	END { for (name in rows) if (rows[name] == 1) print name, total[name] }' | sort >due.total
ask top-functions-total | cut -f 1-3 | sort >all.total
awk -F'\t' 'NR == FNR { due[$1]; next } $1 in due' due.total all.total >got
same "top functions by total" due.total got

# --- flame graphs
# lines: folded stacks, of which equal ones are one
lines() {
	awk '{ count = $NF; sub(/ [0-9]+$/, ""); sum[$0] += count }
		END { for (line in sum) printf "%s %.0f\n", line, sum[line] }' | sort
}
"$pprofil" convert -f folded --roots none -o - merged.pb.gz | lines >due
ask flame-graph >flame.folded
lines <flame.folded >got
same "flame graph" due got
"$pprofil" convert -f folded --roots none --values time -o - merged.pb.gz | lines >due
sed 's/toString(stack_samples)/toString(intDiv(stack_ns + 500, 1000))/' "$queries/flame-graph.sql" |
	client | lines | grep -v ' 0$' >got
# functions of one name in two objects are two lines of a folded file, which are rounded apart
awk '{ value = $NF; sub(/ [0-9]+$/, "") } NR == FNR { due[$0] = value; next }
	!($0 in due) || due[$0] - value > 2 || value - due[$0] > 2 { print }
	{ delete due[$0] }
	END { for (line in due) if (due[line] > 2) print line }' due got >wrong
expect "flame graph of time" "" "$(head -n 3 wrong)"
"$pprofil" convert -f folded --roots none -o - new.pb.gz | lines >due
ask flame-graph "labels.value[indexOf(labels.key, 'version')] = '1.3' AND host < 'x'" | lines >got
same "flame graph of a version" due got
"$pprofil" convert -o flame.svg - <flame.folded
expect_text "picture" '<svg.*' flame.svg
expect_text "picture: a function" 'spend_half' flame.svg
"$pprofil" convert --input-format folded -o input.svg - <flame.folded
expect "picture: --input-format" 0 "$(status_of cmp flame.svg input.svg)"
"$pprofil" convert -f folded -o f.svg - <flame.folded
expect "picture: -f is the format of standard input" 0 "$(status_of cmp flame.svg f.svg)"
"$pprofil" convert -f folded -o f.html runs/new.pb.gz
expect_text "-f is the format of OUT otherwise" ';spend_half [0-9]+$' f.html
"$pprofil" convert -f folded -o f.html - <runs/new.pb.gz
expect_text "-f is the format of OUT if something else comes in" ';spend_half [0-9]+$' f.html
"$pprofil" convert -f folded --roots none -o f.collapsed - <flame.folded
expect "-f is the format of OUT if its name agrees" "$(lines <flame.folded)" "$(lines <f.collapsed)"

# --- deploys, hosts, ranks, minutes
ask deploy >deploy
cut -f 1-3 deploy | awk -F'\t' -v OFS='\t' '{ print $1, $2, 0, $3 }' | summed | cut -f 1,2,4 >got
report_self old.pb.gz | cut -f 1,2,4 >due
same "before a deploy" due got
awk -F'\t' -v OFS='\t' '{ print $1, $2, 0, $4 }' deploy | summed | cut -f 1,2,4 >got
report_self new.pb.gz | cut -f 1,2,4 >due
same "after a deploy" due got
ask by-host | cut -f 1-3 | sort >got
for host in $(seq 0 $((hosts - 1))); do
	echo "node-$host ${sums% *} ${sums#* } $hosts" | awk '{ printf "%s\t%.0f\t%.0f\n", $1, $2 / $4, $3 / $4 }'
done | sort >due
same "hosts" due got
"$pprofil" report -n 0 -f csv --by rank merged.pb.gz | tr -d '\r' |
	awk -F, -v OFS='\t' 'NR > 1 { print $5, $4, $3 }' | sort >due
sed 's/host/rank/g' "$queries/by-host.sql" | client --format TabSeparatedRaw | cut -f 1-3 | sort >got
same "ranks" due got
"$pprofil" report -n 0 -f csv --imbalance merged.pb.gz | tr -d '\r' |
	awk -F, -v OFS='\t' 'NR > 1 && '"$named"' && $9 > 0 { print $1, $2, $7, $8, $9, $11 }' | sort >due
ask by-rank | cut -f 1,2,5-8 |
	awk -F'\t' -v OFS='\t' '{ sub(/.*\//, "", $2); $4 = sprintf("%.0f", int($4)) } '"$named" | sort >got
same "imbalance" due got
server_used
ask timeline "service = 'known-shares'" >got
between "minutes" "$times" "$(wc -l <got)" $((times + 1))
ns=$(client --query "SELECT sum(ns) FROM pprofil.samples WHERE service = 'known-shares'")
# each line is rounded to a thousandth of a minute's time
expect "time of all minutes" "" "$(awk -F'\t' -v ns="$ns" '
	{ s += 60 * $3 } END { if (s - ns / 1e9 > 0.03 * NR || ns / 1e9 - s > 0.03 * NR) print s, ns }' got)"
head -n 1 new.jsonl | sed "s/^{\"time\":[0-9]*/{\"time\":$((start / 60 * 60 - 86400 + 45))/; s/\"duration_ns\":[0-9]*/\"duration_ns\":90000000000/
	s/\"service\":\"[^\"]*\"/\"service\":\"long\"/; s/\"ns\":[0-9]*/\"ns\":135000000000/" | insert
expect "minutes of a long row" "0.375 1.5 0.375" "$(ask timeline "service = 'long'" | cut -f 3 | tr '\n' ' ' | sed 's/ $//')"

# --- names of all kinds
printf 'a"b;c\\d\\t;x\377y;\303\244\001z;plain (int, char) 3\nmain;\033[31m 2\n' >hostile.folded
"$pprofil" convert -f clickhouse -o - --label service=hostile --label host=x --label "$(printf 'q"uote=\377')" \
	--input-format folded hostile.folded | insert
"$pprofil" convert -f folded -o - --input-format folded hostile.folded | lines >due
ask flame-graph "service = 'hostile' AND host = 'x'" | lines >got
same "hostile names" due got
expect "a label that is not UTF-8" "$(printf 'q"uote=\357\277\275')" "$(client --query "
	SELECT concat(labels.key[3], '=', labels.value[3]) FROM pprofil.samples WHERE service = 'hostile' LIMIT 1
	FORMAT TabSeparatedRaw")"
expect "a time that is not known" 0 \
	"$(client --query "SELECT max(toUInt32(time)) FROM pprofil.samples WHERE service = 'hostile'")"

# --- several servers: here they are one, as the cluster of config.xml says
expect "schema of a cluster" 0 "$(status_of client --multiquery <"$source/contrib/clickhouse/schema-cluster.sql")"
count_rows() { client --query 'SELECT count() FROM pprofil.samples' 2>/dev/null; }
before=$(count_rows)
insert <both.jsonl
has_all() { [ "$(count_rows)" = $((before + base)) ]; }
if await has_all; then pass "cluster: rows"; else fail "cluster: rows" "$(count_rows)"; fi
"$pprofil" merge -o more.pb.gz merged.pb.gz runs/old.pb.gz runs/new.pb.gz
"$pprofil" convert -f folded --roots none -o - more.pb.gz | lines >due
ask flame-graph "service NOT IN ('hostile', 'long')" | lines >got
same "cluster: flame graph" due got

# --- several files, and what is wrong
"$pprofil" convert -f clickhouse -o - --label k=v runs/old.pb.gz runs/new.pb.gz >two.jsonl
expect "several files" "$base" "$(wc -l <two.jsonl)"
expect "one is damaged" "125 $(wc -l <new.jsonl)" \
	"$(status_of "$pprofil" convert -f clickhouse -o - config.xml runs/new.pb.gz) $(wc -l <out)"
expect "several files of a profile" 125 \
	"$(status_of "$pprofil" convert -f folded -o - runs/old.pb.gz runs/new.pb.gz)"
one_line "several files of a profile"
expect "several files into a file" 125 "$(status_of "$pprofil" convert -o x.jsonl runs/old.pb.gz runs/new.pb.gz)"
one_line "several files into a file"
for label in version =x ""; do
	expect "label '$label'" 125 "$(status_of "$pprofil" convert -o x.jsonl --label "$label" runs/new.pb.gz)"
	one_line "label '$label'"
done
"$pprofil" convert -f clickhouse -o - --label a=b --label d=e --label a=c runs/new.pb.gz | head -n 1 >twice.jsonl
expect_text "a label twice: the last one counts" '"labels.key":\["a","d"\],"labels.value":\["c","e"\]' twice.jsonl
expect "label for another format" 125 "$(status_of "$pprofil" convert -o x.json --label a=b runs/new.pb.gz)"
one_line "label for another format"
expect "no file" "" "$(ls x.* 2>/dev/null)"
finish
