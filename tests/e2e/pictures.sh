#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Pictures: well-formed whatever names say, the same figures as the report, and, in a headless
# Chromium, zoom, search, reset and the keys. Where there is no browser that part is skipped, and
# says so. PPROFIL_BARS=1 also asserts that 100 000 frames open in two seconds.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
command -v protoc >/dev/null || skip "no protoc"

# profile NAME <stacks
profile() {
	awk -f "$source/tests/e2e/stacks.awk" |
		protoc -I"$source/lib/format/pprof" --encode=perftools.profiles.Profile profile.proto >"$work/$1.pb"
}
convert() { "$pprofil" convert --no-symbolize "$@" || fail "convert $*" "status $?"; }

# diff_of OLD NEW: the file with what pprofil diff says of them
diff_of() {
	"$pprofil" diff "$work/$1.pb" "$work/$2.pb" >"$work/diff.out"
	echo "$work/diff.out"
}

# --- figures: half, 30 % and 20 % as everybody sees them
profile plain <<'END'
500	/bin/prog:main	/bin/prog:work	/bin/prog:hot
300	/bin/prog:main	/lib/libw.so.1:warm
200	/bin/prog:main	/bin/prog:work	/lib/libw.so.1:cold_and_with_quite_a_long_name_for_which_its_frame_is_too_narrow
END
for kind in flame.svg icicle.svg flame.html; do
	convert -o "$work/plain-$kind" "$work/plain.pb"
done
expect_text "svg: main" '<title>main$' "$work/plain-flame.svg"
expect "svg: frames" 6 "$(grep -c '<rect.*><title>' "$work/plain-flame.svg")"
expect_text "svg: figures" '^total 50 %, 500 ms, 500 samples' "$work/plain-flame.svg"
expect_text "svg: work has no self" '^total 70 %, 700 ms, 700 samples' "$work/plain-flame.svg"
expect_text "svg: as wide as long" 'width="826" .*<title>work$' "$work/plain-flame.svg"
expect_text "svg: named" '>work</text>' "$work/plain-flame.svg"
expect_text "svg: clipped" '>cold_and_with_quite_a_long_nam?e?…</text>' "$work/plain-flame.svg"
top_of_flame=$(grep '<title>work$' "$work/plain-flame.svg" | sed 's/.* y="\([0-9]*\)" width.*/\1/')
top_of_icicle=$(grep '<title>work$' "$work/plain-icicle.svg" | sed 's/.* y="\([0-9]*\)" width.*/\1/')
expect "icicle: callers are above" 102 "$top_of_icicle"
expect "flame: callers are below" 84 "$top_of_flame"
expect_text "html: forbids fetches" "Content-Security-Policy.*default-src 'none'" "$work/plain-flame.html"

# --- what has changed
profile old <<'END'
500	/bin/prog:main	/bin/prog:work	/bin/prog:hot
500	/bin/prog:main	/bin/prog:gone
END
convert --baseline "$work/old.pb" -o "$work/diff.svg" "$work/plain.pb"
convert --baseline "$work/old.pb" -o "$work/diff.html" "$work/plain.pb"
expect_text "diff: before" '^before 50 %, 500 ms, 500 samples' "$work/diff.svg"
expect_text "diff: by how much" '^change \+30 points' "$work/diff.svg"
expect_text "diff: significant" '^change \+30 points, significant$' "$work/diff.svg"
expect_text "diff: chance" '^change 0 points, may be chance' "$work/diff.svg"
expect_text "diff: heading" '· 4 of 6 functions changed significantly' "$work/diff.svg"
expect_text "diff: as diff says" '; 4 of 6 functions changed significantly' "$(diff_of old plain)"
expect_text "diff: gone" 'gone: 50.0 %' "$work/diff.svg"

# three calls of hot, none of which has changed significantly by itself: diff says that hot has changed
profile calls-old <<'END'
100	/bin/prog:main	/bin/prog:a	/bin/prog:hot
100	/bin/prog:main	/bin/prog:b	/bin/prog:hot
100	/bin/prog:main	/bin/prog:c	/bin/prog:hot
700	/bin/prog:main	/bin/prog:rest
END
profile calls-new <<'END'
125	/bin/prog:main	/bin/prog:a	/bin/prog:hot
125	/bin/prog:main	/bin/prog:b	/bin/prog:hot
125	/bin/prog:main	/bin/prog:c	/bin/prog:hot
625	/bin/prog:main	/bin/prog:rest
END
# the same program, by chance other samples
profile calls-again <<'END'
112	/bin/prog:main	/bin/prog:a	/bin/prog:hot
92	/bin/prog:main	/bin/prog:b	/bin/prog:hot
111	/bin/prog:main	/bin/prog:c	/bin/prog:hot
685	/bin/prog:main	/bin/prog:rest
END
for new in new again; do
	convert --baseline "$work/calls-old.pb" -o "$work/calls-$new.flame.svg" "$work/calls-$new.pb"
done
expect "diff: parts of a change" 3 \
	"$(grep -c '^change +2.5 points, part of a significant change$' "$work/calls-new.flame.svg")"
expect "diff: parts: of which" 3 \
	"$(grep -c '^function: self +7.5 points, significant; total +7.5 points, significant<' "$work/calls-new.flame.svg")"
expect "diff: parts: coloured" 4 "$(grep '<rect.*><title>' "$work/calls-new.flame.svg" | grep -vc '#e8e6e3')"
expect_text "diff: parts: diff" '; 2 of 6 functions changed' "$(diff_of calls-old calls-new)"
expect "diff: the same: coloured" 0 "$(grep '<rect.*><title>' "$work/calls-again.flame.svg" | grep -vc '#e8e6e3')"
expect_text "diff: the same: diff" '; 0 of 6 functions changed' "$(diff_of calls-old calls-again)"

