#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# contrib/ci/profile-gate.sh with builds of a program that are slower by their own clock. So the speed of the machine
# does not matter, and the difference is 30 % in each run.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"

cd "$work" || exit 1
export PPROFIL="$pprofil"
gate() { status_of sh "$source/contrib/ci/profile-gate.sh" "$@"; }
cat >bench.c <<'END'
#include <stdio.h>
#include <time.h>
static double used(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}
__attribute__((noinline)) void parse(double end)
{
	while (used() < end)
		for (volatile int i = 0; i < 1000000; i++)
			;
}
__attribute__((noinline)) void solve(double end)
{
	while (used() < end)
		for (volatile int i = 0; i < 1000000; i++)
			;
}
int main(int argc, char **argv)
{
	puts(argc > 1 ? argv[1] : "no argument");
	parse(used() + PARSE);
	solve(used() + SOLVE);
	return 0;
}
END
for build in base:0.2:0.4 head:0.2:0.52 same:0.2:0.4 solve:0.2:1.2 whole:0.26:0.52; do
	name=${build%%:*} times=${build#*:}
	mkdir "$name"
	${CC:-cc} -O1 -g -DPARSE="${times%:*}" -DSOLVE="${times#*:}" -o "$name/bench" bench.c || skip "no C compiler"
done

# --- a slower build
expect "slower" 1 "$(gate -p '--overhead 100' -f solve base/bench head/bench)"
cp out slower.md
cp err slower.err
expect_text "slower: Markdown" '^\| \*\*fails\*\* \| solve \|' slower.md
expect "slower: the file" "$(cat slower.md)" "$(cat profile-gate/gate.md)"
expect "slower: JUnit" 1 "$(sed -n 's/.*failures="\([0-9]*\)".*/\1/p' profile-gate/gate.xml | head -n 1)"
expect "five runs of each" "1.pb.gz 2.pb.gz 3.pb.gz 4.pb.gz 5.pb.gz" "$(cd profile-gate/old && echo *)"
expect "five runs of each: new" "1.pb.gz 2.pb.gz 3.pb.gz 4.pb.gz 5.pb.gz" "$(cd profile-gate/new && echo *)"
expect "in turn" "old new new old old new new old old new" "$(cd profile-gate && stat -c '%y %n' old/* new/* | sort |
	sed 's|.* \(.*\)/.*|\1|' | paste -s -d' ')"
expect "what the programs print" "no argument" "$(cat profile-gate/output/new-3)"
expect "a folder that is there" 125 "$(gate base/bench head/bench)"; one_line "a folder that is there"
expect "it is as it was" "$(cat slower.md)" "$(cat profile-gate/gate.md)"

# --- shares: 67 % become 86 %; and a program that is slower as a whole, by 30 %
expect "shares" 1 "$(gate -s -n 3 -p '--overhead 100' -f solve -o shares base/bench solve/bench)"
expect_text "shares: Markdown" '^\| \*\*fails\*\* \| solve \| [^|]* \| [0-9.]* % \|' out
expect "slower as a whole: shares" 0 \
	"$(gate -s -n 3 -l 20% -p '--overhead 100' -f solve -o as-shares base/bench whole/bench)"

# --- equal builds, at a limit that chance does not reach
expect "equal" 0 "$(gate -n 3 -l 50% -o 'a folder' base/bench same/bench 'two words')"
expect "equal: three runs of each" "1.pb.gz 2.pb.gz 3.pb.gz" "$(cd 'a folder/new' && echo *)"
expect "equal: JUnit" 0 "$(sed -n 's/.*failures="\([0-9]*\)".*/\1/p' 'a folder/gate.xml' | head -n 1)"
expect "equal: Markdown" 0 "$(grep -c '\*\*fails\*\*' 'a folder/gate.md')"
expect "arguments" "two words" "$(cat 'a folder/output/old-1')"

# --- what is wrong
expect "-h" 0 "$(gate -h)"
expect "no program" 125 "$(gate)"
expect_text "no program: usage" '^usage: ' err
expect "one program" 125 "$(gate base/bench)"
expect "an unknown option" 125 "$(gate -z base/bench head/bench)"
for wrong in '-n 0' '-n x' '-l much' '-l %'; do
	# shellcheck disable=SC2086
	expect "$wrong" 125 "$(gate $wrong -o none base/bench head/bench)"
	one_line "$wrong"
done
expect "a missing program" 125 "$(gate -o none base/bench head/none)"; one_line "a missing program"
expect "a missing pprofil" 125 "$(PPROFIL=./none gate -o none base/bench head/bench)"; one_line "a missing pprofil"
expect "nothing was made" "" "$(ls -d none 2>/dev/null)"
printf '#!/bin/sh\necho it broke >&2\nexit 3\n' >head/broken
chmod +x head/broken
expect "a program that fails" 125 "$(gate -o none base/bench head/broken)"
expect_text "a program that fails: its words" '^it broke$' err
expect_text "a program that fails: its status" 'run 1 of the new program ended with status 3' err
finish
