/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The old systems' reports, byte for byte, of files made here by hand. Expected texts are those
 * of the programs' own formats; gprof's are compared with gprof itself, in test-gprof.c.
 */
#include "config.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dialect/dialect.h"
#include "report/style.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static char *report, *complaint; /* of the last style that was run */

static void forget(void)
{
    free(report);
    free(complaint);
}

TestSuite(kprof, .fini = forget);
TestSuite(prof, .fini = forget);
TestSuite(call_graph, .fini = forget);

static int run(style_function *style, const struct histogram_file *file,
               const struct symbol_table *symbols, struct style_options options)
{
    size_t size;

    free(report);
    free(complaint);
    FILE *out = open_memstream(&report, &size), *errors = open_memstream(&complaint, &size);
    int error = style(file, symbols, &options, out, errors);

    fclose(out);
    fclose(errors);
    return error;
}

#define PLAIN ((struct style_options){0})

static void expect(style_function *style, const struct histogram_file *file,
                   const struct symbol_table *symbols, struct style_options options,
                   const char *text, const char *errors)
{
    int error = run(style, file, symbols, options);

    cr_assert_str_eq(report, text);
    cr_assert_str_eq(complaint, errors);
    cr_assert(error == 0 || error == -ENODATA);
}

static struct symbol_table table_of(struct symbol *symbols, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        symbols[i].order = (uint32_t)i;
        if (symbols[i].type == STT_NOTYPE && symbols[i].size > 0)
            symbols[i].type = STT_FUNC;
        if (symbols[i].binding == 0)
            symbols[i].binding = STB_GLOBAL;
    }
    return (struct symbol_table){.symbols = symbols, .count = count};
}

/* --- kprof ------------------------------------------------------------------------------- */

static struct symbol kernel_symbols[] = {
    {.address = 0x10000, .name = "foo"},
    {.address = 0x10100, .name = "bar"},
    {.address = 0x10200, .name = "baz"},
    {.address = 0x10300, .name = "etext"},
};

/* kpdata of 0x400 bytes of text, as its reader leaves it. */
static uint64_t kernel_cells[128];
static struct histogram kernel_histogram = {
    .high = 0x400, .scale = 0x8000, .counter_size = 4, .count = 128, .counters = kernel_cells};

static struct histogram_file make_kernel(const char *dialect, uint64_t low)
{
    kernel_histogram.low = low;
    kernel_histogram.high = low + 0x400;
    memset(kernel_cells, 0, sizeof kernel_cells);
    return (struct histogram_file){.dialect = dialect_find(dialect),
                                   .rate_hz = strcmp(dialect, "plan9") == 0 ? 1000 : 100,
                                   .ticks = 1000,
                                   .outside = 100,
                                   .from_text = low == 0,
                                   .histograms = &kernel_histogram,
                                   .histogram_count = 1};
}

Test(kprof, the_worked_example)
{
    struct symbol_table symbols = table_of(kernel_symbols, COUNT(kernel_symbols));

    for (uint64_t low = 0; low <= 0x10000; low += 0x10000) { /* not known, and known */
        struct histogram_file file = make_kernel("inferno", low);
        kernel_cells[6] = 400; /* the first real one: 0x10030 */
        kernel_cells[31] = 50; /* foo's last */
        kernel_cells[32] = 300;
        kernel_cells[95] = 150;
        expect(style_kprof, &file, &symbols, PLAIN,
               "total: 1000\tin kernel text: 900\toutside kernel text: 100\n"
               "KTZERO 00010000\n"
               "ms\t  %\tsym\n"
               "4500\t 50.0\tfoo\n"
               "3000\t 33.3\tbar\n"
               "1500\t 16.6\tbaz\n",
               "");
    }
}

