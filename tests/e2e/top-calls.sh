#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# pprofil top -g on terminals of three sizes, with a program whose calls are known: main calls
# chain_middle and chain_other; chain_middle calls chain_hot and, a third as long,
# chain_cold; both call chain_leaf.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
. "${abs_srcdir:-.}/tests/e2e/tmux.sh"

chain=$targets/call-tree

# a program that top has started outlives it
end_programs() { pkill -f "^$chain\$"; }
trap 'end_programs; screen_stop; rm -rf "$work"' EXIT
begin() { # SIZE [OPTIONS...]
	size=$1
	shift
	end_programs
	screen_start "${size%x*}" "${size#*x}" "$pprofil" top --overhead 20 "$@" "$chain"
	screen_expect "$size: the program is sampled" 'chain_leaf'
}

for i in 10x40 24x80 60x200; do
	begin "$i" -g
	screen_keys 7
	screen_expect "$i: the tree has what calls" '_start'
	screen_expect "$i: its view is marked" '\[(7 )?calls\]'
	screen_keys End
	screen_expect "$i: to its last leaves" 'chain_(leaf|other|cold)'
	screen_keys 1
	screen_expect "$i: back at functions" '\[(1 )?func(tions)?\]'
	screen_keys / # it may be on any line
	screen_type chain_leaf
	screen_keys Enter c
	screen_expect "$i: callers" 'callers of chain_leaf'
	screen_expect "$i: the larger one" ' chain_hot'
	screen_keys 1
	screen_expect "$i: back from callers" '\[(1 )?func(tions)?\]'
	screen_keys e
	screen_expect "$i: callees" 'callees of chain_leaf'
	screen_keys f
	screen_expect "$i: the flame view" '^[^a-z]+all$'
	screen_expect "$i: says what is selected" '^all +100\.0 % of (window|all), [0-9.]+ s$'
	screen_keys Down Down
	screen_expect "$i: down is a callee" '^(__libc_start|main|chain)[^ ]* .*% of (window|all), '
	screen_keys End
	screen_expect "$i: the last is the deepest" '^chain_leaf .*% of (window|all), '
	screen_keys Enter
	screen_expect_gone "$i: Enter leaves all else out" '^[^a-z]+all$|chain_other'
	screen_keys BSpace
	screen_keys Home
	screen_expect "$i: Backspace brings it back" '^[^a-z]+all$'
	screen_keys s
	screen_expect "$i: of all" '% of all, '
	screen_resize 24 80
	screen_expect "$i: resized" '^[^a-z]+main$'
	screen_keys q
	screen_expect_end "$i: quits" 0
done

# shares are those of the calls: chain_hot has three quarters of chain_middle
begin 24x80 -g
screen_keys 7 s
screen_expect "shares are of all" 'all%'
sleep 4
seen=$(screen_text)
share() { echo "$seen" | awk -v name="$1" '$NF == name { print int($1); exit }'; }
hot=$(share chain_hot) cold=$(share chain_cold) middle=$(share chain_middle)
expect "hot and cold are middle's" yes \
	"$([ "$((hot + cold))" -le "$((middle + 1))" ] && [ "$((hot + cold))" -ge "$((middle - 3))" ] && echo yes)"
expect "hot is the larger (chance: 3 to 1 of some hundred samples)" yes \
	"$([ "$hot" -gt "$cold" ] && echo yes)"
screen_keys /
screen_type chain_middle
screen_keys Enter Left
screen_expect_gone "a folded row hides what is below" 'chain_hot'
screen_keys Right
screen_expect "an unfolded one shows it" 'chain_hot'
screen_keys q
screen_expect_end "quits" 0

# filters are in force on these pages, too
begin 24x80 -g
screen_keys 3
screen_expect "the thread is listed" ' call-tree '
screen_keys Enter
screen_expect "filtered to it" '\[1? ?functions\]'
screen_keys 7
screen_expect "its calls" 'chain_middle'
screen_expect "and whose they are" 'call-tree [0-9]+'
screen_keys BSpace BSpace
screen_expect "back, and out of it" '\[(3 )?threads\]'
screen_keys q
screen_expect_end "quits" 0

# columns
begin 24x80 -g
screen_expect "functions have a share with what they call" 'calls%'
screen_keys s s
screen_expect "sorted by it" 'sorted by the last window, with what was called'
screen_expect "what only calls is on top" '^ +0\.0 +(9[0-9]|100)\.[0-9] '
screen_keys q
screen_expect_end "quits" 0

# ASCII
screen_locale=C
begin 24x80 -g
screen_keys f
screen_expect "bars without UTF-8" '^\|main'
screen_keys 7
screen_expect "branches without UTF-8" '- main'
screen_keys q
screen_expect_end "quits" 0
screen_locale=C.UTF-8

# inlined functions are frames as soon as their lines are known
if command -v "${CC:-cc}" >/dev/null; then
	cat >"$work/inlined.c" <<'END'
static inline __attribute__((always_inline)) double divide(double x)
{
	return x / 1.9999 / 1.0001 / 1.01 / 1.02;
}
static __attribute__((noinline)) double work(double x, int n)
{
	for (int i = 0; i < n; i++)
		x = divide(x) + 3;
	return x;
}
int main(void)
{
	volatile double x = 1;
	for (;;)
		x = work(x, 100000);
}
END
	"${CC:-cc}" -O2 -g -o "$work/inlined" "$work/inlined.c"
	chain=$work/inlined
	screen_start 24 80 "$pprofil" top --overhead 20 -g "$chain"
	screen_expect "an inlined function has a row" '^ *[0-9.]+ +[0-9.]+ .* divide '
	screen_keys 7
	screen_expect "it is called by the function that it is in" '^ +[0-9.]+ +[0-9.]+ +.* work(\..*)?$'
	screen_keys End
	screen_expect "and has the time" '^ +[1-9][0-9.]+ +[1-9][0-9.]+ +.* divide$'
	screen_keys 1
	screen_resize 24 160
	screen_expect "where it is, is said" ' divide .*/inlined.c:1$'
	screen_keys / # it may be on any line
	screen_type divide
	screen_keys Enter Enter
	screen_expect "its code is what it is in" 'x / 1\.9999'
	screen_keys q
	screen_expect_end "quits" 0
	end_programs
	chain=$targets/call-tree
fi

begin 10x40
for key in 7 8 f c e; do
	screen_keys $key
	screen_expect "without -g: $key says so" 'start with -g'
	screen_keys Down
done
screen_keys q
screen_expect_end "quits" 0

finish
