#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Viewers that people already use read the same functions and numbers from our files that we
# report, and we read theirs. A viewer that is not here is told and passed over.
. "${abs_srcdir:-.}/tests/e2e/lib.sh"
cc=${CC:-cc}
command -v "$cc" >/dev/null || skip "no compiler"
have() {
	command -v "$1" >/dev/null && return
	echo "SKIP $1 is not here"
	return 1
}

# --- a program, and a profile of it with stacks: hot 500, warm 300, cool 200
cat >"$work/prog.c" <<'END'
volatile unsigned long sink;
__attribute__((noinline)) void hot(void) { for (int i = 0; i < 500000; i++) sink += 1; }
__attribute__((noinline)) void warm(void) { for (int i = 0; i < 300000; i++) sink += 2; }
__attribute__((noinline)) void cool(int n) { if (n > 0) { cool(n - 1); sink++; return; } for (int i = 0; i < 200000; i++) sink += 3; }
int main(int argc, char **argv)
{
	(void)argv;
	for (int rounds = argc == 1 ? 400 : 1; rounds > 0; rounds--) { hot(); warm(); cool(3); }
	return 0;
}
END
cd "$work" || exit 125
"$cc" -O1 -g -fno-optimize-sibling-calls -pie -fPIE -o prog prog.c && "$cc" -O1 -g -fno-optimize-sibling-calls -no-pie -o nopie prog.c ||
	skip "no programs"
# word NUMBER...: eight bytes each
word() {
	for number in "$@"; do
		for shift in 0 8 16 24 32 40 48 56; do
			# shellcheck disable=SC2059
			printf "\\$(printf %o $((number >> shift & 255)))"
		done
	done
}
address() { # PROGRAM FUNCTION: 8 bytes into it
	echo $((0x$(nm "$1" | sed -n "s/ T $2\$//p") + 8 + $3))
}
# make PROGRAM BASE: as gperftools would have it; callers' addresses are return addresses
make() {
	main=$(address "$1" main "$2") hot=$(address "$1" hot "$2") warm=$(address "$1" warm "$2")
	cool=$(address "$1" cool "$2")
	word 0 3 0 1000 0  500 2 "$hot" "$main"  300 2 "$warm" "$main"  150 2 "$cool" "$main"
	word 50 5 "$cool" "$cool" "$cool" "$cool" "$main"  0 1 0
	page=$((main & ~4095))
	printf '%08x-%08x r-xp %08x 00:00 0          %s\n' $page $((page + 4096)) 4096 "$work/$1"
}
make prog $((0x555555554000)) >made.cpuprof
make nopie 0 >nopie.cpuprof
"$pprofil" convert -o p.pb.gz made.cpuprof
columns() { "$pprofil" report -n 1 -f csv "$1" | head -n 1; }
truth="cool 200
hot 500
warm 300"
# where the columns of a report are
name_at=$(columns p.pb.gz | tr ',' '\n' | grep -nx 'name' | cut -d: -f1)
samples_at=$(columns p.pb.gz | tr ',' '\n' | grep -nx 'samples' | cut -d: -f1)
ours() {
	"$pprofil" report -n 10 -f csv "$@" |
		awk -F, -v n="$name_at" -v s="$samples_at" 'NR > 1 && $s > 0 { print $n, $s }' | sort
}
expect "what gperftools writes" "$truth" "$(ours made.cpuprof)"

# --- all formats that keep it come back
for out in p.folded p.perf-script p.csv p.json p.cpuprof; do
	"$pprofil" convert -o $out p.pb.gz
	expect "$out read back" "$truth" "$(ours $out)"
done
expect "folded stacks" "main;cool 150
main;cool;cool;cool;cool 50
main;hot 500
main;warm 300" "$(sort p.folded)"
expect "through pipes" "$truth" \
	"$("$pprofil" convert -f folded -o - p.pb.gz | "$pprofil" convert -f json -o - - | ours -)"