Test(kprof, a_bucket_belongs_to_the_symbol_of_its_first_byte)
{
    struct symbol inside[] = {{.address = 0x10000, .name = "one"},
                              {.address = 0x10044, .name = "two"},
                              {.address = 0x10049, .name = "three"},
                              {.address = 0x10051, .name = "etext"}};
    struct symbol_table symbols = table_of(inside, COUNT(inside));
    struct histogram_file file = make_kernel("inferno", 0);

    kernel_cells[8] = 9;  /* 0x10040: one, though two begins in it */
    kernel_cells[9] = 20; /* 0x10048: two */
    kernel_cells[10] = 7; /* 0x10050: three */
    kernel_cells[11] = 1; /* 0x10058: etext has no text */
    file.ticks = file.outside + 40;
    expect(style_kprof, &file, &symbols, PLAIN,
           "total: 140\tin kernel text: 40\toutside kernel text: 100\n"
           "KTZERO 00010000\n"
           "ms\t  %\tsym\n"
           "200\t 50.0\ttwo\n"
           "90\t 22.5\tone\n"
           "70\t 17.5\tthree\n",
           "");
}

/* The source's scan would begin at cell 16 + 6, of 0x100b0, and lose the first 48 bytes. */
Test(kprof, a_first_symbol_inside_a_page_loses_nothing)
{
    struct symbol late[] = {{.address = 0x10080, .name = "late"},
                            {.address = 0x10100, .name = "etext"}};
    struct symbol_table symbols = table_of(late, COUNT(late));
    struct histogram_file file = make_kernel("inferno", 0);

    kernel_cells[16] = 900; /* 0x10080 */
    kernel_cells[3] = 5;    /* a special cell */
    expect(style_kprof, &file, &symbols, PLAIN,
           "total: 1000\tin kernel text: 900\toutside kernel text: 100\n"
           "KTZERO 00010000\n"
           "ms\t  %\tsym\n"
           "9000\t100.0\tlate\n",
           "");
}

Test(kprof, of_an_elf_file_the_last_function_counts)
{
    struct symbol last[] = {{.address = 0x10000, .name = "f", .size = 0x40},
                            {.address = 0x10040, .name = "g", .size = 0x10}};
    struct symbol_table symbols = table_of(last, COUNT(last));
    struct histogram_file file = make_kernel("inferno", 0x10000);

    kernel_cells[8] = 90;
    kernel_cells[10] = 8; /* past g */
    expect(style_kprof, &file, &symbols, PLAIN,
           "total: 1000\tin kernel text: 900\toutside kernel text: 100\n"
           "KTZERO 00010000\n"
           "ms\t  %\tsym\n"
           "900\t 10.0\tg\n",
           "");
}

Test(kprof, what_it_says_where_there_is_nothing)
{
    struct symbol_table symbols = table_of(kernel_symbols, COUNT(kernel_symbols)), none = {0};
    struct histogram_file file = make_kernel("inferno", 0);

    expect(style_kprof, &file, &none, PLAIN,
           "total: 1000\tin kernel text: 900\toutside kernel text: 100\n",
           "kprof: no text symbols\n");
    expect(style_kprof, &file, &symbols, PLAIN,
           "total: 1000\tin kernel text: 900\toutside kernel text: 100\nKTZERO 00010000\n",
           "kprof: no counts\n");
    file.ticks = file.outside = 0;
    expect(style_kprof, &file, &none, PLAIN,
           "total: 0\tin kernel text: 0\toutside kernel text: 0\n", "");
    kernel_histogram.counter_size = 8;
    expect(style_kprof, &file, &symbols, PLAIN, "", "kprof: only sample size 4 supported\n\n");
}

