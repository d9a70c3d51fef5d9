/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compares the gprof style with gprof itself. Both read the same gmon.out. In some tests, this file has random numbers
 * for the symbols of a program. In others, the program has written it. The test compiles the programs.
 */
#include "config.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/style.h"
#include "test-directory.h"

/* gprof leaves out some names of this program, prints some in another form, and chooses among names of one function. */
static const char source[] =
    "#include <stdlib.h>\n"
    "volatile int x;\n"
    "#define ONE(name) __attribute__((noinline)) int name(int a) "
    "{ for (int i = 0; i < a; i++) x += i; return x; }\n"
    "ONE(alpha) ONE(beta) ONE(_gamma) ONE(__delta) static ONE(quiet)\n"
    "int also(int) __attribute__((alias(\"alpha\")));\n"
    "int _under(int) __attribute__((alias(\"beta\")));\n"
    "int feeble(int) __attribute__((weak)); int feeble(int a) { return a + x; }\n"
    "__attribute__((cold, noinline)) static int chill(int a) { x = a; return quiet(a) * 3; }\n"
    "static int nest(int a) { int in(int b) { return b + a + x; } return in(2) + in(x); }\n"
    "__attribute__((noinline)) static int copied(int a, int b) "
    "{ if (b == 7) { x++; return alpha(a) + x; } return beta(a) + b; }\n"
    "asm(\".text\\n.globl label\\nlabel: nop\\nnop\\nlocal_label: nop\\nlocal.dotted: nop\\n\"\n"
    "    \".type local$dollar, @function\\nlocal$dollar: nop\\nnop\\nnop\\n\"\n"
    "    \".type many.0, @function\\nmany.0: nop\\nnop\\n.previous\\n\");\n"
    "int odd(int a); int even(int a) { return a == 0 ? x : odd(a - 1) + alpha(2000); }\n"
    "int odd(int a) { return a == 0 ? 0 : even(a - 1) + beta(3000); }\n"
    "int down(int a) { return a == 0 ? _gamma(10) : down(a - 1) + quiet(4000); }\n"
    "int main(int argc, char **argv)\n"
    "{ int n = argc > 1 ? atoi(argv[1]) : 1, s = 0;\n"
    "  for (int i = 0; i < n; i++) s += even(9) + down(5) + __delta(9000) + chill(x) + nest(i) +\n"
    "    copied(x, 7) + copied(i, 7) + feeble(s) + also(3) + _under(4);\n"
    "  return s == 12345; }\n";

static const char cplusplus[] =
    "namespace outer { struct thing { int a; thing(int b); int get(int, const char *) const; };\n"
    "thing::thing(int b) : a(b) {} int thing::get(int b, const char *) const { return a + b; }\n"
    "template <class T> T twice(T t) { return t + t; } template int twice<int>(int); }\n"
    "int main() { outer::thing t(3); return t.get(1, \"\") + outer::twice(2); }\n";

static void make_programs(void)
{
    if (system("command -v gcc g++ gprof >/dev/null 2>&1") != 0)
        cr_skip_test("no compiler, or no gprof, here");
    enter_directory();
    write_file("prog.c", source);
    write_file("prog.cc", cplusplus);
}

TestSuite(gprof, .init = make_programs, .fini = remove_directory);

/* --- files ------------------------------------------------------------------------------- */

static struct symbol_table open_symbols(const char *path)
{
    struct symbol_table table;
    int fd = open(path, O_RDONLY);

    cr_assert_geq(fd, 0);
    cr_assert_eq(symbol_table_read(fd, &table), 0);
    close(fd);
    return table;
}

static void put(FILE *out, uint64_t value, size_t size)
{
    fwrite(&value, 1, size, out); /* x86-64 and AArch64 are little-endian */
}

