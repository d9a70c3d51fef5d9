/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "report-style-fixture.h"

TestSuite(kprof, .fini = forget);

/* --- kprof ------------------------------------------------------------------------------- */

static struct symbol kernel_symbols[] = {
    {.address = 0x10000, .name = "foo"},
    {.address = 0x10100, .name = "bar"},
    {.address = 0x10200, .name = "baz"},
    {.address = 0x10300, .name = "etext"},
};

/* The counters that the reader of kpdata makes for 0x400 bytes of text. */
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

    for (uint64_t low = 0; low <= 0x10000; low += 0x10000) { /* low 0: the start of the text is not known */
        struct histogram_file file = make_kernel("inferno", low);
        kernel_cells[6] = 400; /* the first counter for text, at 0x10030 */
        kernel_cells[31] = 50; /* the last counter of foo */
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

    kernel_cells[8] = 9;  /* 0x10040: belongs to `one`, which has the first byte; `two` begins later */
    kernel_cells[9] = 20; /* 0x10048: belongs to `two` */
    kernel_cells[10] = 7; /* 0x10050: belongs to `three` */
    kernel_cells[11] = 1; /* 0x10058: behind `etext`, where the text ends */
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

/* The original kprof would begin at counter 16 + 6, which is for 0x100b0, and would miss the first 48 bytes of text. */
Test(kprof, a_first_symbol_inside_a_page_loses_nothing)
{
    struct symbol late[] = {{.address = 0x10080, .name = "late"},
                            {.address = 0x10100, .name = "etext"}};
    struct symbol_table symbols = table_of(late, COUNT(late));
    struct histogram_file file = make_kernel("inferno", 0);

    kernel_cells[16] = 900; /* 0x10080 */
    kernel_cells[3] = 5;    /* a special counter, which is for no text */
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
    kernel_cells[10] = 8; /* behind g */
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

    expect(style_kprof, &file, &none, PLAIN, "total: 1000\tin kernel text: 900\toutside kernel text: 100\n",
           "kprof: no text symbols\n");
    expect(style_kprof, &file, &symbols, PLAIN,
           "total: 1000\tin kernel text: 900\toutside kernel text: 100\nKTZERO 00010000\n", "kprof: no counts\n");
    file.ticks = file.outside = 0;
    expect(style_kprof, &file, &none, PLAIN, "total: 0\tin kernel text: 0\toutside kernel text: 0\n", "");
    kernel_histogram.counter_size = 8;
    expect(style_kprof, &file, &symbols, PLAIN, "", "kprof: only sample size 4 supported\n\n");
}

Test(kprof, of_plan_9)
{
    struct symbol_table symbols = table_of(kernel_symbols, COUNT(kernel_symbols));
    struct histogram_file file = make_kernel("plan9", 0x10000);

    kernel_cells[2] = 450; /* a counter for text, because Plan 9 has only two special counters */
    kernel_cells[32] = 300;
    kernel_cells[1] = 77;
    expect(style_kprof_plan9, &file, &symbols, PLAIN,
           "total: 1000\tin kernel text: 900\toutside kernel text: 100\n"
           "KTZERO 00010000 PGSIZE 4Kb\n"
           "ms\t  %\tsym\n"
           "450\t 50.0\tfoo\n"
           "300\t 33.3\tbar\n",
           "");
    file.rate_hz = 100; /* a rate that profiles may have; files of Plan 9 always have 1000 Hz */
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
        {STYLE_DATA, "kpdata", PPROFIL_ERROR_DAMAGED, "kprof: data file too short\n"},
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