Test(kprof, of_plan_9)
{
    struct symbol_table symbols = table_of(kernel_symbols, COUNT(kernel_symbols));
    struct histogram_file file = make_kernel("plan9", 0x10000);

    kernel_cells[2] = 450; /* counts here: two cells are special */
    kernel_cells[32] = 300;
    kernel_cells[1] = 77;
    expect(style_kprof_plan9, &file, &symbols, PLAIN,
           "total: 1000\tin kernel text: 900\toutside kernel text: 100\n"
           "KTZERO 00010000 PGSIZE 4Kb\n"
           "ms\t  %\tsym\n"
           "450\t 50.0\tfoo\n"
           "300\t 33.3\tbar\n",
           "");
    file.rate_hz = 100; /* not its own file, but a profile's ticks */
    expect(style_kprof_plan9, &file, &symbols, PLAIN,
           "total: 10000\tin kernel text: 9000\toutside kernel text: 1000\n"
           "KTZERO 00010000 PGSIZE 4Kb\n"
           "ms\t  %\tsym\n"
           "4500\t 50.0\tfoo\n"
           "3000\t 33.3\tbar\n",
           "");
    kernel_histogram.low = 0xf000;
    kernel_histogram.high = 0xf400;
    run(style_kprof_plan9, &file, &symbols, PLAIN);
    cr_assert_not_null(strstr(report, "\nwarning: kbase 0000f000 != tbase 00010000\n"
                                      "KTZERO 0000f000 PGSIZE 4Kb\n"));
}