static void write_gmon(const struct histogram_file *file)
{
    FILE *out = fopen("gmon.out", "w");

    fwrite("gmon\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 1, 20, out);
    for (size_t i = 0; i < file->histogram_count; i++) {
        const struct histogram *histogram = &file->histograms[i];
        put(out, 0, 1);
        put(out, histogram->low, 8);
        put(out, histogram->high, 8);
        put(out, histogram->count, 4);
        put(out, (uint64_t)file->rate_hz, 4);
        fwrite("seconds\0\0\0\0\0\0\0\0s", 1, 16, out);
        for (uint64_t k = 0; k < histogram->count; k++)
            put(out, histogram->counters[k], 2);
    }
    for (size_t i = 0; i < file->arc_count; i++) {
        put(out, 1, 1);
        put(out, file->arcs[i].from, 8);
        put(out, file->arcs[i].self, 8);
        put(out, file->arcs[i].count, 4);
    }
    fclose(out);
}

static uint64_t get(FILE *in, size_t size)
{
    uint64_t value = 0;

    cr_assert_eq(fread(&value, 1, size, in), size);
    return value;
}

/* Reads one histogram, and arcs, as glibc writes them. */
static void read_gmon(struct histogram_file *file, struct histogram *histogram)
{
    FILE *in = fopen("gmon.out", "r");
    int tag;

    cr_assert_not_null(in, "the program wrote no gmon.out");
    *file = (struct histogram_file){.arcs = calloc(4096, sizeof *file->arcs)};
    fseek(in, 20, SEEK_SET);
    while ((tag = fgetc(in)) != EOF) {
        if (tag == 1) {
            struct histogram_arc *arc = &file->arcs[file->arc_count++];
            arc->from = get(in, 8);
            arc->self = get(in, 8);
            arc->count = get(in, 4);
            cr_assert_lt(file->arc_count, 4096);
            continue;
        }
        cr_assert_eq(tag, 0);
        *histogram = (struct histogram){.low = get(in, 8), .counter_size = 2};
        histogram->high = get(in, 8);
        histogram->count = get(in, 4);
        file->rate_hz = (double)get(in, 4);
        fseek(in, 16, SEEK_CUR);
        histogram->counters = calloc(histogram->count, sizeof *histogram->counters);
        for (uint64_t k = 0; k < histogram->count; k++)
            histogram->counters[k] = get(in, 2);
        file->histograms = histogram;
        file->histogram_count = 1;
    }
    fclose(in);
}

/* --- both reports ------------------------------------------------------------------------ */

static char *our_report(const struct histogram_file *file, const char *program)
{
    struct symbol_table symbols = open_symbols(program);
    struct pprofil_style_options options = {0};
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    cr_assert_eq(style_gprof(file, &symbols, &options, out, stderr), 0);
    fclose(out);
    symbol_table_clear(&symbols);
    return text;
}

static char *gprof_report(const char *program)
{
    char command[256], *text = calloc(1, 1 << 20);

    snprintf(command, sizeof command, "gprof -b -p %s gmon.out 2>gprof.err", program);
    FILE *in = popen(command, "r");
    cr_assert_lt(fread(text, 1, (1 << 20) - 1, in), (1 << 20) - 1);
    pclose(in);
    return text;
}

static void compare(const struct histogram_file *file, const char *program, unsigned seed)
{
    char *ours = our_report(file, program), *theirs = gprof_report(program);

    if (strcmp(ours, theirs) != 0) {
        write_file("ours", ours);
        write_file("theirs", theirs);
        if (system("diff theirs ours >&2") < 0)
            perror("diff");
    }
    cr_assert_str_eq(ours, theirs, "%s, seed %u", program, seed);
    free(ours);
    free(theirs);
}

/* --- random files ------------------------------------------------------------------------ */

static unsigned below(unsigned *seed, unsigned end)
{
    return (unsigned)rand_r(seed) % end;
}

/* Returns a random address in any function except the last one of gprof's table. For an address in that function, gprof
 * reads beyond its table. */
static uint64_t any_address(const struct symbol_table *symbols, unsigned *seed)
{
    const struct symbol *symbol = &symbols->symbols[below(seed, (unsigned)symbols->count - 1)];

    return symbol->address + (symbol->size > 1 ? below(seed, (unsigned)symbol->size) : 0);
}

static void make_random(const struct symbol_table *symbols, unsigned seed,
                        struct histogram_file *file, struct histogram *histogram)
{
    const struct symbol *last = &symbols->symbols[symbols->count - 1];
    uint64_t low = symbols->symbols[0].address & ~UINT64_C(15);
    uint64_t text = (last->address - low) & ~UINT64_C(3);
    static const uint64_t bytes[] = {2, 4, 4, 4, 6, 10, 16, 64};

    *histogram = (struct histogram){.low = low,
                                    .high = low + text,
                                    .counter_size = 2,
                                    .count = text / bytes[below(&seed, 8)] + below(&seed, 2)};
    histogram->counters = calloc(histogram->count, sizeof *histogram->counters);
    for (unsigned i = below(&seed, 60); i > 0; i--)
        histogram->counters[below(&seed, (unsigned)histogram->count)] = below(&seed, 1u << (1 + below(&seed, 16)));
    /* gprof leaves out functions that count calls (mcount); they get ticks here, because random ticks rarely hit
     * them */
    for (size_t i = 0; i < symbols->count && histogram->count > 1; i++)
        if (strstr(symbols->symbols[i].name, "mc") != NULL && below(&seed, 2) == 0) {
            uint64_t at = (symbols->symbols[i].address + 4 - low) * histogram->count / text;
            if (at < histogram->count)
                histogram->counters[at] = 1 + below(&seed, 50);
        }
    *file = (struct histogram_file){.rate_hz = below(&seed, 3) == 0 ? 1000 : 100,
                                    .histograms = histogram,
                                    .histogram_count = 1};
    file->arc_count = below(&seed, 3) == 0 ? 0 : below(&seed, 40);
    file->arcs = calloc(file->arc_count + 1, sizeof *file->arcs);
    for (size_t i = 0; i < file->arc_count; i++)
        file->arcs[i] = (struct histogram_arc){any_address(symbols, &seed), any_address(symbols, &seed),
                                               below(&seed, 1u << below(&seed, 20))};
}

static void compare_random(const char *program, unsigned from, unsigned to)
{
    struct symbol_table symbols = open_symbols(program);

    for (unsigned seed = from; seed < to; seed++) {
        struct histogram_file file;
        struct histogram histogram;
        make_random(&symbols, seed, &file, &histogram);
        write_gmon(&file);
        compare(&file, program, seed);
        free(file.arcs);
        free(histogram.counters);
    }
    symbol_table_clear(&symbols);
}

/* Returns the number of random files to make: PPROFIL_TEST_SEEDS of the environment, or else 12. */
static unsigned seeds(void)
{
    const char *text = getenv("PPROFIL_TEST_SEEDS");
    return text != NULL ? (unsigned)atoi(text) : 12;
}

Test(gprof, of_files_made_at_random, .timeout = 3600)
{
    static const char *const kinds[] = {"-no-pie", "-pie -fPIE", "-static", "-O2 -no-pie", "-pg -static"};

    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        sh("gcc -w -O1 -g %s -o prog prog.c", kinds[i]);
        compare_random("./prog", i * 100000, i * 100000 + seeds());
    }
}