expect "diff: of a table of numbers" 125 \
	"$(status_of "$pprofil" convert --baseline "$work/old.pb" -o "$work/x.pb.gz" "$work/plain.pb")"
expect "diff: one line" 1 "$(wc -l <"$work/err" | tr -d ' ')"

printf '{"pprofil":1,"totals":{"wall":true},"processes":[],"threads":[],"objects":[],"functions":[],"locations":[],"nodes":[],"syscalls":[],"samples":[]}' >"$work/wall.json"
expect "diff: of elapsed time with CPU time" 125 \
	"$(status_of "$pprofil" convert --baseline "$work/wall.json" -o "$work/x.svg" "$work/plain.pb")"
expect_text "diff: of elapsed time: why" 'one profile is of elapsed time' "$work/err"

# --- hostile names
profile hostile <<'END'
100	/bin/<b>&\"'.so:</script><script>alert(1)</script>	/bin/x:]]><!-- x -->	/bin/x:\"onload=alert(2)'
100	/bin/x:\001\033[31m\nnew\177	/bin/x:\342\200\256desrever	/bin/x:\327\251\327\234\327\225\327\235
100	/bin/x:&lt;b&gt;&#60;	/bin/x:${alert(3)}`\\	/bin/x:__proto__	/bin/x:constructor
END
for kind in svg html; do convert -o "$work/hostile.$kind" "$work/hostile.pb"; done
expect "hostile: elements of names" 0 "$(grep -c '<b>\|<script>alert\|<!-- x' "$work/hostile.svg" "$work/hostile.html" | awk -F: '{ n += $2 } END { print n }')"
expect "hostile: control characters" 0 "$(LC_ALL=C tr -d '\n\40-\176\200-\377' <"$work/hostile.svg" | wc -c | tr -d ' ')"
if command -v xmllint >/dev/null; then
	for picture in plain-flame plain-icicle diff hostile; do
		expect "$picture: well-formed" "" "$(xmllint --noout "$work/$picture.svg" 2>&1)"
	done
fi

# --- a run: heat, and the same seconds as in the profile
"$pprofil" -q --overhead 100 -o "$work/run.pb.gz" "$targets/known-shares" 0.7 >/dev/null
convert -o "$work/heat.svg" "$work/run.pb.gz"
"$pprofil" report -f json "$work/run.pb.gz" >"$work/run.json"
seconds=$(sed -n 's/.*>\([0-9.]*\) s of CPU time in [0-9.]* s<.*/\1/p' "$work/heat.svg")
cpu=$(number "$work/run.json" cpu_ns)
between "heat: all CPU time is on it" \
	"$(awk -v c="$cpu" 'BEGIN { print c / 1e9 - 0.02 }')" "$seconds" "$(awk -v c="$cpu" 'BEGIN { print c / 1e9 + 0.02 }')"
expect "heat: without a time line" 125 "$(status_of "$pprofil" convert -o "$work/no-heat.svg" "$work/plain.pb")"
expect_text "heat: without a time line: why" 'plain.pb does not say when' "$work/err"
"$pprofil" convert -o "$work/run.json-file" -f json "$work/run.pb.gz"
"$pprofil" convert -o "$work/again.heat.svg" "$work/run.json-file"
expect "heat: from json" "$(cksum <"$work/heat.svg")" "$(cksum <"$work/again.heat.svg")"
# a part of the run has the seconds of the part
convert --ignore spend_half -o "$work/part.heat.svg" "$work/run.pb.gz"
"$pprofil" report -f json --ignore spend_half "$work/run.pb.gz" >"$work/part.json"
seconds=$(sed -n 's/.*>\([0-9.]*\) s of CPU time in [0-9.]* s<.*/\1/p' "$work/part.heat.svg")
cpu=$(number "$work/part.json" cpu_ns)
between "heat: of a part" \
	"$(awk -v c="$cpu" 'BEGIN { print c / 1e9 - 0.02 }')" "$seconds" "$(awk -v c="$cpu" 'BEGIN { print c / 1e9 + 0.02 }')"
expect "heat: of a part without times" 125 \
	"$(status_of "$pprofil" convert --ignore main -o "$work/no-heat.svg" "$work/plain.pb")"
expect "heat: one line" 1 "$(wc -l <"$work/err" | tr -d ' ')"

# --- 100 000 frames: 250 functions, each called by each of 400
awk 'BEGIN { for (a = 0; a < 400; a++) for (b = 0; b < 250; b++)
	printf "%d\t/bin/big:main\t/bin/big:caller_%d\t/lib/libbig.so:function_%d\n", 1 + (a * b) % 7, a, b }' |
	profile large
# and 1000 threads of execution, each a hundred calls deep: more than the SVG takes
awk 'BEGIN { for (a = 0; a < 1000; a++) { printf "5\t/bin/big:main"
	for (b = 0; b < 99; b++) printf "\t/bin/big:f%d_%d", a, b
	print "" } }' | profile tall
for kind in svg html; do
	convert -o "$work/large.$kind" "$work/large.pb"
	convert -o "$work/tall.$kind" "$work/tall.pb"
done
expect_text "large: dropped frames are said" 'not shown: 100,000 frames of [0-9.]* ms or less' "$work/large.svg"

# --- in a browser
browser=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
if [ -z "$browser" ] || ! command -v node >/dev/null; then
	echo "SKIP in a browser: there is no chromium, or no node"
	finish
fi
timeout -k 10 240 node "$source/tests/e2e/pictures.js" "$browser" "$work" >"$work/browser.out" 2>&1 ||
	fail "browser" "status $?"
cat "$work/browser.out"
failures=$((failures + $(grep -c '^FAIL' "$work/browser.out")))
finish
