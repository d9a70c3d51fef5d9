/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "format-histogram-fixture.h"

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

static void expect_same(const char *name, const struct histogram_file *got, const struct histogram_file *expected)
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
        cr_assert_eq(examples[i].read(examples[i].bytes, examples[i].size, &file), 0, "%s", examples[i].name);
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
            if (format_at(j)->matches != NULL && format_at(j)->matches(example->bytes, head, example->size))
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

TestSuite(histogram_formats_odd, .init = make_directory, .fini = remove_directory);

/* --- hostile files ----------------------------------------------------------------------- */

/* Reads the bytes from memory that ends just after them, so that sanitizers notice if too much is read. Makes a profile
 * of what was read. */
static int feed(const struct example *example, const unsigned char *bytes, size_t size)
{
    unsigned char *exact = malloc(size > 0 ? size : 1);
    struct histogram_file file = {0};
    struct profile *profile = profile_new();

    memcpy(exact, bytes, size);
    int error = example->read(exact, size, &file);
    cr_assert(error == 0 || error == PPROFIL_ERROR_DAMAGED, "%s: %d", example->name, error);
    for (size_t i = 0; i < file.module_count; i++)
        file.modules[i].path[0] = '\0'; /* a path from a damaged file must not be opened */
    if (error == 0) {
        int made = histogram_to_profile(&file, profile);
        cr_assert(made == 0 || made == PPROFIL_ERROR_DAMAGED, "%s: %d", example->name, made);
    }
    histogram_file_clear(&file);
    profile_free(profile);
    free(exact);
    return error;
}

Test(histogram_formats_odd, are_hardened_against_ends)
{
    for (size_t i = 0; i < EXAMPLES; i++)
        for (size_t size = 0; size < examples[i].size; size++) {
            int error = feed(&examples[i], examples[i].bytes, size);
            if (size == examples[i].size - 1)
                cr_assert_eq(error, PPROFIL_ERROR_DAMAGED, "%s", examples[i].name);
        }
}

Test(histogram_formats_odd, are_hardened_against_wrong_bits)
{
    for (size_t i = 0; i < EXAMPLES; i++) {
        size_t size = examples[i].size;
        unsigned char *bytes = malloc(size);
        for (size_t bit = 0; bit < 8 * size; bit++) {
            memcpy(bytes, examples[i].bytes, size);
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
            feed(&examples[i], bytes, size);
        }
        free(bytes);
    }
}

Test(histogram_formats_odd, are_hardened_against_large_numbers)
{
    for (size_t i = 0; i < EXAMPLES; i++) {
        size_t size = examples[i].size;
        unsigned char *bytes = malloc(size);
        for (size_t at = 0; at + 8 <= size; at++)
            for (size_t width = 2; width <= 8; width *= 2) {
                memcpy(bytes, examples[i].bytes, size);
                memset(bytes + at, 0xff, width);
                feed(&examples[i], bytes, size);
                memset(bytes + at, 0, width);
                feed(&examples[i], bytes, size);
            }
        free(bytes);
    }
}

/* --- LD_PROFILE -------------------------------------------------------------------------- */

static unsigned char *make_sprof(uint64_t low, uint64_t high, size_t *size)
{
    struct histogram_file file = {.pointer_size = 8, .rate_hz = 100};
    uint64_t *counters = calloc((high - low) / 4, sizeof *counters);

    counters[0] = 7;
    counters[(high - low) / 4 - 1] = 9;
    add_counters(&file, low, high, 2, counters, (high - low) / 4);
    histogram_add_arc(&file, 0, low + 0x370, 3);
    histogram_add_arc(&file, low + 0x10, low + 0x400, 4);
    unsigned char *bytes = written(sprof_write, &file, size);
    free(counters);
    histogram_file_clear(&file);
    return bytes;
}

static const unsigned char sprof_start[] = "gmon\xff\xff\1\0" ZEROS_12 "\0\0\0\0"
                                           "\0\0\1\0\0\0\0\0\0\x10\1\0\0\0\0\0\0\4\0\0\x64\0\0\0" SECONDS "\7\0";