Test(kprof, what_it_says_of_files)
{
    static const struct {
        enum style_file which;
        const char *path;
        int error;
        const char *text;
    } cases[] = {
        {STYLE_TEXT, NULL, -ENOENT, "kprof: usage: kprof text data\n"},
        {STYLE_TEXT, "9load", -ENOENT, "kprof: 9load: No such file or directory\n"},
        {STYLE_TEXT, "9load", -ENOEXEC, "kprof: text file not an a.out\n"},
        {STYLE_TEXT, "/", -EISDIR, "kprof: read text header: Is a directory\n"},
        {STYLE_DATA, "kpdata", -EACCES, "kprof: kpdata: Permission denied\n"},
        {STYLE_DATA, "kpdata", -EBADMSG, "kprof: data file too short\n"},
        {STYLE_DATA, "kpdata", -ENOMEM, "kprof: malloc: Cannot allocate memory\n"},
        {STYLE_DATA, "kpdata", -EIO, "kprof: text read: Input/output error\n"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t size;
        free(complaint);
        FILE *errors = open_memstream(&complaint, &size);
        cr_assert(style_kprof_refuse(cases[i].which, cases[i].path, cases[i].error, errors));
        fclose(errors);
        cr_assert_str_eq(complaint, cases[i].text);
    }
}

/* --- prof -------------------------------------------------------------------------------- */

/* Three functions of 0x20 bytes; a counter for each four. */
static struct symbol prof_symbols[] = {
    {.address = 0x1000, .name = "foo", .size = 0x20},
    {.address = 0x1020, .name = "bar", .size = 0x20},
    {.address = 0x1040, .name = "baz", .size = 0x20},
    {.address = 0x1060, .name = "idle", .size = 0x20},
};
static uint64_t prof_counters[32];
static struct histogram prof_histogram = {.low = 0x1000,
                                          .high = 0x1080,
                                          .scale = 0x8000,
                                          .counter_size = 2,
                                          .count = 32,
                                          .counters = prof_counters};
static struct histogram_calls prof_calls[] = {{0x1006, 5}, {0x1024, 1234}};

static struct histogram_file make_prof(void)
{
    memset(prof_counters, 0, sizeof prof_counters);
    prof_counters[1] = 123;
    prof_counters[8] = prof_counters[15] = 30;
    prof_counters[16] = 17;
    return (struct histogram_file){.rate_hz = 100,
                                   .ticks = 200,
                                   .histograms = &prof_histogram,
                                   .histogram_count = 1,
                                   .calls = prof_calls,
                                   .calls_count = COUNT(prof_calls)};
}

Test(prof, of_v7)
{
    struct symbol_table symbols = table_of(prof_symbols, COUNT(prof_symbols));
    struct histogram_file file = make_prof();

    file.rate_hz = 0; /* its mon.out does not say, and its clock had but one */
    expect(style_prof_v7, &file, &symbols, PLAIN,
           "    name %time  cumsecs  #call  ms/call\n"
           "     foo  61.5     2.05     5  410.00\n"
           "     bar  30.0     3.05  1234    0.81\n"
           "     baz   8.5     3.33\n"
           "    idle   0.0     3.33\n",
           "");
    prof_symbols[0].name = "long_name_of_foo";
    run(style_prof_v7, &file, &symbols, (struct style_options){.no_header = true});
    cr_assert_eq(strncmp(report, "long_nam  61.5", 14), 0, "%s", report);
}

Test(prof, of_4_3bsd)
{
    struct symbol_table symbols = table_of(prof_symbols, COUNT(prof_symbols));
    struct histogram_file file = make_prof();

    expect(style_prof_bsd, &file, &symbols, PLAIN,
           " %time  cumsecs  #call  ms/call  name\n"
           "  61.5     1.23      5   246.00  foo\n"
           "  30.0     1.83   1234     0.49  bar\n"
           "   8.5     2.00                  baz\n",
           "");
    expect(style_prof_bsd, &file, &symbols,
           (struct style_options){.zeros = true, .no_header = true},
           "  61.5     1.23      5   246.00  foo\n"
           "  30.0     1.83   1234     0.49  bar\n"
           "   8.5     2.00                  baz\n"
           "   0.0     2.00                  idle\n",
           "");
}

#define SOLARIS_HEADER " %Time Seconds Cumsecs  #Calls   msec/call  Name\n"
#define FOO "  61.5    1.23    1.23       5    246.      foo\n"
#define BAR "  30.0    0.60    1.83    1234      0.486   bar\n"
#define BAZ "   8.5    0.17    2.00                      baz\n"

Test(prof, of_solaris)
{
    struct symbol_table symbols = table_of(prof_symbols, COUNT(prof_symbols));
    struct histogram_file file = make_prof();

    expect(style_prof_solaris, &file, &symbols, PLAIN, SOLARIS_HEADER FOO BAR BAZ, "");
    expect(style_prof_solaris, &file, &symbols, (struct style_options){.no_header = true},
           FOO BAR BAZ, "");
    expect(style_prof_solaris, &file, &symbols, (struct style_options){.address = STYLE_HEX},
           " Address " SOLARIS_HEADER "    1000 " FOO "    1020 " BAR "    1040 " BAZ, "");
    expect(style_prof_solaris, &file, &symbols, (struct style_options){.address = STYLE_OCTAL},
           " Address " SOLARIS_HEADER "   10000 " FOO "   10040 " BAR "   10100 " BAZ, "");
}

Test(prof, of_solaris_digits_follow_the_calls)
{
    static const struct {
        uint64_t calls;
        const char *row;
    } cases[] = {
        {9, " 100.0    1.00    1.00       9    111.      foo\n"},
        {10, " 100.0    1.00    1.00      10    100.0     foo\n"},
        {99, " 100.0    1.00    1.00      99     10.1     foo\n"},
        {100, " 100.0    1.00    1.00     100     10.00    foo\n"},
        {1000, " 100.0    1.00    1.00    1000      1.000   foo\n"},
        {10000, " 100.0    1.00    1.00   10000      0.1000  foo\n"},
        {7654321, " 100.0    1.00    1.00 7654321      0.0001  foo\n"},
    };
    struct symbol_table symbols = table_of(prof_symbols, COUNT(prof_symbols));

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct histogram_calls calls = {0x1000, cases[i].calls};
        struct histogram_file file = make_prof();
        memset(prof_counters, 0, sizeof prof_counters);
        prof_counters[0] = 100;
        file.calls = &calls;
        file.calls_count = 1;
        expect(style_prof_solaris, &file, &symbols, (struct style_options){.no_header = true},
               cases[i].row, "");
    }
}

