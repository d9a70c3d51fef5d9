/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tests of annotated code: the sums of the rows of a listing made by hand, the functions that a pattern
 * selects, and the code of a function of this program, whose inlined function is known.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build-events.h"
#include "report/code.h"

/* --- counts ----------------------------------------------------------------------------- */

/* Makes a listing of four instructions of object 0. They are at the places 0, 2, 4 and 8 of its file, and belong to the
 * lines 2, 2, 1 and 2 of a source file, which this function makes. */
static struct listing *make_listing(void)
{
    static const struct symbol_instruction made[] = {
        {.address = 0x1000, .place = 0, .size = 2, .file = 1, .line = 2},
        {.address = 0x1002, .place = 2, .size = 2, .file = 1, .line = 2, .target = 0x1000},
        {.address = 0x1004, .place = 4, .size = 4, .file = 1, .line = 1},
        {.address = 0x1008, .place = 8, .size = 1, .file = 1, .line = 2},
    };
    struct symbol_code *code = calloc(1, sizeof *code);
    char path[] = "/tmp/pprofil-source-XXXXXX";
    struct listing *listing;
    int fd = mkstemp(path);

    dprintf(fd, "one\ntwo\nthree\n");
    close(fd);
    code->instruction_count = 4;
    code->instructions = calloc(4, sizeof *code->instructions);
    for (int i = 0; i < 4; i++) {
        code->instructions[i] = made[i];
        code->instructions[i].text = strdup("nop");
    }
    code->file_count = 2;
    code->files = calloc(2, sizeof *code->files);
    code->files[0] = strdup("");
    code->files[1] = strdup(path);
    cr_assert_eq(listing_new(code, &listing), 0);
    unlink(path);
    /* the rows: line 2 and its first two instructions, line 1 and its instruction, line 2 and its last instruction */
    cr_assert_eq(listing->row_count, 7);
    return listing;
}

struct model {
    struct profile *profile;
    uint32_t node;
};

static struct model make_model(void)
{
    struct model model = {.profile = profile_new()};
    struct profile_object object = {.kind = PROFILE_OBJECT_FILE, .fd = -1};
    struct profile_process process = {.pid = 1};
    struct profile_thread thread = {.tid = 1};
    uint32_t index;

    cr_assert_eq(profile_string(model.profile, "/bin/a", &object.path), 0);
    cr_assert_eq(profile_object(model.profile, &object, &index), 0);
    object.inode = 2;
    cr_assert_eq(profile_object(model.profile, &object, &index), 0);
    cr_assert_eq(profile_add_process(model.profile, &process, &index), 0);
    cr_assert_eq(profile_add_thread(model.profile, &thread, &index), 0);
    return model;
}

/* Adds a call to the stack. */
static void call(struct model *model, uint32_t object, uint64_t address)
{
    uint32_t location;

    cr_assert_eq(profile_location(model->profile, object, address, &location), 0);
    cr_assert_eq(profile_node(model->profile, model->node, location, &model->node), 0);
}

/* Adds samples at the innermost call, and empties the stack. */
static void run(struct model *model, uint64_t count, uint64_t ns)
{
    struct profile_sample sample = {.node = model->node, .count = count, .cpu_ns = ns};

    cr_assert_eq(profile_count(model->profile, &sample), 0);
    model->node = 0;
}

static void expect_sum(const struct code_sum *sum, uint64_t samples, uint64_t ns,
                         uint64_t total_samples, uint64_t total_ns)
{
    cr_assert_eq(sum->self.samples, samples);
    cr_assert_eq(sum->self.ns, ns);
    cr_assert_eq(sum->total.samples, total_samples);
    cr_assert_eq(sum->total.ns, total_ns);
}

Test(annotate, rows_have_what_ran_there_and_what_was_called_from_there)
{
    struct listing *listing = make_listing();
    struct model model = make_model();
    struct report_options options = {.by = PPROFIL_BY_FUNCTION};
    struct code_sums sums;

    call(&model, 0, 5); /* inside an instruction */
    run(&model, 3, 30);
    call(&model, 0, 0); /* a stack with three frames in line 2, and then one in another object */
    call(&model, 0, 2);
    call(&model, 0, 0);
    call(&model, 1, 0);
    run(&model, 2, 20);
    call(&model, 0, 8); /* the last instruction of line 2 */
    run(&model, 1, 10);
    call(&model, 1, 4); /* in another object */
    run(&model, 7, 70);
    call(&model, 0, 9); /* behind the function */
    run(&model, 7, 70);
    cr_assert_eq(code_sums_make(model.profile, &options, listing, &sums), 0);
    expect_sum(&sums.rows[0], 0, 0, 2, 20);
    expect_sum(&sums.rows[1], 0, 0, 2, 20);
    expect_sum(&sums.rows[2], 0, 0, 2, 20);
    expect_sum(&sums.rows[3], 3, 30, 3, 30);
    expect_sum(&sums.rows[4], 3, 30, 3, 30);
    expect_sum(&sums.rows[5], 1, 10, 1, 10);
    expect_sum(&sums.rows[6], 1, 10, 1, 10);
    expect_sum(&sums.all, 4, 40, 6, 60);
    cr_assert_eq(code_row_of_address(&sums, listing, 0x1002), 2);
    cr_assert_eq(code_row_of_address(&sums, listing, 0x1003), UINT32_MAX, "inside");
    cr_assert_eq(code_row_of_place(&sums, listing, 7), 4);
    code_sums_clear(&sums);
    listing_free(listing);
    profile_free(model.profile);
}