for out in p.pb.gz p.folded p.json; do
	gzip -c $out >packed
	expect "$out, packed" "$truth" "$(ours packed)"
	mkfifo pipe-of-$out
	cat $out >pipe-of-$out &
	expect "$out, by the descriptor of a pipe" "$truth" "$(ours /dev/fd/7 7<pipe-of-$out)"
done
expect "microseconds" "main;hot 500000" \
	"$("$pprofil" convert -f folded --values time -o - p.pb.gz | grep hot)"
expect "roots" "[unknown]-0/0;main;hot 500" \
	"$("$pprofil" convert -f folded --roots thread -o - p.pb.gz | grep hot)"

# --- their readers
if have callgrind_annotate; then
	"$pprofil" convert -o p.callgrind p.pb.gz
	numbers() { sed -n 's/^ *\([0-9,]*\) *([^)]*) *\([0-9,]*\) *([^)]*)  *[^ ]*:\([a-z]*\) .*$/\3 \2/p' | tr -d ,; }
	callgrind_annotate --auto=no p.callgrind >out 2>err
	expect "callgrind_annotate: no complaints" "" "$(cat err)"
	expect "callgrind_annotate" "$truth" "$(numbers <out | sort)"
	expect_text "callgrind_annotate: total" '^1,000,000,000 \(100.0%\) 1,000 \(100.0%\)  PROGRAM TOTALS' out
	callgrind_annotate --auto=no --inclusive=yes p.callgrind >out 2>err
	expect "callgrind_annotate: inclusive" "cool 200
hot 500
main 1000
warm 300" "$(numbers <out | sort)"
fi
if have google-pprof; then
	for program in prog nopie; do
		"$pprofil" convert -o again.cpuprof $([ $program = prog ] && echo p.pb.gz || echo nopie.cpuprof)
		google-pprof --text "$work/$program" again.cpuprof >out 2>err
		expect "google-pprof: $program" "$truth" \
			"$(awk '$NF ~ /^(hot|warm|cool)$/ { print $NF, $1 }' out | sort)"
		expect "google-pprof: $program: main" "1000 100.0%" \
			"$(awk '$NF == "main" { print $4, $5 }' out)"
	done