Test(prof, of_solaris_synonyms_share_a_row)
{
    struct symbol twice[] = {{.address = 0x1000, .name = "first", .size = 4},
                             {.address = 0x1000, .name = "second", .size = 4},
                             {.address = 0x1000, .name = "a label"},
                             {.address = 0x1020, .name = "other", .size = 4}};
    struct symbol_table symbols = table_of(twice, COUNT(twice));
    struct histogram_file file = make_prof();

    symbols.symbols[2].binding = STB_LOCAL;
    file.calls_count = 0;
    expect(style_prof_solaris, &file, &symbols, (struct style_options){.no_header = true},
           "  61.5    1.23    1.23                      first, second\n"
           "  38.5    0.77    2.00                      other\n",
           "");
}

Test(prof, of_solaris_versioned)
{
    struct symbol_table symbols = table_of(prof_symbols, COUNT(prof_symbols));
    uint64_t pcs[] = {0x1023, 0x1000, 0x101f, 0x1040, 0x5000, 0x1002, 0x1003, 0xfff};
    struct histogram_file file = {.dialect = dialect_find("pcsample"),
                                  .pcs = pcs,
                                  .pc_count = COUNT(pcs),
                                  .calls = prof_calls,
                                  .calls_count = COUNT(prof_calls)};

    symbols.end = 0x1080;
    expect(style_prof_solaris_versioned, &file, &symbols, PLAIN,
           SOLARIS_HEADER "  50.0    0.04    0.04       5      8.0000  foo\n"
                          "  12.5    0.01    0.05    1234      0.0081  bar\n"
                          "  12.5    0.01    0.06       0      0.0000  baz\n",
           "");
    expect(style_prof_solaris_versioned, &file, &symbols,
           (struct style_options){.address = STYLE_HEX, .zeros = true},
           "         Address " SOLARIS_HEADER
           "            1000   50.0    0.04    0.04       5      8.0000  foo\n"
           "            1020   12.5    0.01    0.05    1234      0.0081  bar\n"
           "            1040   12.5    0.01    0.06       0      0.0000  baz\n"
           "            1060    0.0    0.00    0.06       0      0.0000  idle\n",
           "");
    file.dialect = NULL;
    expect(style_prof_solaris_versioned, &file, &symbols, PLAIN,
           " %Time   Tiks  Cumtiks  #Calls   tiks/call  Name\n"
           "  50.0    4.00    4.00       5      0.8000  foo\n"
           "  12.5    1.00    5.00    1234      0.0008  bar\n"
           "  12.5    1.00    6.00       0      0.0000  baz\n",
           "");
}

Test(prof, text_between_modules_is_nobodys)
{
    struct symbol two[] = {{.address = 0x1000, .name = "foo", .size = 0x10},
                           {.address = 0x1020, .name = ""},
                           {.address = 0x8000, .name = ""},
                           {.address = 0x8000, .name = "bar", .size = 0x10},
                           {.address = 0x8020, .name = ""}};
    struct symbol_table symbols = table_of(two, COUNT(two));
    uint64_t pcs[] = {0x1000, 0x101f, 0x1020, 0x7fff, 0x8000, 0x8020, 0x9000, 0x801f};
    struct histogram_file file = {.rate_hz = 100, .pcs = pcs, .pc_count = COUNT(pcs)};

    expect(style_prof_solaris_versioned, &file, &symbols,
           (struct style_options){.no_header = true, .zeros = true},
           "  25.0    0.02    0.02       0      0.0000  foo\n"
           "  25.0    0.02    0.04       0      0.0000  bar\n",
           "");
}

/* A counter of 16 bytes of text, of which foo has 12 and bar 4. */
Test(prof, counters_are_shared_in_proportion)
{
    struct symbol inside[] = {{.address = 0x1004, .name = "foo", .size = 12},
                              {.address = 0x1010, .name = "tiny", .size = 1},
                              {.address = 0x1011, .name = "bar", .size = 15}};
    struct symbol_table symbols = table_of(inside, COUNT(inside));
    uint64_t counters[] = {16, 32};
    struct histogram histogram = {
        .low = 0x1000, .high = 0x1020, .counter_size = 2, .count = 2, .counters = counters};
    struct histogram_file file = {.rate_hz = 1, .histograms = &histogram, .histogram_count = 1};

    expect(style_prof_solaris, &file, &symbols, (struct style_options){.no_header = true},
           "  62.5   30.00   30.00                      bar\n"
           "  25.0   12.00   42.00                      foo\n"
           "   4.2    2.00   44.00                      tiny\n",
           "");
    /* in words of two bytes, tiny has no text */
    expect(style_prof_bsd, &file, &symbols, (struct style_options){.no_header = true},
           "  66.7    32.00                  bar\n"
           "  25.0    44.00                  foo\n",
           "");
}

