#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Reports and diffs fit into a terminal: no row is longer than a line of it, long names are short, and a pager shows what
# is longer than the screen.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

command -v script >/dev/null || { echo "SKIP all: no script"; exit 0; }
command -v "${CXX:-g++}" >/dev/null || { echo "SKIP all: no C++ compiler"; exit 0; }
cat >"$work/names.cpp" <<'END'
#include <algorithm>
#include <map>
#include <string>
#include <vector>
struct point_with_a_long_name { long x, y; };
typedef std::map<std::string, std::vector<std::pair<long, point_with_a_long_name>>> table;
template <class Table> __attribute__((noinline)) long fill_the_table(Table &all, long count)
{
	long sum = 0;
	for (long i = 0; i < count; i++) {
		auto &row = all[std::to_string(i % 97)];
		row.push_back({i, {i, i}});
		if (row.size() > 500) {
			std::sort(row.begin(), row.end(), [](const auto &a, const auto &b) { return a.second.x > b.second.x; });
			row.clear();
		}
		sum += row.size();
	}
	return sum;
}
int main()
{
	table all;
	return fill_the_table(all, 3000000) == 1;
}
END
"${CXX:-g++}" -std=c++14 -O1 -g -o "$work/names" "$work/names.cpp" || { echo "SKIP all: the compiler fails"; exit 0; }
for run in a b; do
	"$pprofil" -q -g --overhead 100 -o "$work/$run.pb.gz" "$work/names"
done

# on_terminal COLUMNS ROWS COMMAND: what the command prints to a terminal of this size, without the carriage returns
on_terminal() {
	LC_ALL=C.UTF-8 TERM=xterm script -qec "stty cols $1 rows $2; $3" /dev/null </dev/null 2>&1 | tr -d '\r'
}
# rows of figures, whose width is judged; the head of a report has sentences, which may be broken
longest() { grep -E '^[-+ ]*[0-9]+\.[0-9][0-9]  ' | LC_ALL=C.UTF-8 wc -L; }
for columns in 60 80 100 140 200; do
	for report in "report" "report --by line" "report --by object" "report --tree --min 1" "report --callers main"; do
		wide=$(PAGER=cat on_terminal $columns 50 "$pprofil $report $work/a.pb.gz" | longest)
		between "$report: rows in $columns columns" 20 "$wide" $columns
	done
done
# a tree that branches at each of 60 levels: a line has no room for all of them
awk 'BEGIN { for (i = 1; i <= 60; i++) { stack = stack (i > 1 ? ";" : "") "function_" i; print stack ";leaf_of_" i, 100 } }' \
	>"$work/deep.folded"
for columns in 60 80 100 140 200; do
	wide=$(PAGER=cat on_terminal $columns 50 "$pprofil report --tree --min 0 --depth 0 $work/deep.folded" | longest)
	between "a deep tree in $columns columns" 20 "$wide" $columns
done
for columns in 100 140 200; do
	wide=$(PAGER=cat on_terminal $columns 50 "$pprofil diff $work/a.pb.gz $work/b.pb.gz" | longest)
	between "diff: rows in $columns columns" 20 "$wide" $columns
done

# names
PAGER=cat on_terminal 200 50 "$pprofil report --function 'fill_the_table' $work/a.pb.gz" >"$work/out"
expect_text "a short name on a terminal" 'fill_the_table<>  ' "$work/out"
PAGER=cat on_terminal 300 50 "$pprofil report --names full $work/a.pb.gz" >"$work/out"
expect_text "full names, if they are asked for" 'std::pair<long, point_with_a_long_name>' "$work/out"
"$pprofil" report "$work/a.pb.gz" >"$work/out"
expect_text "full names in files" 'std::pair<long, point_with_a_long_name>' "$work/out"
"$pprofil" report --names short "$work/a.pb.gz" >"$work/out"
expect "short names in files, if they are asked for" 0 "$(grep -c 'std::pair<long' "$work/out")"

# the pager: what is longer than the screen goes through it, and nothing else does
echo 'cat >"$1"; echo pager ran' >"$work/pager"
PAGER="sh $work/pager $work/paged" on_terminal 100 20 "$pprofil report -n 0 $work/a.pb.gz" >"$work/out"
expect_text "a report goes through the pager" 'pager ran' "$work/out"
expect_text "which gets all of it" 'fill_the_table' "$work/paged"
PAGER="sh $work/pager $work/paged" on_terminal 100 20 "$pprofil report --no-pager $work/a.pb.gz" >"$work/out"
expect "--no-pager" 0 "$(grep -c 'pager ran' "$work/out")"
PAGER="sh $work/pager $work/paged" on_terminal 100 20 "$pprofil report -f json $work/a.pb.gz" >"$work/out"
expect "JSON needs no pager" 0 "$(grep -c 'pager ran' "$work/out")"
PAGER=no-such-pager on_terminal 100 20 "$pprofil report $work/a.pb.gz" >"$work/out"
expect_text "a pager that is not there" "no pager 'no-such-pager'; --no-pager" "$work/out"
finish
