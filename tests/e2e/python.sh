#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Python frames in stacks, for each Python of this machine from 3.8 on: the stacks that faulthandler prints from inside
# the interpreter are the reference. And programs that only look like Python.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
rounds=${PYTHON_ROUNDS:-40}

# the Pythons of this machine, one a version
for python in /usr/bin/python3 "$HOME"/.pyenv/versions/*/bin/python3; do
	[ -x "$python" ] || continue
	"$python" -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null && echo "$python"
done >"$work/pythons"
[ -s "$work/pythons" ] || { echo "SKIP Python frames: no Python 3.8 or later"; finish; }
version_of() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])'; }

# same_stacks NAME: of the last comparison at least 95 of 100. Of 1000 stacks of each kind, 995 and more are the same: the
# others are stopped while the interpreter makes or frees a frame, which faulthandler shows in another way.
same_stacks() {
	set -- "$1" $(sed -n 's/^\([0-9]*\) of \([0-9]*\) stacks are the same.*/\1 \2/p' "$work/out")
	if [ "${3:-0}" -gt 0 ] && [ "$2" -ge $(($3 * 95 / 100)) ]; then pass "$1: $2 of $3"; else
		fail "$1" "$(tail -n 30 "$work/out"; cat "$work/err")"
	fi
}

while read -r python; do
	version=$(version_of "$python")
	"$python" -c 'import faulthandler, sqlite3, zlib' 2>/dev/null || { echo "SKIP $version: no sqlite3"; continue; }
	for work_kind in cpu gc recursion extensions threads tasks; do
		n=$rounds
		[ "$work_kind" = recursion ] && n=$((rounds / 4)) # faulthandler prints 100 frames, with a call for each word
		status_of "$build/tests/unwind/python-stacks" "$python" "$n" \
			"$source/tests/unwind/python-stacks.py" "$work_kind" >/dev/null
		same_stacks "$version $work_kind"
	done

	expect "$version runs" 0 "$(status_of "$pprofil" -q --overhead 100 -g -o "$work/p.pb.gz" \
		"$python" "$source/tests/targets/known-shares.py" 2 "$work/own")"
	"$pprofil" report -n 0 -f csv "$work/p.pb.gz" >"$work/rows.csv"
	for function in first second third main '<module>'; do
		expect_text "$version: a row of $function" "$function,.*known-shares.py" "$work/rows.csv"
	done
	expect "$version: no native frame of the interpreter's loop" "" \
		"$("$pprofil" convert -f folded -o - "$work/p.pb.gz" | grep 'main;first.*_PyEval_EvalFrameDefault')"
	expect_text "$version: order of frames" '<module>;.*main;.*second;.*third' \
		"$("$pprofil" convert -f folded -o "$work/folded" "$work/p.pb.gz"; echo "$work/folded")"
	expect_text "$version: lines" 'total \^= i \* 3' \
		"$("$pprofil" annotate "$work/p.pb.gz" first >"$work/annotated" 2>&1; echo "$work/annotated")"

	# two threads that want the GIL all the time: one of them waits for it
	cat >"$work/gil.py" <<-'EOF'
		import threading
		def count():
		    for i in range(6000000):
		        pass
		threads = [threading.Thread(target=count) for i in range(2)]
		[thread.start() for thread in threads]
		[thread.join() for thread in threads]
	EOF
	expect "$version waits" 0 "$(status_of "$pprofil" -q --overhead 100 -w -o "$work/w.pb.gz" "$python" "$work/gil.py")"
	"$pprofil" report -n 0 -f csv --by wait "$work/w.pb.gz" >"$work/waits.csv"
	expect_text "$version: the GIL has its name" ',futex GIL in ' "$work/waits.csv"
	expect "$version: and no other" "" "$(grep _PyRuntime "$work/waits.csv")"

	# two processes that the interpreter forks, each of which burns CPU time in burn
	cat >"$work/forks.py" <<-'EOF'
		import os
		def burn():
		    total = 0
		    for i in range(12000000):
		        total += i % 7
		if os.fork() == 0:
		    burn()
		    os._exit(0)
		burn()
		os.wait()
	EOF
	expect "$version forks" 0 "$(status_of "$pprofil" -q --overhead 100 -g -o "$work/k.pb.gz" "$python" "$work/forks.py")"
	for_each=$("$pprofil" convert -f folded -o - "$work/k.pb.gz" | awk '
		{ all += $NF } /;burn/ { burn += $NF; split($0, word, ";"); process[word[1]] += $NF }
		END { for (name in process) n++; print n, (burn > 0.6 * all ? "most" : burn " of " all) }')
	expect "$version forks: burn in both processes" "2 most" "$for_each"

	if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 12))'; then
		status_of "$pprofil" -q --overhead 100 -g -o "$work/x.pb.gz" "$python" -X perf \
			"$source/tests/targets/known-shares.py" 2 "$work/own3" >/dev/null
		"$pprofil" report -n 0 -f json "$work/x.pb.gz" >"$work/x.json"
		"$pprofil" convert -f folded -o "$work/x.folded" "$work/x.pb.gz"
		expect_text "$version -X perf: frames" '<module>;.*main;.*second;.*third' "$work/x.folded"
		# A trampoline stays in the stacks that were taken before the interpreter was found, and in those of the few
		# instructions before its Python frame exists. Both are less than 1 in 100 of these samples here
		expect "$version -X perf: no trampolines, whole stacks" most "$(awk '
			/;main;/ { all += $NF } /;main;/ && !/;py::|^\[/ { good += $NF }
			END { print (all > 0 && good >= 0.9 * all ? "most" : good + 0 " of " all + 0) }' "$work/x.folded")"
	fi

	expect "$version --no-python" 0 "$(status_of "$pprofil" -q --no-python --overhead 100 -g -o "$work/n.pb.gz" \
		"$python" "$source/tests/targets/known-shares.py" 0.3 "$work/own2")"
	expect "$version --no-python: no Python frames" 0 \
		"$("$pprofil" report -n 0 -f csv "$work/n.pb.gz" | grep -c known-shares.py)"
done <"$work/pythons"

# After the first process of an interpreter, the supervisor knows the others from their first sample. Only a few samples
# of each have no frames: those before its threads were first met. Without that, most have none. The first process has
# by far the most samples, and is left out.
cat >"$work/short" <<'EOF'
"$1" -c 'for i in range(30000000): pass'
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	"$1" -c 'def short_burn():
    for i in range(300000): pass
short_burn()'
done
EOF
while read -r python; do
	version=$(version_of "$python")
	expect "$version, short processes" 0 "$(status_of "$pprofil" -q --overhead 100 -g -o "$work/s.pb.gz" \
		sh "$work/short" "$python")"
	"$pprofil" convert -f folded --roots process -o "$work/folded" "$work/s.pb.gz"
	between "$version, short processes: samples without frames" 0 "$(awk '
		{ split($0, part, ";"); process = part[1] }
		/Run_SimpleString/ { all[process] += $NF; if (!/<module>/) native[process] += $NF }
		END {
			for (process in all) if (all[process] > most) { most = all[process]; first = process }
			for (process in all) if (process != first) { sum += all[process]; bad += native[process] }
			print (sum > 0 ? bad / sum : -1)
		}' "$work/folded")" 0.2
done <"$work/pythons"

# a program that looks like Python is profiled like any other, is not harmed, and ends as it would
for kind in nonsense ring freed starting; do
	"$targets/false-python" "$kind" &
	pid=$!
	expect "false Python, $kind: pprofil ends" 0 \
		"$(status_of "$pprofil" -g -d 2 -p "$pid" -o "$work/f.pb.gz" --overhead 100)"
	if kill -0 "$pid" 2>/dev/null; then pass "false Python, $kind: lives"; else fail "false Python, $kind" "it has ended"; fi
	"$pprofil" report -n 0 -f csv "$work/f.pb.gz" >"$work/f.csv"
	expect_text "false Python, $kind: its own function" 'work,false-python' "$work/f.csv"
	[ "$kind" = nonsense ] && expect_text "false Python, $kind: is said" 'its memory is not that of a Python 3.12' "$work/err"
	expect_free "false Python, $kind: free" "$pid"
	kill -9 "$pid"
	wait "$pid" 2>/dev/null
done
finish
