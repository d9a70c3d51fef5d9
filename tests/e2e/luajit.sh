#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Stacks of LuaJIT: code that it compiled at run time (a trace) has no unwinding information, and no frame pointer. Its
# frame has the size of the interpreter's frame, so its caller is found by the interpreter's information.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
command -v luajit >/dev/null || skip "no LuaJIT"

cat >"$work/traces.lua" <<'EOF2'
local function work(n)
  local sum = 0
  for i = 1, n do sum = sum + i % 7 end
  return sum
end
local stop = os.clock() + 1.5
local sum = 0
while os.clock() < stop do sum = sum + work(100000) end
EOF2
expect "runs" 0 "$(status_of "$pprofil" -q --overhead 100 -g -o "$work/lua.pb.gz" luajit "$work/traces.lua")"
"$pprofil" convert -f folded -o "$work/folded" "$work/lua.pb.gz"
share() {
	awk -v pattern="$1" '{ all += $NF; if ($0 ~ pattern) some += $NF } END { print (all > 0 ? some / all : -1) }' \
		"$work/folded"
}
# traces take nearly all the time. Before, each of these stacks ended at its first frame
between "samples in traces" 0.9 "$(share '\[anon\]')" 1
between "their stacks are whole" 0.95 "$(share '^_start;.*;main;.*\[anon\]')" 1
finish
