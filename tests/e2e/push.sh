#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Sending profiles to a server, which checks what the documents of Pyroscope and Parca demand: push-server.py.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
command -v python3 >/dev/null || skip "push: there is no python3"
"$pprofil" push 2>&1 | grep -q 'cannot push' && skip "push: $("$pprofil" push 2>&1)"

export no_proxy='*'
mkdir "$work/server"
python3 "$source/tests/e2e/push-server.py" "$work/server" & server=$!
trap 'kill $server 2>/dev/null; rm -rf "$work"' EXIT
await test -s "$work/server/port" || { fail "the server starts" "no port"; finish; }
url=http://127.0.0.1:$(cat "$work/server/port")

behave() { printf '%s\n' "$*" >"$work/server/behaviour"; }
behave_well() { rm -f "$work/server/behaviour"; }
last_request() { tail -n 1 "$work/server/log"; }
requests() { [ ! -f "$work/server/log" ] || wc -l <"$work/server/log" | tr -d ' '; }
taken() { ls "$work/server" | grep -c '^[0-9]*\.pb\.gz$'; }
latest() { echo "$work/server/$(taken).$1"; }
queued() { ls "$work/queue" | grep -c '\.push$'; }
push() { status_of "$pprofil" push "$@"; }
# refused NAME PATTERN ARGUMENT...: an error, in one line with the pattern
refused() {
	name=$1 pattern=$2
	shift 2
	expect "$name" 125 "$(push "$@")"
	one_line "$name"
	expect_text "$name: says so" "$pattern" "$work/err"
}

# the profiles tell each other apart by their numbers of samples
for number in 1 2 3 4 5 6; do
	printf 'main;work %d\nmain 1\n' "$number" >"$work/$number.folded"
done
samples() { "$pprofil" report -f json "$1" >"$work/json"; number "$work/json" samples; }
"$pprofil" -q -g -o "$work/run.pb.gz" "$targets/known-shares" 0.3 >/dev/null
run=$work/run.pb.gz

# --- Pyroscope
expect "sent" 0 "$(push "$url" "$run")"
one_line "sent"
expect_text "sent: says so" 'run.pb.gz: sent to http://127' "$work/err"
expect_text "the path" '^taken /ingest ' "$work/server/log"
expect_text "the name of the program, and the host" "name=known-shares\{host=$(hostname)\}&" "$work/server/log"
begin=$(sed -n 's/.*&from=\([0-9]*\)&.*/\1/p' "$work/server/log")
between "when it began" $(($(date +%s) - 600)) "$begin" "$(date +%s)"
expect "the same samples" "$(samples "$run")" "$(samples "$(latest pb.gz)")"
"$pprofil" report -f csv "$run" >"$work/right"
expect "the same functions" "$(cat "$work/right")" "$("$pprofil" report -f csv "$(latest pb.gz)")"
expect_text "who sent it" '^User-Agent: pprofil/' "$(latest headers)"
expect "a slash at the end" 0 "$(push -q "$url/" "$run")"
expect "-q" "" "$(cat "$work/err" "$work/out")"
expect "labels" 0 "$(push --label env=test --label 'team=a b&c=d%' --name my-app.cpu "$url" "$run")"
expect_text "labels: all" "name=my-app.cpu\{env=test,team=a b&c=d%,host=[^,]*\}&from=" "$work/server/log"
expect "a label replaces that of the profile" 0 "$(push --label host=other "$url" "$run")"
expect_text "a label replaces that of the profile: the query" 'known-shares\{host=other\}' "$work/server/log"
env SLURM_JOB_ID=77 SLURM_PROCID=3 SLURM_STEP_NUM_TASKS=4 "$pprofil" -q -o "$work/rank-%r.pb.gz" "$targets/known-shares" 0.1 >/dev/null
expect "job and rank" 0 "$(push "$url" "$work/rank-3.pb.gz")"
expect_text "job and rank: the query" ',job=77,rank=3\}' "$work/server/log"
# the label of a rank that had no CPU time
env OMPI_COMM_WORLD_RANK=3 PMIX_NAMESPACE=idle "$pprofil" -q -F 1 -o "$work/idle.pb.gz" true
expect "an idle rank" 0 "$(push --name idle "$url" "$work/idle.pb.gz")"
expect_text "an idle rank: the query" "name=idle\{host=$(hostname),job=idle,rank=3\}" "$work/server/log"
expect "standard input, another format" 0 "$(status_of sh -c "'$pprofil' push --name folded '$url' - <'$work/5.folded'")"
expect "standard input: samples" 6 "$(samples "$(latest pb.gz)")"
expect "several files" 0 "$(push --name many "$url" "$work/1.folded" "$work/2.folded")"
expect "several files: each" "2 3" "$(samples "$work/server/$(($(taken) - 1)).pb.gz") $(samples "$(latest pb.gz)")"

