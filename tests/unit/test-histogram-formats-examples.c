/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "histogram-formats-fixture.h"

TestSuite(histogram_formats_examples, .init = make_directory, .fini = remove_directory);

Test(histogram_formats_examples, writes_the_examples)
{
    for (size_t i = 0; i < EXAMPLES; i++) {
        struct histogram_file file;
        size_t size;
        examples[i].make(&file);
        unsigned char *bytes = written(examples[i].write, &file, &size);
        expect_bytes(examples[i].name, bytes, size, examples[i].bytes, examples[i].size);
        free(bytes);
        histogram_file_clear(&file);
    }
}

static void expect_same(const char *name, const struct histogram_file *got,
                        const struct histogram_file *expected)
{
    cr_assert_eq(got->pointer_size, expected->pointer_size, "%s", name);
    cr_assert_eq(got->big_endian, expected->big_endian, "%s", name);
    cr_assert_float_eq(got->rate_hz, expected->rate_hz, 1e-9, "%s: %g Hz", name, got->rate_hz);
    cr_assert_eq(got->ticks, expected->ticks, "%s: %d ticks", name, (int)got->ticks);
    cr_assert_eq(got->outside, expected->outside, "%s", name);
    cr_assert_eq(got->histogram_count, expected->histogram_count, "%s", name);
    for (size_t i = 0; i < got->histogram_count; i++) {
        const struct histogram *a = &got->histograms[i], *b = &expected->histograms[i];
        cr_assert(a->low == b->low && a->high == b->high && a->count == b->count, "%s", name);
        cr_assert(a->scale == b->scale && a->counter_size == b->counter_size, "%s", name);
        for (uint64_t j = 0; j < a->count; j++)
            cr_assert_eq(a->counters[j], b->counters[j], "%s: counter %d", name, (int)j);
    }
    cr_assert_eq(got->pc_count, expected->pc_count, "%s", name);
    for (size_t i = 0; i < got->pc_count; i++)
        cr_assert_eq(got->pcs[i], expected->pcs[i], "%s", name);
    cr_assert_eq(got->arc_count, expected->arc_count, "%s", name);
    for (size_t i = 0; i < got->arc_count; i++)
        cr_assert_arr_eq(&got->arcs[i], &expected->arcs[i], sizeof *got->arcs, "%s", name);
    cr_assert_eq(got->calls_count, expected->calls_count, "%s", name);
    for (size_t i = 0; i < got->calls_count; i++)
        cr_assert_arr_eq(&got->calls[i], &expected->calls[i], sizeof *got->calls, "%s", name);
    cr_assert_eq(got->block_count, expected->block_count, "%s", name);
    for (size_t i = 0; i < got->block_count; i++)
        cr_assert_arr_eq(&got->blocks[i], &expected->blocks[i], sizeof *got->blocks, "%s", name);
    cr_assert_eq(got->module_count, expected->module_count, "%s", name);
    for (size_t i = 0; i < got->module_count; i++)
        cr_assert_str_eq(got->modules[i].path, expected->modules[i].path, "%s", name);
}

Test(histogram_formats_examples, reads_the_examples)
{
    for (size_t i = 0; i < EXAMPLES; i++) {
        struct histogram_file file = {0}, expected;
        examples[i].make(&expected);
        cr_assert_eq(examples[i].read(examples[i].bytes, examples[i].size, &file), 0, "%s",
                     examples[i].name);
        expect_same(examples[i].name, &file, &expected);
        histogram_file_clear(&file);
        histogram_file_clear(&expected);
    }
}

Test(histogram_formats_examples, are_recognised)
{
    for (size_t i = 0; i < EXAMPLES; i++) {
        const struct example *example = &examples[i];
        const struct format *first = NULL;
        size_t head = example->size < 64 ? example->size : 64;
        for (unsigned j = 0; first == NULL && format_at(j) != NULL; j++)
            if (format_at(j)->matches != NULL &&
                format_at(j)->matches(example->bytes, head, example->size))
                first = format_at(j);
        cr_assert_eq(first, example->format, "%s is taken for %s", example->name,
                     first != NULL ? first->name : "nothing");
    }
}

static void expect_unknown(const void *bytes, size_t size)
{
    struct profile *profile;

    put_file(in_directory("unknown"), bytes, size);
    cr_assert_eq(format_read_file(in_directory("unknown"), &profile), PPROFIL_ERROR_FORMAT);
}

Test(histogram_formats_examples, other_files_are_not_taken_for_one)
{
    static const char *const files[] = {"/bin/sh", "/etc/passwd", "/etc/services"};
    static unsigned char bytes[4096];
    struct profile *profile;

    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (access(files[i], R_OK) == 0)
            cr_assert_eq(format_read_file(files[i], &profile), PPROFIL_ERROR_FORMAT, "%s", files[i]);
    expect_unknown(bytes, 0);
    expect_unknown(bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)i;
    expect_unknown(bytes, sizeof bytes);
    memset(bytes, 1, sizeof bytes);
    expect_unknown(bytes, sizeof bytes);
    for (uint32_t i = 0, x = 1; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)((x = x * 1664525 + 1013904223) >> 24);
    expect_unknown(bytes, sizeof bytes);
}
