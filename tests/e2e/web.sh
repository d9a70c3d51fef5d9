#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# pprofil web: the page of a profile, where it goes, and, in a headless Chromium, each of its views with the figures of
# the report. Where there is no browser that part is skipped, and says so.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
command -v protoc >/dev/null || skip "no protoc"

# profile NAME <stacks
profile() {
	awk -f "$source/tests/e2e/stacks.awk" |
		protoc -I"$source/lib/format/pprof" --encode=perftools.profiles.Profile profile.proto >"$work/$1.pb"
}
# page NAME OPTIONS...: of $work/NAME.pb
page() {
	name=$1
	shift
	"$pprofil" web -o "$work/$name.html" "$@" "$work/$name.pb" >"$work/out" 2>&1 || fail "web $name" "status $?"
	expect "$name: nothing else is printed" "" "$(cat "$work/out")"
	expect "$name: it names no address" 0 "$(grep -c 'https\?://' "$work/$name.html")"
}

# --- profiles: with stacks and without times; with times and source; with hostile names; of two threads' elapsed time
profile plain <<'END'
500	/bin/prog:main	/bin/prog:work	/bin/prog:hot
300	/bin/prog:main	/lib/libw.so.1:warm
200	/bin/prog:main	/bin/prog:work	/lib/libw.so.1:cold
END
page plain
profile hostile <<'END'
100	/bin/x:__proto__	/bin/<b>&\"'.so:</script><img src=x onerror=alert(1)>	/bin/x:constructor
100	/bin/x:\001\033[31m\nnew\177	/bin/x:\342\200\256desrever	/bin/x:<!-- <script>
100	/bin/x:&lt;b&gt;&#60;	/bin/x:${alert(3)}`\\	/bin/x:toString
END
page hostile
expect "hostile: no element of a name" 0 "$(grep -c '<img\|<b>\|<!-- ' "$work/hostile.html")"
"$pprofil" -q -g --overhead 100 -o "$work/phases.pb" "$targets/phases" 1 2 >/dev/null
page phases
"$pprofil" -q -g -w -o "$work/sleepers.pb" "$targets/sleepers" 3 0 1 >/dev/null
page sleepers
"$pprofil" convert -f web -o "$work/same.html" "$work/phases.pb"
expect "convert writes the same page" "$(cksum <"$work/phases.html")" "$(cksum <"$work/same.html")"
"$pprofil" web -o - "$work/phases.pb" >"$work/same.html"
expect "so does -o -" "$(cksum <"$work/phases.html")" "$(cksum <"$work/same.html")"
expect_text "the source is in the page" 'noinline' "$work/phases.html"
"$pprofil" web --no-source -o "$work/bare.html" "$work/phases.pb"
expect "--no-source: no source" 0 "$(grep -c noinline "$work/bare.html")"
# without stacks
"$pprofil" -q -o "$work/flat.pb" "$targets/known-shares" 0.5 >/dev/null
page flat
# without any sample; a file of another program
profile empty </dev/null
page empty
echo 'main;work 40' >"$work/folded.pb"
page folded

# --- where it goes
run=$work/run
mkdir -m 700 "$run"
# web_opens VARIABLE=VALUE...: runs web without -o
web_opens() { env -u DISPLAY -u WAYLAND_DISPLAY -u XDG_RUNTIME_DIR "$@" "$pprofil" web "$work/plain.pb" >"$work/out" 2>"$work/err"; }
web_opens XDG_RUNTIME_DIR="$run"
expect "no session: status" 0 $?
opened=$(cat "$work/out")
expect "no session: the path is printed" "$run/pprofil-web-XXXXXX/plain.pb.html" \
	"$(echo "$opened" | sed 's/web-....../web-XXXXXX/')"
expect "no session: the page" "$(cksum <"$work/plain.html")" "$(cksum <"$opened")"
expect "no session: only the user can read it" "600 700" "$(stat -c %a "$opened" "$(dirname "$opened")" | tr '\n' ' ' | sed 's/ $//')"
web_opens XDG_RUNTIME_DIR=/no/such TMPDIR="$run"
expect_text "the next directory" "^$run/pprofil-web-" "$work/out"
mkdir "$work/bin"
cat >"$work/bin/xdg-open" <<'END'
#!/bin/sh
echo "$1" >"$OPENED"
[ -z "$BROKEN" ]
END
chmod 755 "$work/bin/xdg-open"
web_opens XDG_RUNTIME_DIR="$run" DISPLAY=:9 PATH="$work/bin:$PATH" OPENED="$work/opened" BROKEN=
expect "session: nothing is printed" "" "$(cat "$work/out" "$work/err")"
expect "session: xdg-open has the page" "$(cksum <"$work/plain.html")" "$(cksum <"$(cat "$work/opened")")"
web_opens XDG_RUNTIME_DIR="$run" WAYLAND_DISPLAY=w PATH="$work/bin:$PATH" OPENED="$work/opened" BROKEN=1
expect "xdg-open fails: the path is printed" "$(cat "$work/opened")" "$(cat "$work/out")"
web_opens XDG_RUNTIME_DIR="$run" DISPLAY=:9 PATH="$work/nothing"
expect_text "no xdg-open: the path is printed" "^$run/pprofil-web-" "$work/out"

# --- what fails
# refused NAME PATTERN OPTIONS...
refused() {
	name=$1 pattern=$2
	shift 2
	expect "$name: status" 125 "$(status_of "$pprofil" web "$@")"
	one_line "$name"
	expect_text "$name" "$pattern" "$work/err"
}
refused "no file" 'No such file' "$work/no.pb"
refused "no operand" 'FILE|file' -o "$work/x.html"
refused "no directory" 'No such file' -o "$work/no/x.html" "$work/plain.pb"
refused "a name of a profile" 'pprof.*-o FILE.html' -o "$work/plain.pb.gz" "$work/plain.pb"
refused "no such function" 'no function is called' --function nobody -o "$work/x.html" "$work/plain.pb"
refused "a range of a file without times" 'does not say when' --from 1 -o "$work/x.html" "$work/plain.pb"
refused "a full disk" 'no space left' -o /dev/full "$work/plain.pb"
echo nonsense >"$work/nonsense.pb"
env -u DISPLAY -u WAYLAND_DISPLAY TMPDIR="$run" XDG_RUNTIME_DIR= "$pprofil" web "$work/nonsense.pb" 2>/dev/null
expect "no profile: status" 125 $?
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
	script -qec "$pprofil web -o - $work/plain.pb" /dev/null </dev/null >"$work/seen" 2>&1
	expect_text "a terminal" 'not for a terminal' "$work/seen"
else
	echo "SKIP a terminal: script(1) makes none here"
fi

# --- in a browser
browser=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
if [ -z "$browser" ] || ! command -v node >/dev/null; then
	echo "SKIP in a browser: there is no chromium, or no node"
	finish
fi
# 100 000 stacks, from 400 functions in a tree and 250 below
awk 'BEGIN { for (a = 0; a < 400; a++) for (b = 0; b < 250; b++)
	printf "%d\t/bin/big:main\t/bin/big:part_%d\t/bin/big:caller_%d\t/lib/libbig.so:function_%d\n",
		1 + (a * b) % 7, a % 20, a, b }' | profile large
page large
timeout -k 10 240 node "$source/tests/e2e/web.js" "$browser" "$work" "$pprofil" >"$work/browser.out" 2>&1 ||
	fail "browser" "status $?"
cat "$work/browser.out"
failures=$((failures + $(grep -c '^FAIL' "$work/browser.out")))
finish
