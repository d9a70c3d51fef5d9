#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Python frames where an interpreter is not a program of its own, or a thread is not all there is to a stack:
# subinterpreters, greenlets, a library in another program (gdb), a PID namespace, a sleeping thread; and in top.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
. "${abs_srcdir:-.}/tests/e2e/tmux.sh"

python=/usr/bin/python3
shares=$source/tests/targets/known-shares.py
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null || skip "no $python of version 3.8 or later"

# stacks NAME COMMAND...: runs it, and writes its stacks to $work/folded
stacks() {
	name=$1
	shift
	expect "$name runs" 0 "$(status_of "$pprofil" -q -g --overhead 100 -o "$work/p.pb.gz" "$@")"
	"$pprofil" convert -f folded -o "$work/folded" "$work/p.pb.gz"
}
# after PYTHON COMMAND...: runs COMMAND after a process of PYTHON. Its interpreter is found after 0.05 s, or 0.5 s on a
# busy machine. In further processes of the same file it is known from the beginning.
cat >"$work/after" <<'EOF'
"$1" -c 'for i in range(30000000): pass'
shift
"$@"
EOF
# most NAME SUBJECT PATTERN [LEAST]: at least LEAST (90) of 100 samples of the stacks with SUBJECT have PATTERN. Without it
# are those that were taken before the interpreter, its threads or its code objects were first met, and while it starts
# or ends.
most() {
	expect "$1" most "$(awk -v subject="$2" -v pattern="$3" -v least="${4:-90}" '
		$0 ~ subject { all += $NF; if ($0 ~ pattern) good += $NF }
		END { print (all > 0 && good * 100 >= least * all ? "most" : good + 0 " of " all + 0) }' "$work/folded")"
}

cat >"$work/interpreters.py" <<'EOF'
try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters
def enter(interpreter):
    interpreters.run_string(interpreter, '''
def inner_burn():
    total = 0
    for i in range(6000000):
        total += i % 7
def inner():
    inner_burn()
inner()
''')
for turn in range(2):
    enter(interpreters.create())
EOF
for each in "$python" "$HOME"/.pyenv/versions/*/bin/python3; do
	version=$("$each" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
	"$each" -c 'import _xxsubinterpreters' 2>/dev/null || "$each" -c 'import _interpreters' 2>/dev/null || continue
	stacks "$version, subinterpreters" sh "$work/after" "$each" "$each" "$work/interpreters.py"
	most "$version: frames of both interpreters" 'enter;.*EvalCode' '<module>;.*enter;.*<module>;.*inner;.*inner_burn'
done

if "$python" -c 'import greenlet' 2>/dev/null; then
	cat >"$work/greenlets.py" <<-'EOF'
		import greenlet
		def burn(amount):
		    total = 0
		    for i in range(amount):
		        total += i % 7
		def first_task():
		    while True:
		        burn(30000)
		        main.switch()
		def second_task():
		    while True:
		        burn(60000)
		        main.switch()
		main = greenlet.getcurrent()
		tasks = greenlet.greenlet(first_task), greenlet.greenlet(second_task)
		for i in range(100):
		    for task in tasks:
		        task.switch()
	EOF
	stacks "greenlets" sh "$work/after" "$python" "$python" "$work/greenlets.py"
	most "frames of greenlets" 'g_initialstub' '(first|second)_task;.*burn'
else
	echo "SKIP greenlets: no python3-greenlet"
fi

if gdb --batch -nx -ex 'python print(1)' >/dev/null 2>&1; then
	printf '%s\n' python 'def gdb_burn():' ' total = 0' ' for i in range(30000000):' '  total += i % 7' 'gdb_burn()' end \
		>"$work/commands"
	stacks "gdb" gdb --batch -nx -x "$work/commands"
	# on a busy machine, the interpreter may be found late
	most "frames in gdb" 'PyRun_SimpleString' '<module>;.*gdb_burn' 50
else
	echo "SKIP an embedded interpreter: no gdb with Python"
fi

if unshare -pf true 2>/dev/null; then
	stacks "a PID namespace" sh "$work/after" "$python" unshare -pf "$python" "$shares" 1 "$work/own"
	most "frames in a PID namespace" 'Py_RunMain;.*main;' '<module>;.*main;.*(first|second|third)'
else
	echo "SKIP a PID namespace: not permitted"
fi

# A thread that sleeps is not stopped. On a busy machine, the interpreter in its process may be found late
printf '%s\n' 'import time' 'def doze():' '    time.sleep(4)' 'doze()' >"$work/doze.py"
stacks "a sleeper" -w "$python" "$work/doze.py"
most "frames of a sleeper" 'clock_nanosleep' '<module>;.*doze;.*clock_nanosleep' 50

screen_start 24 100 "$pprofil" top -g --overhead 50 "$python" "$shares" 60 "$work/own2"
screen_expect "top: Python functions" '(second|third|first) '
screen_expect "top: in their file" 'known-shares.py'
screen_keys 7
screen_expect "top: calls" '<module>'
screen_keys q
screen_expect_end "top: quits" 0
pkill -f "$shares 60 $work/own2"
finish
