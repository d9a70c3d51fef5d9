#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# When a handler runs on an alternate stack, the supervisor looks in that stack for the registers of the interrupted
# code, and copies that code's stack, too. Other memory of a stack may look similar: while an exception is thrown, the
# C++ runtime notes there where registers are.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
command -v gcc >/dev/null || skip "no compiler"

# share PATTERN: the share of the samples whose stack matches it
share() {
	"$pprofil" convert -f folded -o "$work/folded" "$work/p.pb.gz"
	awk -v pattern="$1" '{ all += $NF; if ($0 ~ pattern) some += $NF } END { print (all > 0 ? some / all : -1) }' \
		"$work/folded"
}

gcc -O1 -g -o "$work/signals" "$source/tests/unwind/signals.c" -lrt -lm 2>"$work/log" || skip "$(cat "$work/log")"
"$work/signals" x & target=$!
"$pprofil" -q -g -d 2 --overhead 100 -o "$work/p.pb.gz" -p $target >/dev/null 2>&1
kill -9 $target
wait $target 2>/dev/null
between "handlers on an alternate stack have callers" 0.05 "$(share '^_start;.*;main;.*;handler;deeper')" 1
between "and all stacks are whole" 0.98 "$(share '^_start;')" 1

if command -v g++ >/dev/null; then
	cat >"$work/throws.cc" <<'EOF2'
__attribute__((noinline)) int thrower(int i)
{
    if (i >= 0)
        throw i;
    return i;
}
int main()
{
    long sum = 0;
    for (int i = 0; i < 1000000; i++)
        try {
            sum += thrower(i);
        } catch (int caught) {
            sum += caught;
        }
    return sum == 1;
}
EOF2
	g++ -O1 -o "$work/throws" "$work/throws.cc"
	"$pprofil" -q -g --overhead 100 -o "$work/p.pb.gz" "$work/throws"
	# before, 3 to 5 of 100 were cut short
	between "exceptions: all stacks are whole" 0.99 "$(share '^_start;')" 1
fi
finish