Test(annotate, lines_without_code_are_there_too)
{
    struct listing *listing = make_listing();

    cr_assert_str_eq(listing_line(listing, 1, 3), "three");
    cr_assert_str_eq(listing_line(listing, 1, 1), "one");
    cr_assert_null(listing_line(listing, 1, 0));
    cr_assert_null(listing_line(listing, 1, 5));
    cr_assert_null(listing_line(listing, 0, 1));
    cr_assert_null(listing_line(listing, 2, 1));
    listing_free(listing);
}

/* --- source lines ------------------------------------------------------------------------- */

/* Makes four instructions: two of line 2, one of line 1, and one of a file that does not exist. */
static struct symbol_code *make_source_code(const char *source)
{
    static const struct symbol_instruction made[] = {
        {.address = 0x1000, .place = 0, .size = 2, .file = 1, .line = 2},
        {.address = 0x1002, .place = 2, .size = 2, .file = 1, .line = 2},
        {.address = 0x1004, .place = 4, .size = 4, .file = 1, .line = 1},
        {.address = 0x1008, .place = 8, .size = 1, .file = 2, .line = 1},
    };
    struct symbol_code *code = calloc(1, sizeof *code);

    code->instruction_count = 4;
    code->instructions = calloc(4, sizeof *code->instructions);
    for (int i = 0; i < 4; i++) {
        code->instructions[i] = made[i];
        code->instructions[i].text = strdup("nop");
    }
    code->file_count = 3;
    code->files = calloc(3, sizeof *code->files);
    code->files[0] = strdup("");
    code->files[1] = strdup(source);
    code->files[2] = strdup("/no/such/file.c");
    return code;
}

Test(annotate, source_lines_come_before_their_instructions)
{
    char path[] = "/tmp/pprofil-source-XXXXXX";
    struct listing *listing;

    int fd = mkstemp(path);
    dprintf(fd, "one\r\n\ttwo \033[1m\nthree");
    close(fd);
    cr_assert_eq(listing_new(make_source_code(path), &listing), 0);
    unlink(path);
    cr_assert_eq(listing->row_count, 6);
    cr_assert_null(listing->rows[0].instruction);
    cr_assert_str_eq(listing->rows[0].text, "\ttwo ?[1m");
    cr_assert_str_eq(listing->rows[0].file, path);
    cr_assert_eq(listing->rows[2].instruction->address, 0x1002);
    cr_assert_str_eq(listing->rows[3].text, "one");
    cr_assert_eq(listing->rows[3].line, 1);
    cr_assert_str_eq(listing->rows[5].text, "nop", "no source, no line");
    listing_free(listing);
}

/* The program was written after its source, at the same time, before it, or at an unknown time. */
Test(annotate, source_that_is_newer_than_the_program_is_told)
{
    static const struct {
        int64_t program_s;
        bool newer;
    } cases[] = {{1000001, false}, {1000000, false}, {999999, true}, {0, false}};
    const struct timespec written[2] = {{.tv_sec = 1000000}, {.tv_sec = 1000000}};
    char path[] = "/tmp/pprofil-source-XXXXXX";
    struct listing *listing;

    int fd = mkstemp(path);
    dprintf(fd, "one\ntwo\n");
    futimens(fd, written);
    close(fd);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct symbol_code *code = make_source_code(path);
        code->written_ns = cases[i].program_s * 1000000000;
        cr_assert_eq(listing_new(code, &listing), 0);
        cr_assert_eq(listing->rows[0].newer, cases[i].newer, "%u", i);
        cr_assert_eq(listing->rows[3].newer, cases[i].newer, "%u", i);
        cr_assert(!listing->rows[1].newer, "an instruction is what it is");
        listing_free(listing);
    }
    unlink(path);
}

/* --- names ------------------------------------------------------------------------------ */