# --- who may
expect "a tenant" 0 "$(push --tenant team-1 --header 'X-Extra: some text' "$url" "$run")"
expect_text "a tenant: its header" '^X-Scope-OrgID: team-1' "$(latest headers)"
expect_text "another header" '^X-Extra: some text' "$(latest headers)"
echo 'secret-token ' >"$work/token"
expect "a token" 0 "$(push --token-file "$work/token" "$url" "$run")"
expect_text "a token: its header" '^Authorization: Bearer secret-token$' "$(latest headers)"
expect "a user" 0 "$(push --user me --token-file "$work/token" "$url" "$run")"
expect_text "a user: the header" "^Authorization: Basic $(printf me:secret-token | base64)$" "$(latest headers)"

# --- the other servers
expect "parca" 0 "$(push --to parca --label env=test "$url" "$run")"
expect "parca: the request" "taken /api/profiles/writeraw " "$(last_request)"
expect "parca: labels" "__name__=process_cpu env=test host=$(hostname) service_name=known-shares" \
	"$(paste -s -d' ' "$work/server/labels")"
expect "parca: samples" "$(samples "$run")" "$(samples "$(latest pb.gz)")"
for host in a b; do
	"$pprofil" convert -f json -o - "$run" | sed "s/\"$(hostname)\"/\"$host\"/; s/\"elapsed_ns\":[0-9]*/\"elapsed_ns\":100000000000/" \
		>"$work/of-$host.json"
done
"$pprofil" merge -o "$work/hosts.pb.gz" "$work/of-a.json" "$work/of-b.json"
expect "two hosts at the same time" 0 "$(push --to raw --name hosts "$url/raw" "$work/hosts.pb.gz")"
expect "two hosts at the same time: how long" 100 \
	"$(sed -n 's/.*name=hosts&.*from=\([0-9]*\)&until=\([0-9]*\).*/\1 \2/p' "$work/server/log" | awk '{ print $2 - $1 }')"
touch -d @1700000000 "$work/2.folded"
expect "a profile without a time" 0 "$(push --to parca --name folded "$url" "$work/2.folded")"
"$pprofil" convert --no-symbolize -f json -o "$work/time.json" "$(latest pb.gz)"
expect_text "a profile without a time: it ended when its file was written" '"start_time":1699999999000000000,' "$work/time.json"
expect "raw" 0 "$(push --to raw --label a=b "$url/raw?key=1" "$run")"
expect_text "raw: the request" '^taken /raw key=1&name=known-shares&a=b&host=.*&from=[0-9]*&until=' "$work/server/log"