fi
go_pprof=$(ls /usr/lib/go*/pkg/tool/*/pprof 2>/dev/null | head -n 1)
go_pprof=${GO_PPROF:-$go_pprof}
if [ -n "$go_pprof" ]; then
	in_ms() { awk '$NF ~ /^(hot|warm|cool)$/ { sub("ms", "", $1); print $NF, $1 }' | sort; }
	"$pprofil" convert -o again.cpuprof p.pb.gz
	expect "go tool pprof: gperftools" "$truth" "$("$go_pprof" -top "$work/prog" again.cpuprof 2>/dev/null | in_ms)"
	expect "go tool pprof: pprof" "$truth" "$("$go_pprof" -top p.pb.gz 2>/dev/null | in_ms)"
	expect "go tool pprof prints no notes" 0 "$("$go_pprof" -top p.pb.gz 2>/dev/null | grep -c '^pprofil: [pt]')"
	"$pprofil" convert -o again.pb.gz nopie.cpuprof
	expect "go tool pprof: pprof, at a fixed address" "$truth" "$("$go_pprof" -top again.pb.gz 2>/dev/null | in_ms)"
else
	echo "SKIP go tool pprof is not here"
fi
if have flamegraph.pl; then
	flamegraph.pl p.folded >out.svg 2>err
	expect "flamegraph.pl" "hot (500 samples, 50.00%)" \
		"$(sed -n 's/.*<title>\(hot [^<]*\)<.*/\1/p' out.svg)"
fi
if have stackcollapse-perf.pl; then
	expect "stackcollapse-perf.pl" "500000000" \
		"$(stackcollapse-perf.pl p.perf-script | sed -n 's/.*;main;hot //p')"
fi
if have profiler-cli; then # the Firefox Profiler without a browser
	"$pprofil" convert -o p.firefox.json p.pb.gz
	PROFILER_CLI_SESSION_DIR=$work/firefox
	export PROFILER_CLI_SESSION_DIR
	mkdir "$PROFILER_CLI_SESSION_DIR"
	profiler-cli load p.firefox.json >out 2>&1
	profiler-cli thread functions >out 2>&1
	expect "profiler-cli" "cool 200ms
hot 500ms
warm 300ms" "$(sed -n 's/.*!\(hot\|warm\|cool\) - self: \([0-9]*\)\(\.[0-9]*\)*ms.*/\1 \2ms/p' out | sort)"
	profiler-cli stop --all >out 2>&1
fi
# the page's own schema, where npm has put speedscope and ajv (NODE_PATH)
if have node && node -e 'require("ajv"); require.resolve("speedscope/package.json")' 2>/dev/null; then
	"$pprofil" convert -o p.speedscope.json p.pb.gz
	expect "speedscope's schema" true "$(node -e '
		const path = require("path"), fs = require("fs"), Ajv = require("ajv");
		const folder = path.dirname(require.resolve("speedscope/package.json"));
		const schema = fs.readFileSync(folder + "/dist/release/file-format-schema.json");
		const valid = new Ajv({ strict: false }).compile(JSON.parse(schema));
		console.log(valid(JSON.parse(fs.readFileSync("p.speedscope.json"))));')"
else
	echo "SKIP speedscope and ajv are not here"
fi

# --- their files
library=$(ls /usr/lib/*/libprofiler.so.0 2>/dev/null | head -n 1)
if [ -n "$library" ] && have google-pprof; then
	for program in prog nopie; do
		CPUPROFILE=$work/real.cpuprof LD_PRELOAD=$library ./$program >/dev/null 2>&1
		google-pprof --text "$work/$program" real.cpuprof >out 2>err
		expect "gperftools' own: $program" \
			"$(awk '$NF ~ /^(hot|warm|cool)$/ && $1 > 0 { print $NF, $1 }' out | sort)" \
			"$(ours real.cpuprof | grep -E '^(hot|warm|cool) ')"
	done
else
	echo "SKIP gperftools' profiler is not here"
fi
if have perf && perf record -q -e cpu-clock:u -g -o perf.data ./prog >/dev/null 2>&1; then
	perf script -i perf.data >perf.txt 2>/dev/null
	expect "perf script's own" \
		"$(perf report -i perf.data --no-children --stdio -g none -n -s sym 2>/dev/null |
			awk '$NF ~ /^(hot|warm|cool)$/ { print $NF, $2 }' | sort)" \
		"$(ours perf.txt | grep -E '^(hot|warm|cool) ')"
fi

# --- a profile that we took
"$pprofil" -q --overhead 100 -o real.pb.gz ./prog
for format in folded perf-script csv json gperftools; do
	"$pprofil" convert -f $format -o real real.pb.gz
	expect "ours as $format" "cool hot warm" \
		"$(ours real | grep -E '^(hot|warm|cool) ' | cut -d' ' -f1 | paste -s -d' ')"
done

# --- errors
expect "values" 125 "$(status_of "$pprofil" convert --values x -o x.folded p.pb.gz)"; one_line values
expect "roots" 125 "$(status_of "$pprofil" convert --roots om -o x.folded p.pb.gz)"; one_line roots
"$pprofil" convert -o named.pb.gz p.folded
expect "names only" 125 "$(status_of "$pprofil" convert -o gmon.out named.pb.gz)"; one_line "names only"
head -c 300 p.json >cut.json
expect "cut short" 125 "$(status_of "$pprofil" report cut.json)"; one_line "cut short"
gzip -c p.folded | head -c 60 >cut.gz
expect "cut short, packed" 125 "$(status_of "$pprofil" report cut.gz)"; one_line "cut short, packed"
head -c 100 p.cpuprof >cut.cpuprof
expect "cut short, binary" 125 "$(status_of "$pprofil" report cut.cpuprof)"; one_line "cut short, binary"
expect "nothing on standard input" 125 "$(status_of "$pprofil" report - </dev/null)"; one_line "nothing"
finish