/* Checks the name of the first row that a pattern keeps. Returns the number of rows that it keeps. */
static uint32_t kept(const char *pattern, const char *first)
{
    struct pprofil_row rows[] = {
        {.name = "parse", .object = "a"},          {.name = "parse", .object = "b.so"},
        {.name = "ns::f(int)", .object = "a"},     {.name = "ns::f2(int)", .object = "a"},
        {.name = "parse_all", .object = "a"},      {.name = "operator+(x)", .object = "a"},
    };
    struct pprofil_report report = {.rows = rows, .count = 6, .total = 6};
    char problem[128];

    cr_assert_eq(annotate_keep(&report, pattern, problem, sizeof problem), 0);
    cr_assert_eq(report.count, report.total);
    if (report.count > 0)
        cr_assert_str_eq(rows[0].name, first);
    return report.count;
}

Test(annotate, a_name_means_itself_first)
{
    struct pprofil_report none = {.count = 0};
    char problem[128] = "";

    cr_assert_eq(kept("parse", "parse"), 2);
    cr_assert_eq(kept("b.so:parse", "parse"), 1);
    cr_assert_eq(kept("ns::f", "ns::f(int)"), 1, "without its parameters");
    cr_assert_eq(kept("parse_", "parse_all"), 1, "a part");
    cr_assert_eq(kept("r+(", "operator+(x)"), 1, "a part, though no expression");
    cr_assert_eq(kept("^ns::f[0-9]", "ns::f2(int)"), 1);
    cr_assert_eq(kept("^pa.*[el]$", "parse"), 3);
    cr_assert_eq(kept("nothing", ""), 0);
    cr_assert_eq(annotate_keep(&none, "(", problem, sizeof problem), -EINVAL);
    cr_assert_neq(problem[0], '\0');
}

/* --- this program ------------------------------------------------------------------------ */

static inline __attribute__((always_inline)) unsigned rotate(unsigned value)
{
    return value << 7 | value >> 25;
}

/* Has instructions of its own, and instructions of rotate, which is inlined. */
__attribute__((noinline)) unsigned annotate_me(const unsigned *values, int count);
unsigned annotate_me(const unsigned *values, int count)
{
    unsigned sum = 0;

    for (int i = 0; i < count; i++)
        sum += rotate(values[i] ^ sum);
    return sum;
}

/* Returns the file offset of the code or data at an address of this program. */
static uint64_t offset_of(const void *address)
{
    struct link_map *map;
    Dl_info info;

    cr_assert_neq(dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP), 0);
    return (uint64_t)((const char *)address - (const char *)info.dli_fbase);
}

Test(annotate, code_of_this_program)
{
    struct profile *profile = profile_new();
    struct profile_object object = {.kind = PROFILE_OBJECT_FILE, .fd = -1};
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    uint32_t index, location, inlined = 0;
    struct annotation annotation;
    const char *problem;

    path[length] = '\0';
    cr_assert_eq(profile_string(profile, path, &object.path), 0);
    cr_assert_eq(profile_object(profile, &object, &index), 0);
    cr_assert_eq(profile_location(profile, index, offset_of((const void *)annotate_me), &location), 0);
    struct symbolizer *symbolizer = symbolizer_new(profile);
    cr_assert_eq(symbolizer_look_up(symbolizer, location, PROFILE_LOOKED_NAME), 0);
    uint64_t id = report_id(profile, PPROFIL_BY_FUNCTION, location);
    cr_assert_eq(annotate_function(profile, symbolizer, id + 1000, &annotation, &problem), -ENOENT);
    cr_assert_eq(annotate_function(profile, symbolizer, id, &annotation, &problem), 0);
    cr_assert_eq(annotation.count, 1);
    const struct symbol_code *code = annotation.blocks[0]->code;
    for (uint32_t i = 0; i < code->instruction_count; i++)
        if (strcmp(code->inlined[code->instructions[i].inlined], "rotate") == 0)
            inlined++;
    cr_assert_gt(inlined, 0);
    cr_assert_lt(inlined, code->instruction_count);
    cr_assert_eq(code->instructions[0].inlined, 0, "it begins with its own");
    annotate_clear(&annotation);
    symbolizer_free(symbolizer);
    profile_free(profile);
}

Test(annotate, no_code_says_why)
{
    struct model model = make_model();
    struct annotation annotation;
    const char *problem;

    call(&model, 0, 16);
    run(&model, 1, 10);
    struct symbolizer *symbolizer = symbolizer_new(model.profile);
    cr_assert_eq(symbolizer_look_up(symbolizer, 1, PROFILE_LOOKED_NAME), 0);
    cr_assert_eq(annotate_function(model.profile, symbolizer, report_id(model.profile, PPROFIL_BY_FUNCTION, 1),
                                   &annotation, &problem),
                 PPROFIL_ERROR_NO_CODE);
    cr_assert_str_eq(problem, "file is gone");
    cr_assert_eq(annotation.count, 0);
    symbolizer_free(symbolizer);
    profile_free(model.profile);
}