Test(prof, orders)
{
    static const struct {
        enum style_sort sort;
        const char *names;
    } cases[] = {{STYLE_BY_TIME, "foo bar baz "},
                 {STYLE_BY_CALLS, "bar foo baz "},
                 {STYLE_BY_ADDRESS, "foo bar baz "},
                 {STYLE_BY_NAME, "bar baz foo "}};
    static style_function *const styles[] = {style_prof_bsd, style_prof_solaris};
    struct symbol_table symbols = table_of(prof_symbols, COUNT(prof_symbols));
    struct histogram_file file = make_prof();

    for (size_t i = 0; i < COUNT(cases) * COUNT(styles); i++) {
        char names[64] = "";
        run(styles[i % 2], &file, &symbols,
            (struct style_options){.sort = cases[i / 2].sort, .no_header = true});
        for (char *line = strtok(report, "\n"); line != NULL; line = strtok(NULL, "\n"))
            strcat(strcat(names, strrchr(line, ' ') + 1), " ");
        cr_assert_str_eq(names, cases[i / 2].names);
    }
}

Test(prof, a_call_belongs_to_the_function_that_it_is_near)
{
    struct symbol far[] = {{.address = 0x1000, .name = "foo", .size = 0x40},
                           {.address = 0x1060, .name = "bar", .size = 0x20}};
    struct symbol_table symbols = table_of(far, COUNT(far));
    struct histogram_calls calls[] = {{0x1015, 1}, {0x1017, 10}, {0x1040, 100}, {0x1041, 1000}};
    struct histogram_file file = make_prof();
    static const struct {
        style_function *style;
        const char *calls;
    } cases[] = {{style_prof_v7, "     1 "},
                 {style_prof_bsd, "     11 "},
                 {style_prof_solaris, "     111 "}};

    file.calls = calls;
    file.calls_count = COUNT(calls);
    for (size_t i = 0; i < COUNT(cases); i++) {
        run(cases[i].style, &file, &symbols, (struct style_options){.no_header = true});
        cr_assert_not_null(strstr(report, cases[i].calls), "%s", report);
    }
}

Test(prof, what_it_says_where_there_is_nothing)
{
    struct symbol_table symbols = table_of(prof_symbols, 1), none = {0};
    struct histogram_file file = make_prof();
    char object[] = "/bin/prog";

    expect(style_prof_v7, &file, &none, PLAIN, "", "a.out: no symbols\n");
    file.object = object;
    expect(style_prof_bsd, &file, &none, PLAIN, "", "/bin/prog: no symbols\n");
    expect(style_prof_solaris, &file, &none, PLAIN, "", "prof: /bin/prog: no symbols\n");
    expect(style_gprof, &file, &none, PLAIN, "", "gprof: file `/bin/prog' has no symbols\n");
    memset(prof_counters, 0, sizeof prof_counters);
    expect(style_prof_v7, &file, &symbols, PLAIN, "", "No time accumulated\n");
    expect(style_prof_bsd, &file, &symbols, PLAIN,
           " %time  cumsecs  #call  ms/call  name\n   0.0     0.00      5     0.00  foo\n",
           "No time accumulated\n");
    expect(style_prof_solaris, &file, &symbols, (struct style_options){.no_header = true},
           "   0.0    0.00    0.00       5      0.      foo\n", "");
}