# --- wrong words
refused "no URL" 'where to\?' 
refused "no file" 'which FILEs\?' "$url"
refused "no such file" 'No such file' "$url" "$work/none.pb.gz"
refused "no profile" 'not a profile' "$url" /bin/sh
refused "another protocol" 'http://' ftp://localhost "$run"
refused "no host" 'no host' http:// "$run"
refused "a password in the URL" '--token-file' http://me:secret@127.0.0.1 "$run"
refused "a query" 'query' "$url/?x=1" "$run"
refused "a port" '1 to 65535' http://127.0.0.1:99999 "$run"
refused "a label without a value" 'KEY=VALUE' --label env "$url" "$run"
refused "an empty value" 'empty' --label env= "$url" "$run"
refused "the name of a label" 'letters, digits' --label 'e-nv=x' "$url" "$run"
refused "a label of the server's" 'belong to the server' --label __name__=x "$url" "$run"
refused "a comma in a value" 'comma' --label env=a,b "$url" "$run"
# shellcheck disable=SC2046
refused "too many labels" '21 labels at most' $(seq -f '--label l%.0f=x' 22) "$url" "$run"
# shellcheck disable=SC2046
expect "as many labels as there may be" 0 "$(push $(seq -f '--label l%.0f=x' 21) "$url" "$run")"
refused "a label like a parameter" 'a parameter of this name' --to raw --label from=1 "$url" "$run"
refused "a label twice" 'there already' --label env=a --label env=b "$url" "$run"
refused "a name" 'letters, digits' --name 'my app' "$url" "$run"
refused "a profile without a name" '--name APP' "$url" "$work/1.folded"
refused "a tenant with a slash" 'letters, digits' --tenant a/b "$url" "$run"
refused "a header without a colon" 'NAME: VALUE' --header x "$url" "$run"
refused "no such token file" 'No such file' --token-file "$work/none" "$url" "$run"
refused "a user without a password" '--token-file' --user me "$url" "$run"
refused "a kind of server" "not 'parcca'; did you mean 'parca'" --to parcca "$url" "$run"
refused "a token file that is none" 'no regular file' --token-file /dev/null "$url" "$run"
: >"$work/empty"
refused "an empty token" 'no token' --token-file "$work/empty" "$url" "$run"

# --- answers
before=$(requests)
behave 400 - 'too many labels'
refused "refused for good" 'does not take it: HTTP status 400: too many labels$' "$url" "$run"
behave 403 - "$(printf 'go\033[31m away')"
refused "a harmful answer" 'status 403: go\?\[31m away$' "$url" "$run"
behave redirect
refused "a redirect is not followed" 'redirects to http://127.0.0.1:1/elsewhere' "$url" "$run"
behave 500
refused "without a queue" 'status 500; --queue DIR keeps it' "$url" "$run"
behave close
refused "no answer" 'could not be sent' "$url" "$run"
behave hang
refused "a late answer" 'could not be sent.*imed out' --timeout 300ms "$url" "$run"
behave_well
expect "each was asked once" 6 $(($(requests) - before))
refused "no server" 'could not be sent' http://127.0.0.1:1 "$run"
refused "no such path" 'status 400: no such path: /nowhere/ingest$' "$url/nowhere" "$run"

# --- the queue
queue="--queue $work/queue --name q"
# shellcheck disable=SC2086 # words
keep() { push $queue "$@"; }
behave 500
for number in 1 2; do
	expect "kept, $number" 1 "$(keep "$url" "$work/$number.folded")"
	one_line "kept, $number"
done
expect_text "kept: says so" 'queue: 2 profiles wait: http://127.*/ingest: HTTP status 500$' "$work/err"
expect "kept: files" 2 "$(queued)"
expect "kept: for the user only" "drwx------ -rw-------" \
	"$(ls -ld "$work/queue" | cut -c 1-10) $(ls -l "$work"/queue/*.push | head -n 1 | cut -c 1-10)"
