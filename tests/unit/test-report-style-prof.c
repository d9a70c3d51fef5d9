/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "report-style-fixture.h"

TestSuite(prof, .fini = forget);
TestSuite(call_graph, .fini = forget);

/* --- prof -------------------------------------------------------------------------------- */

/* Four functions of 0x20 bytes, with a counter for each 4 bytes. */
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

    file.rate_hz = 0; /* mon.out does not have the rate, because V7 had only one rate */
    expect(style_prof_v7, &file, &symbols, PLAIN,
           "    name %time  cumsecs  #call  ms/call\n"
           "     foo  61.5     2.05     5  410.00\n"
           "     bar  30.0     3.05  1234    0.81\n"
           "     baz   8.5     3.33\n"
           "    idle   0.0     3.33\n",
           "");
    prof_symbols[0].name = "long_name_of_foo";
    run(style_prof_v7, &file, &symbols, (struct pprofil_style_options){.no_header = true});
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
    expect(style_prof_bsd, &file, &symbols, (struct pprofil_style_options){.zeros = true, .no_header = true},
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
    expect(style_prof_solaris, &file, &symbols, (struct pprofil_style_options){.no_header = true}, FOO BAR BAZ, "");
    expect(style_prof_solaris, &file, &symbols, (struct pprofil_style_options){.addresses = PPROFIL_ADDRESSES_HEX},
           " Address " SOLARIS_HEADER "    1000 " FOO "    1020 " BAR "    1040 " BAZ, "");
    expect(style_prof_solaris, &file, &symbols, (struct pprofil_style_options){.addresses = PPROFIL_ADDRESSES_OCTAL},
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
        expect(style_prof_solaris, &file, &symbols, (struct pprofil_style_options){.no_header = true},
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
    expect(style_prof_solaris, &file, &symbols, (struct pprofil_style_options){.no_header = true},
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
           (struct pprofil_style_options){.addresses = PPROFIL_ADDRESSES_HEX, .zeros = true},
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
           (struct pprofil_style_options){.no_header = true, .zeros = true},
           "  25.0    0.02    0.02       0      0.0000  foo\n"
           "  25.0    0.02    0.04       0      0.0000  bar\n",
           "");
}

/* Each counter is for 16 bytes of text. In the first counter's text, 12 bytes belong to `foo`. In the second counter's
 * text, 1 byte belongs to `tiny`, and 15 bytes belong to `bar`. */
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

    expect(style_prof_solaris, &file, &symbols, (struct pprofil_style_options){.no_header = true},
           "  62.5   30.00   30.00                      bar\n"
           "  25.0   12.00   42.00                      foo\n"
           "   4.2    2.00   44.00                      tiny\n",
           "");
    /* 4.3BSD measures text in words of two bytes, and `tiny` has no whole word */
    expect(style_prof_bsd, &file, &symbols, (struct pprofil_style_options){.no_header = true},
           "  66.7    32.00                  bar\n"
           "  25.0    44.00                  foo\n",
           "");
}

Test(prof, orders)
{
    static const struct {
        enum pprofil_sort sort;
        const char *names;
    } cases[] = {{PPROFIL_SORT_TIME, "foo bar baz "},
                 {PPROFIL_SORT_CALLS, "bar foo baz "},
                 {PPROFIL_SORT_ADDRESS, "foo bar baz "},
                 {PPROFIL_SORT_NAME, "bar baz foo "}};
    static style_function *const styles[] = {style_prof_bsd, style_prof_solaris};
    struct symbol_table symbols = table_of(prof_symbols, COUNT(prof_symbols));
    struct histogram_file file = make_prof();

    for (size_t i = 0; i < COUNT(cases) * COUNT(styles); i++) {
        char names[64] = "";
        run(styles[i % 2], &file, &symbols,
            (struct pprofil_style_options){.sort = cases[i / 2].sort, .no_header = true});
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
        run(cases[i].style, &file, &symbols, (struct pprofil_style_options){.no_header = true});
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
    expect(style_prof_solaris, &file, &symbols, (struct pprofil_style_options){.no_header = true},
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
    static style_function *const styles[] = {style_prof_v7, style_prof_solaris, style_kprof, style_gprof};
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
        cr_assert(error == 0 || error == PPROFIL_ERROR_EXPLAINED);
    }
}

/* --- call graphs that no program makes --------------------------------------------------- */

/* On a chain of 200000 calls, a recursive algorithm would overflow our stack. */
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
        arcs[file.arc_count++] = (struct histogram_arc){0x1000 + 4 * i, 0x1000 + 4 * (i + 1), i == 0 ? 2 : 1};
    cr_assert_eq(run(style_gprof, &file, &table, PLAIN), 0);
    cr_assert_not_null(strstr(report, "  0.00      1.00     0.00        2     0.00     0.50  f\n"));
    /* now all functions except the first form one cycle, and pass on their time together */
    arcs[file.arc_count++] = (struct histogram_arc){0x1000 + 4 * (count - 1), 0x1004, 1};
    cr_assert_eq(run(style_gprof, &file, &table, PLAIN), 0);
    cr_assert_not_null(strstr(report, "100.00      1.00     1.00        1     1.00     1.00  f\n"));
    free(symbols);
    free(arcs);
}