Test(histogram_formats_odd, sprof)
{
    struct histogram_file file = {0};
    size_t size;
    unsigned char *bytes = make_sprof(0x10000, 0x11000, &size);

    cr_assert_eq(size, 20 + 4 + 40 + 0x800 + 8 + 122 * 16 * 20);
    expect_bytes("sprof", bytes, sizeof sprof_start - 1, sprof_start, sizeof sprof_start - 1);
    expect_bytes("sprof arcs", bytes + 64 + 0x7fe, 30,
                 BYTES("\x09\0\1\0\0\0\2\0\0\0\0\0\0\0\0\0\0\0\x70\3\0\0\0\0\0\0\3\0\0\0"));
    cr_assert_eq(sprof_read(bytes, size, &file), 0);
    cr_assert_eq(file.histograms[0].counters[1023], 9);
    cr_assert_eq(file.arcs[0].from, 0);
    cr_assert_eq(file.arcs[0].self, 0x10370);
    cr_assert_eq(file.arcs[1].from, 0x10010);
    histogram_file_clear(&file);

    struct example example = {.name = "sprof", .read = sprof_read};
    for (size_t end = 0; end < size; end++)
        cr_assert_eq(feed(&example, bytes, end), PPROFIL_ERROR_DAMAGED);
    for (size_t bit = 0; bit < 8 * 64; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        feed(&example, bytes, size);
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    bytes[64 + 0x800 + 6] = 1; /* more arcs than there is room for */
    cr_assert_eq(feed(&example, bytes, size), PPROFIL_ERROR_DAMAGED);
    free(bytes);
}

Test(histogram_formats_odd, sprof_has_the_linkers_size)
{
    size_t size;

    /* for a libm with 0x74000 bytes of text, glibc's dynamic linker wrote a file of the size that is expected here */
    free(make_sprof(0x10000, 0x84000, &size));
    cr_assert_eq(size, 4798920);
}

/* --- odd files --------------------------------------------------------------------------- */

Test(histogram_formats_odd, gmon_of_glibc)
{
    /* version 0, a count of blocks in 8 bytes, and a range whose size is not a multiple of 16 */
    static const unsigned char bytes[] =
        "gmon\0\0\0\0" ZEROS_12 "\2\1\0\0\0\0\0\0\0\x04\x10\0\0\0\0\0\0\x09\0\0\0\0\0\0\0"
        "\0\0\x10\0\0\0\0\0\0\x24\x10\0\0\0\0\0\0\x0c\0\0\0\x64\0\0\0" SECONDS
        "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\2\0";
    struct histogram_file file = {0};

    cr_assert_eq(gmon_read(bytes, sizeof bytes - 1, &file), 0);
    cr_assert_eq(file.block_count, 1);
    cr_assert_eq(file.blocks[0].count, 9);
    cr_assert_eq(file.histograms[0].scale, 43690);
    cr_assert_eq(file.histograms[0].counters[11], 2);
    histogram_file_clear(&file);
    cr_assert_eq(gmon_read((const unsigned char *)"gmon\2\0\0\0" ZEROS_12, 20, &file), PPROFIL_ERROR_DAMAGED);
    cr_assert_eq(gmon_read((const unsigned char *)"gmon\1\0\0\0" ZEROS_12 "\7", 21, &file), PPROFIL_ERROR_DAMAGED);
    histogram_file_clear(&file);
}

Test(histogram_formats_odd, bsd_headers_of_64_bits)
{
    /* the header without and with the padding of a C structure */
    static const unsigned char packed[] = "\0\x10\0\0\0\0\0\0\x20\x10\0\0\0\0\0\0\x24\0\0\0" COUNTERS;
    static const unsigned char with_gap[] = "\0\x10\0\0\0\0\0\0\x20\x10\0\0\0\0\0\0\x28\0\0\0\0\0\0\0" COUNTERS;
    struct histogram_file file = {0};

    cr_assert_eq(gmon_bsd_read(packed, sizeof packed - 1, &file), 0);
    cr_assert_eq(file.histograms[0].counters[4], 65535);
    histogram_file_clear(&file);
    cr_assert_eq(gmon_bsd_read(with_gap, sizeof with_gap - 1, &file), 0);
    cr_assert_eq(file.histograms[0].counters[4], 65535);
    cr_assert_eq(file.histograms[0].count, 8);
    histogram_file_clear(&file);
}

Test(histogram_formats_odd, mon_has_a_call)
{
    static const unsigned char expected[] = "\0\x10\0\0\x20\x10\0\0\1\0\0\0\0\x10\0\0\1\0\0\0" COUNTERS;
    struct histogram_file file;
    size_t size;

    make_text(&file, 4, 0);
    unsigned char *bytes = written(mon_write, &file, &size);
    expect_bytes("mon", bytes, size, expected, sizeof expected - 1);
    free(bytes);
    histogram_file_clear(&file);
}

/* With this scale of profil(2), all of the text belongs to one counter. */
Test(histogram_formats_odd, mon_of_an_unusual_scale)
{
    static const unsigned char bytes[] = "\0\0\x40\0\0\0\0\0" "\0\0\x42\0\0\0\0\0" "\1\0\0\0\0\0\0\0"
                                         "\x10\0\x40\0\0\0\0\0" "\3\0\0\0\0\0\0\0" "\x9b\0";
    struct histogram_file file = {0};

    cr_assert_eq(mon_read(bytes, sizeof bytes - 1, &file), 0);
    cr_assert_eq(file.pointer_size, 8);
    cr_assert_eq(file.histograms[0].counters[0], 155);
    cr_assert_eq(file.histograms[0].high, 0x420000);
    histogram_file_clear(&file);
}

Test(histogram_formats_odd, kpdata_of_plan_9)
{
    static const unsigned char expected[] = "\0\0\0\x78\0\0\0\x14\0\0\0\x0a\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x50\0\0\0\0";
    static const uint64_t counters[] = {1, 0, 1, 0, 0, 0, 8, 0};
    struct histogram_file file = {.dialect = dialect_find("plan9"), .rate_hz = 100};
    size_t size;

    add_counters(&file, 0, 64, 4, counters, 8);
    file.ticks = 11;
    file.outside = 2;
    unsigned char *bytes = written(kpdata_write, &file, &size);
    expect_bytes("plan9", bytes, size, expected, sizeof expected - 1);
    histogram_file_clear(&file);
    cr_assert_eq(kpdata_read(bytes, size, &file), 0);
    cr_assert_str_eq(file.dialect->name, "plan9");
    cr_assert_eq(file.histograms[0].counters[6], 80);
    cr_assert_eq(file.rate_hz, 1000);
    free(bytes);
    histogram_file_clear(&file);
}

Test(histogram_formats_odd, counters_are_cut_as_the_dialect_says)
{
    struct histogram_file file = {0};

    cr_assert_eq(histogram_cut(&file, 2, 70000), 65535);
    file.dialect = dialect_find("bsd44");
    cr_assert_eq(histogram_cut(&file, 2, 70000), 70000 - 65536);
    file.dialect = dialect_find("solaris");
    cr_assert_eq(histogram_cut(&file, 2, 32767), 32767);
    cr_assert_eq(histogram_cut(&file, 2, 32768), 32767);
    cr_assert_eq(histogram_cut(&file, 2, 70000), 32767);
}

Test(histogram_formats_odd, what_a_format_cannot_hold)
{
    struct histogram_file file;
    int fd = memfd_create("out", MFD_CLOEXEC);

    make_text(&file, 8, 100);
    cr_assert_eq(pcsample_write(fd, &file), PPROFIL_ERROR_COUNTERS);
    cr_assert_eq(mon_solaris_write(fd, &file), PPROFIL_ERROR_COUNTERS);
    cr_assert_eq(kpdata_write(fd, &file), PPROFIL_ERROR_COUNTERS);
    file.histograms[0].low += UINT64_C(1) << 32;
    file.histograms[0].high += UINT64_C(1) << 32;
    cr_assert_eq(n64_write(fd, &file), PPROFIL_ERROR_ADDRESSES);
    file.pointer_size = 4;
    cr_assert_eq(gmon_write(fd, &file), PPROFIL_ERROR_ADDRESSES);
    cr_assert_eq(mon_write(fd, &file), PPROFIL_ERROR_ADDRESSES);
    histogram_file_clear(&file);
    make_pcsample(&file);
    cr_assert_eq(gmon_write(fd, &file), PPROFIL_ERROR_COUNTERS);
    cr_assert_eq(sprof_write(fd, &file), PPROFIL_ERROR_COUNTERS);
    cr_assert_eq(n64_write(open("/dev/full", O_WRONLY), &(struct histogram_file){0}), PPROFIL_ERROR_COUNTERS);
    histogram_file_clear(&file);
    make_text(&file, 8, 100);
    cr_assert_eq(gmon_write(open("/dev/full", O_WRONLY), &file), -ENOSPC);
    histogram_file_clear(&file);
}