Test(gprof, of_names_that_it_demangles, .timeout = 3600)
{
#ifndef HAVE_LIBIBERTY
    cr_skip_test("built without a demangler");
#endif
    sh("g++ -w -O0 -o prog prog.cc");
    compare_random("./prog", 1000000, 1000000 + seeds());
}

Test(gprof, of_a_program_that_was_profiled)
{
    static const char *const kinds[] = {"-no-pie", "-pie -fPIE", "-static"};

    for (int i = 0; i < 3; i++) {
        struct histogram_file file;
        struct histogram histogram;
        sh("gcc -w -O1 -pg %s -o prog prog.c && rm -f gmon.out && "
           "env -u GMON_OUT_PREFIX ./prog 25" /* Criterion sets this variable */,
           kinds[i]);
        read_gmon(&file, &histogram);
        cr_assert_gt(file.arc_count, 10);
        compare(&file, "./prog", 0);
        free(file.arcs);
        free(histogram.counters);
    }
}

Test(gprof, of_nothing)
{
    struct histogram histogram = {.counter_size = 2, .count = 16};
    struct histogram_file file = {.rate_hz = 100, .histograms = &histogram, .histogram_count = 1};

    sh("gcc -w -no-pie -o prog prog.c");
    histogram.counters = calloc(histogram.count, sizeof *histogram.counters);
    histogram.low = 0x401000;
    histogram.high = 0x401040;
    write_gmon(&file);
    compare(&file, "./prog", 0);
    free(histogram.counters);
}