behave 429
expect "429" 1 "$(keep -q "$url" "$work/3.folded")"
expect "429, -q" "" "$(cat "$work/err")"
behave_well
before=$(taken)
expect "delivered" 0 "$(keep "$url" "$work/4.folded")"
expect "delivered: all" 4 $(($(taken) - before))
expect "delivered: oldest first" "2 3 4 5" "$(for i in 1 2 3 4; do samples "$work/server/$((before + i)).pb.gz"; done | paste -s -d' ')"
expect "delivered: the queue is empty" 0 "$(queued)"
expect "no server, a queue" 1 "$(keep http://127.0.0.1:1 "$work/1.folded")"
one_line "no server, a queue"
rm "$work"/queue/*.push
behave hang
expect "a late answer, a queue" 1 "$(keep --timeout 300ms "$url" "$work/2.folded")"
one_line "a late answer, a queue"
expect_text "a late answer, a queue: says so" '1 profile waits: .*imed out' "$work/err"
behave close
expect "no answer, a queue" 1 "$(keep "$url" "$work/2.folded")"
behave_well
rm "$work"/queue/*.push

# the address, labels and the token file are those of the push that failed
behave 503
cd "$work" || exit
expect "a label is kept" 1 "$(keep --label env=old --tenant t1 --token-file token "$url" 1.folded)"
behave_well
cd / || exit
echo new-token >"$work/token"
expect "without a file, the queue is sent" 0 "$(push --queue "$work/queue" http://127.0.0.1:1)"
expect_text "the label was kept" 'q\{env=old\}' "$work/server/log"
expect_text "the tenant was kept" '^X-Scope-OrgID: t1' "$(latest headers)"
expect_text "the token is read again" 'Bearer new-token$' "$(latest headers)"
if grep -rq new-token "$work/queue"; then fail "the token is not kept" "it is"; else pass "the token is not kept"; fi

# a refused one does not block those behind it
behave 500
expect "one that will be refused" 1 "$(keep "$url/nowhere" "$work/1.folded")"
behave_well
before=$(taken)
expect "refused later" 125 "$(keep "$url" "$work/2.folded")"
expect_text "refused later: says so" '1.folded: .*does not take it: HTTP status 400: no such path' "$work/err"
expect "refused later: the next one is sent" "1 0" "$(($(taken) - before)) $(queued)"

# a server that does not answer does not block the others: its address may be wrong
expect "a wrong address" 1 "$(keep -q http://127.0.0.1:1 "$work/1.folded")"
behave 500
expect "a wrong address: the right server does not take the next one" 1 "$(keep -q "$url" "$work/2.folded")"
behave_well
before=$(taken)
expect "a wrong address: the right server takes all" 1 "$(keep "$url" "$work/3.folded")"
expect "a wrong address: what is left" "2 1" "$(($(taken) - before)) $(queued)"
expect_text "a wrong address: says so" 'queue: 1 profile waits: http://127.0.0.1:1/ingest: ' "$work/err"
rm "$work"/queue/*.push

# a token that the server refuses may be renewed; links to it may change
mkdir "$work/secrets" "$work/secrets/1" "$work/secrets/2"
echo old >"$work/secrets/1/token"
echo renewed >"$work/secrets/2/token"
ln -s 1 "$work/secrets/now"
ln -s now/token "$work/secrets/token"
for status in 401 403; do
	behave $status
	expect "$status: the profile waits" 1 "$(keep -q --token-file "$work/secrets/token" "$url" "$work/1.folded")"
	one_line "$status"
	expect_text "$status: says so, -q" "1 profile waits: .*HTTP status $status" "$work/err"
	behave_well
	ln -sfn 2 "$work/secrets/now"
	[ $status = 403 ] || rm -r "$work/secrets/1"
	expect "$status: the token is renewed" 0 "$(push --queue "$work/queue" "$url")"
	expect_text "$status: the new token" 'Bearer renewed$' "$(latest headers)"
	behave $status
	expect "$status: refused without a token" 125 "$(keep "$url" "$work/1.folded")"
	behave_well
done

# what a push that was killed has left behind
touch "$work/queue/.pprofil-1-0"
touch -d '2 hours ago' "$work/queue/.pprofil-2-0"
expect "old parts of files" 0 "$(push --queue "$work/queue" "$url")"
expect "old parts of files: are removed" .pprofil-1-0 "$(cd "$work/queue" && echo .pprofil-*)"
rm "$work/queue/.pprofil-1-0"

# Retry-After
behave 503 1000
expect "a pause" 1 "$(keep "$url" "$work/1.folded")"
behave_well
before=$(requests)
expect "during the pause" 1 "$(keep "$url" "$work/2.folded")"
expect_text "during the pause: says so" 'wants no more for [0-9]* s$' "$work/err"
expect "during the pause: nothing is sent" "$before" "$(requests)"
touch -d '1 hour ago' "$work/queue/lock"
expect "after the pause" 0 "$(keep "$url" "$work/3.folded")"
expect "after the pause: all" "3 0" "$(($(requests) - before)) $(queued)"

# the limit
behave 500
for number in 1 2 3 4 5 6; do
	keep -q "$url" "$work/$number.folded" >/dev/null
done
size=$(cat "$work"/queue/*.push | wc -c)
expect "the limit" 125 "$(keep -q --queue-max $((size / 2)) "$url" "$work/1.folded")"
one_line "the limit"
expect_text "the limit: says so" 'dropped the oldest profiles, [0-9]* of 7, for --queue-max is' "$work/err"
between "the limit: what is left" 1 "$(cat "$work"/queue/*.push | wc -c)" $((size / 2))
behave_well
before=$(taken)
left=$(queued)
expect "after the limit" 0 "$(push -q --queue "$work/queue" "$url")"
expect "after the limit: the latest" "$left 2" "$(($(taken) - before)) $(samples "$(latest pb.gz)")"
python3 -c 'import random
for i in range(4000): print("f%d;g%d %d" % (random.randrange(10**9), random.randrange(10**9), i + 1))' >"$work/large.folded"
behave 500
expect "larger than the queue" 125 "$(keep --queue-max 2k "$url" "$work/large.folded")"
expect_text "larger than the queue: says so" 'larger than --queue-max' "$work/err"
expect "larger than the queue: nothing is kept" 0 "$(queued)"
behave_well

# a damaged file does not block those behind it
echo damaged >"$work/queue/00000000000000000001-1.push"
expect "a damaged file" 125 "$(keep -q "$url" "$work/1.folded")"
one_line "a damaged file"
expect_text "a damaged file: says so" 'it is damaged, and was removed$' "$work/err"
expect "a damaged file: the next one is sent" 0 "$(queued)"

# many at once: each profile arrives once, and the queue stays whole
behave 500
for number in 1 2 3; do
	keep -q "$url" "$work/$number.folded" >/dev/null
done
behave_well
before=$(taken)
pushes=
for number in 1 2 3 4 5 6; do
	"$pprofil" push -q --timeout 60 --queue "$work/queue" --name q "$url" "$work/$number.folded" &
	pushes="$pushes $!"
done
worst=0
for one in $pushes; do
	wait "$one" || worst=$?
done
expect "many at once" 0 "$worst"
expect "many at once: each" "9 0" "$(($(taken) - before)) $(queued)"
expect "many at once: once" "2 2 3 3 4 4 5 6 7" \
	"$(i=$before; while [ $i -lt "$(taken)" ]; do i=$((i + 1)); samples "$work/server/$i.pb.gz"; done | sort -n | paste -s -d' ')"
# another push has the lock
flock "$work/queue/lock" sleep 600 & holder=$!
await sh -c "! flock -n '$work/queue/lock' true"
expect "another one is sending" 1 "$(keep --timeout 300ms "$url" "$work/1.folded")"
one_line "another one is sending"
expect "another one is sending: it is kept" 1 "$(queued)"
pkill -P $holder
kill $holder 2>/dev/null

# a queue in which others may write: they could name any file as that of the token
mkdir -m 777 "$work/open"
refused "a queue of others" 'others may write to it' --queue "$work/open" "$url" "$run"
if [ "$(id -u)" = 0 ]; then
	mkdir "$work/theirs"
	chown 65534 "$work/theirs"
	refused "a queue of another user" 'belongs to another user' --queue "$work/theirs" "$url" "$run"
else
	echo "SKIP a queue of another user: only root can make one"
fi

: >"$work/file"
refused "the queue is a file" 'queue .*/file: ' --queue "$work/file" "$url" "$run"
expect "nothing was left behind" "" "$(ls -a "$work/queue" | grep '^\.pprofil')"
finish