Test(prof, is_of_the_system_that_the_file_is_from)
{
    static const struct {
        const char *dialect;
        const char *header;
    } cases[] = {{"v7", "    name %time"},       {"bsd44", " %time  cumsecs"},
                 {"solaris", " %Time Seconds"},  {"irix", " %Time Seconds"},
                 {"pcsample", " %Time Seconds"}, {"glibc", " %time  cumsecs"}};
    struct symbol_table symbols = table_of(prof_symbols, COUNT(prof_symbols));
    struct histogram_file file = make_prof();

    for (size_t i = 0; i < COUNT(cases); i++) {
        file.dialect = dialect_find(cases[i].dialect);
        cr_assert_not_null(file.dialect);
        run(style_prof, &file, &symbols, PLAIN);
        cr_assert_eq(strncmp(report, cases[i].header, strlen(cases[i].header)), 0, "%s", report);
    }
}

Test(prof, hostile_histograms_lead_nowhere)
{
    static style_function *const styles[] = {style_prof_v7, style_prof_solaris, style_kprof,
                                             style_gprof};
    static const struct {
        uint64_t low, high;
    } ranges[] = {{0x1000, 0x1000}, {0x1000, 0xfff}, {0, UINT64_MAX}, {UINT64_MAX - 1, UINT64_MAX},
                  {0x1000, 0x1001}, {UINT64_MAX, 0}};
    struct symbol_table symbols = table_of(prof_symbols, COUNT(prof_symbols));

    for (size_t i = 0; i < COUNT(styles) * COUNT(ranges); i++) {
        struct histogram_file file = make_prof();
        struct histogram histogram = prof_histogram;
        histogram.low = ranges[i / COUNT(styles)].low;
        histogram.high = ranges[i / COUNT(styles)].high;
        histogram.scale = (uint32_t)(i % 3) * 0x7fffffff;
        histogram.counters[31] = UINT64_MAX;
        file.histograms = &histogram;
        file.outside = UINT64_MAX;
        int error = run(styles[i % COUNT(styles)], &file, &symbols, PLAIN);
        cr_assert(error == 0 || error == -ENODATA);
    }
}

/* --- call graphs that no program makes --------------------------------------------------- */

/* A chain of calls as long as this would exhaust the stack, were it followed by recursion. */
Test(call_graph, is_deep, .timeout = 120)
{
    const size_t count = 200000;
    struct symbol *symbols = calloc(count, sizeof *symbols);
    struct histogram_arc *arcs = calloc(2 * count, sizeof *arcs);
    uint64_t counter = 100;
    struct histogram histogram = {.low = 0x1000 + 4 * (count - 1),
                                  .high = 0x1000 + 4 * count,
                                  .counter_size = 2,
                                  .count = 1,
                                  .counters = &counter};
    struct histogram_file file = {
        .rate_hz = 100, .histograms = &histogram, .histogram_count = 1, .arcs = arcs};

    for (size_t i = 0; i < count; i++)
        symbols[i] = (struct symbol){.address = 0x1000 + 4 * i, .size = 4, .name = "f"};
    struct symbol_table table = table_of(symbols, count);
    for (size_t i = 0; i + 1 < count; i++)
        arcs[file.arc_count++] =
            (struct histogram_arc){0x1000 + 4 * i, 0x1000 + 4 * (i + 1), i == 0 ? 2 : 1};
    cr_assert_eq(run(style_gprof, &file, &table, PLAIN), 0);
    cr_assert_not_null(strstr(report, "  0.00      1.00     0.00        2     0.00     0.50  f\n"));
    /* all in one circle, but for one who calls it: they pass on their time together */
    arcs[file.arc_count++] = (struct histogram_arc){0x1000 + 4 * (count - 1), 0x1004, 1};
    cr_assert_eq(run(style_gprof, &file, &table, PLAIN), 0);
    cr_assert_not_null(strstr(report, "100.00      1.00     1.00        1     1.00     1.00  f\n"));
    free(symbols);
    free(arcs);
}
