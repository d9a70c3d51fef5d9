/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The files of the profil family, byte by byte: what writers make is compared with bytes put
 * together by hand from the systems' own descriptions, and readers get these, parts of them, and
 * them with every bit wrong. Then whole profiles go through: which counters time goes into,
 * which files objects become, and that names come back.
 */
#include "config.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/codec.h"
#include "symbol/symbol.h"

static char directory[] = "/tmp/pprofil-test-XXXXXX";

static void make_directory(void)
{
    cr_assert_not_null(mkdtemp(directory));
}

static void remove_directory(void)
{
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", directory);
    cr_assert_eq(system(command), 0);
}

TestSuite(histogram_formats, .init = make_directory, .fini = remove_directory);

static const char *in_directory(const char *name)
{
    static char paths[4][512];
    static unsigned turn;
    char *path = paths[turn++ % 4];

    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

static void put_file(const char *path, const void *bytes, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, bytes, size), (ssize_t)size);
    close(fd);
}

/* --- the examples ------------------------------------------------------------------------ */

static const uint64_t example_counters[] = {0, 3, 0, 0, 65535, 0, 0, 1};

static void add_counters(struct histogram_file *file, uint64_t low, uint64_t high,
                         unsigned counter_size, const uint64_t *counters, uint64_t count)
{
    struct histogram *histogram =
        histogram_add(file, low, high, DIALECT_ONE_TO_ONE / 2, counter_size, count);

    cr_assert_not_null(histogram);
    for (uint64_t i = 0; i < count; i++) {
        histogram->counters[i] = counters[i];
        file->ticks += counters[i];
    }
}

static void make_text(struct histogram_file *file, uint32_t pointer_size, double rate_hz)
{
    *file = (struct histogram_file){.pointer_size = pointer_size, .rate_hz = rate_hz};
    add_counters(file, 0x1000, 0x1020, 2, example_counters, 8);
}

static void make_gmon(struct histogram_file *file)
{
    make_text(file, 8, 100);
    histogram_add_arc(file, 0x1010, 0x1004, 7);
}

static void make_gmon_blocks(struct histogram_file *file)
{
    make_text(file, 4, 100);
    histogram_add_block(file, 0x1004, 9);
    histogram_add_block(file, 0x1010, 2);
}

static void make_gmon_large(struct histogram_file *file)
{
    static const uint64_t counters[] = {65536, 2, 131071, 0};

    *file = (struct histogram_file){.pointer_size = 8, .rate_hz = 1000};
    add_counters(file, 0, 16, 2, counters, 4);
}

static void make_bsd_ilp32(struct histogram_file *file)
{
    make_text(file, 4, 128);
    histogram_add_arc(file, 0x1010, 0x1004, 7);
}

static void make_bsd_big(struct histogram_file *file)
{
    make_text(file, 8, 1024);
    file->big_endian = true;
}

static void make_bsd_old(struct histogram_file *file)
{
    make_text(file, 4, 0);
}

static void make_mon(struct histogram_file *file)
{
    make_text(file, 8, 0);
    histogram_add_calls(file, 0x1006, 7);
}

static void make_mon_ilp32(struct histogram_file *file)
{
    make_text(file, 4, 0);
    file->big_endian = true;
    histogram_add_calls(file, 0x1006, 7);
}

static void make_mon_pdp11(struct histogram_file *file)
{
    make_text(file, 2, 0);
    histogram_add_calls(file, 0x1006, 0x10007);
}

static void make_mon_solaris(struct histogram_file *file)
{
    *file = (struct histogram_file){.pointer_size = 8};
    histogram_add_pcs(file, 0x11004, 2);
    histogram_add_pcs(file, 0x11010, 1);
    histogram_add_module(file, "/bin/prog", 9, 0x10000, 0x12000);
    histogram_add_module(file, "/lib/x.so", 9, 0x20000, 0x21000);
    histogram_add_arc(file, 0x11000, 0x11004, 3);
    histogram_add_arc(file, 0x11008, 0x11010, 4);
    file->ticks = 3;
}

static void make_kpdata(struct histogram_file *file)
{
    static const uint64_t counters[] = {0, 0, 0, 0, 0, 0, 450, 450};

    *file = (struct histogram_file){.pointer_size = 4, .rate_hz = 100};
    add_counters(file, 0, 64, 4, counters, 8);
    file->big_endian = true;
    file->ticks = 1000;
    file->outside = 100;
}

static void make_n64(struct histogram_file *file)
{
    static const uint64_t first[] = {1, 0, 0xabcd}, second[] = {65535};

    *file = (struct histogram_file){.pointer_size = 4, .rate_hz = 100};
    add_counters(file, 0x80000400, 0x8000040c, 2, first, 3);
    add_counters(file, 0x80200000, 0x80200004, 2, second, 1);
    file->big_endian = true;
    file->outside = 5;
    file->ticks += 5;
}

static void make_pcsample(struct histogram_file *file)
{
    *file = (struct histogram_file){.pointer_size = 8};
    histogram_add_pcs(file, 0x401136, 2);
    histogram_add_pcs(file, 0x7f1234500010, 1);
    file->ticks = 3;
}

static void make_pcsample_ilp32(struct histogram_file *file)
{
    *file = (struct histogram_file){.pointer_size = 4, .big_endian = true};
    histogram_add_pcs(file, 0x00011004, 1);
    histogram_add_pcs(file, 0x00011010, 1);
    histogram_add_pcs(file, 0x00011010, 1);
    file->ticks = 3;
}

#define COUNTERS "\0\0\3\0\0\0\0\0\377\377\0\0\0\0\1\0"
#define SECONDS "seconds\0\0\0\0\0\0\0\0s"
#define ZEROS_12 "\0\0\0\0\0\0\0\0\0\0\0\0"
#define BIG_RANGE "\0\0\0\0\0\0\x10\0\0\0\0\0\0\0\x10\x20"
#define BYTES(text) (const unsigned char *)(text), sizeof(text) - 1

static const struct example {
    const char *name;
    const struct format *format; /* that recognises it; NULL: none may */
    int (*read)(const unsigned char *bytes, size_t size, struct histogram_file *file);
    int (*write)(int fd, const struct histogram_file *file);
    void (*make)(struct histogram_file *file);
    const unsigned char *bytes;
    size_t size;
} examples[] = {
    {"gmon", &format_gmon, gmon_read, gmon_write, make_gmon,
     BYTES("gmon\1\0\0\0" ZEROS_12 "\0"
           "\0\x10\0\0\0\0\0\0\x20\x10\0\0\0\0\0\0\x08\0\0\0\x64\0\0\0" SECONDS COUNTERS "\1"
           "\x10\x10\0\0\0\0\0\0\x04\x10\0\0\0\0\0\0\x07\0\0\0")},
    {"gmon, 4-byte pointers, blocks", &format_gmon, gmon_read, gmon_write, make_gmon_blocks,
     BYTES("gmon\1\0\0\0" ZEROS_12 "\0"
           "\0\x10\0\0\x20\x10\0\0\x08\0\0\0\x64\0\0\0" SECONDS COUNTERS "\2"
           "\2\0\0\0\x04\x10\0\0\x09\0\0\0\x10\x10\0\0\2\0\0\0")},
    {"gmon, more than 16 bits", &format_gmon, gmon_read, gmon_write, make_gmon_large,
     BYTES("gmon\1\0\0\0" ZEROS_12 "\0"
           "\0\0\0\0\0\0\0\0\x10\0\0\0\0\0\0\0\4\0\0\0\xe8\3\0\0" SECONDS
           "\377\377\2\0\377\377\0\0" "\0"
           "\0\0\0\0\0\0\0\0\x10\0\0\0\0\0\0\0\4\0\0\0\xe8\3\0\0" SECONDS
           "\1\0\0\0\377\377\0\0" "\0"
           "\0\0\0\0\0\0\0\0\x10\0\0\0\0\0\0\0\4\0\0\0\xe8\3\0\0" SECONDS
           "\0\0\0\0\1\0\0\0")},
    {"gmon-bsd ILP32", &format_gmon_bsd, gmon_bsd_read, gmon_bsd_write, make_bsd_ilp32,
     BYTES("\0\x10\0\0\x20\x10\0\0\x30\0\0\0\x79\x18\5\0\x80\0\0\0" ZEROS_12 COUNTERS
           "\x10\x10\0\0\x04\x10\0\0\x07\0\0\0")},
    {"gmon-bsd LP64 big-endian", &format_gmon_bsd, gmon_bsd_read, gmon_bsd_write, make_bsd_big,
     BYTES(BIG_RANGE "\0\0\0\x38\0\5\x18\x79\0\0\4\0" ZEROS_12
           "\0\0\0\3\0\0\0\0\377\377\0\0\0\0\0\1")},
    {"gmon-bsd before 4.4", &format_gmon_bsd, gmon_bsd_read, gmon_bsd_write, make_bsd_old,
     BYTES("\0\x10\0\0\x20\x10\0\0\x1c\0\0\0" COUNTERS)},
    {"mon LP64", &format_mon, mon_read, mon_write, make_mon,
     BYTES("\0\x10\0\0\0\0\0\0\x20\x10\0\0\0\0\0\0\1\0\0\0\0\0\0\0"
           "\x06\x10\0\0\0\0\0\0\x07\0\0\0\0\0\0\0" COUNTERS)},
    {"mon ILP32 big-endian", &format_mon, mon_read, mon_write, make_mon_ilp32,
     BYTES("\0\0\x10\0\0\0\x10\x20\0\0\0\1\0\0\x10\x06\0\0\0\x07"
           "\0\0\0\3\0\0\0\0\377\377\0\0\0\0\0\1")},
    {"mon PDP-11", NULL, mon_read, mon_write, make_mon_pdp11,
     BYTES("\0\x10\x20\x10\1\0\x06\x10\1\0\x07\0" COUNTERS)},
    {"mon-solaris", &format_mon_solaris, mon_solaris_read, mon_solaris_write, make_mon_solaris,
     BYTES("FORP\1\0\0\0\x10\0\0\0\0\0\0\0"
           "\3\0\0\0\1\0\0\0\x78\0\0\0\0\0\0\0\x18\0\0\0\0\0\0\0"
           "\x38\0\0\0\0\0\0\0\x58\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\x20\1\0\0\0\0\0"
           "\0\0\0\0\0\0\0\0\x68\0\0\0\0\0\0\0\0\0\2\0\0\0\0\0\0\x10\2\0\0\0\0\0"
           "/bin/prog\0\0\0\0\0\0\0/lib/x.so\0\0\0\0\0\0\0"
           "\2\0\0\0\1\0\0\0\x78\0\0\0\0\0\0\0\x18\0\0\0\0\0\0\0"
           "\x48\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x10\1\0\0\0\0\0\4\x10\1\0\0\0\0\0"
           "\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
           "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x08\x10\1\0\0\0\0\0\x10\x10\1\0\0\0\0\0"
           "\4\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
           "\1\0\0\0\1\0\0\0\x38\0\0\0\0\0\0\0\x20\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0"
           "\4\x10\1\0\0\0\0\0\4\x10\1\0\0\0\0\0\x10\x10\1\0\0\0\0\0")},
    {"kpdata", &format_kpdata, kpdata_read, kpdata_write, make_kpdata,
     BYTES("\0\0\3\xe8\0\0\0\x64\0\0\x27\x10\0\0\0\x08\0\0\0\4\0\0\0\3\0\0\1\xc2\0\0\1\xc2")},
    {"n64", &format_n64, n64_read, n64_write, make_n64,
     BYTES("\0\0\0\2\0\0\x27\x10\0\0\0\5\x80\0\4\0\0\0\0\3\0\1\0\0\xab\xcd"
           "\x80\x20\0\0\0\0\0\1\377\377")},
    {"pcsample", NULL, pcsample_read, pcsample_write, make_pcsample,
     BYTES("\x36\x11\x40\0\0\0\0\0\x36\x11\x40\0\0\0\0\0\x10\0\x50\x34\x12\x7f\0\0")},
    {"pcsample ILP32 big-endian", NULL, pcsample_read, pcsample_write, make_pcsample_ilp32,
     BYTES("\0\1\x10\4\0\1\x10\x10\0\1\x10\x10")},
};
#define EXAMPLES (sizeof examples / sizeof *examples)

/* What a writer writes; the caller frees. */
static unsigned char *written(int (*write_file)(int, const struct histogram_file *),
                              const struct histogram_file *file, size_t *size)
{
    int fd = memfd_create("written", MFD_CLOEXEC);
    struct stat status;

    cr_assert_geq(fd, 0);
    cr_assert_eq(write_file(fd, file), 0);
    cr_assert_eq(fstat(fd, &status), 0);
    *size = (size_t)status.st_size;
    unsigned char *bytes = malloc(*size + 1);
    cr_assert_eq(pread(fd, bytes, *size, 0), (ssize_t)*size);
    close(fd);
    return bytes;
}

static void expect_bytes(const char *name, const unsigned char *got, size_t got_size,
                         const unsigned char *expected, size_t size)
{
    for (size_t i = 0; i < size && i < got_size; i++)
        cr_assert_eq(got[i], expected[i], "%s: byte %zu is 0x%02x, not 0x%02x", name, i, got[i],
                     expected[i]);
    cr_assert_eq(got_size, size, "%s: %zu bytes, not %zu", name, got_size, size);
}

Test(histogram_formats, writes_the_examples)
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

Test(histogram_formats, reads_the_examples)
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

Test(histogram_formats, are_recognised)
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
    cr_assert_eq(format_read_file(in_directory("unknown"), &profile), -ENOEXEC);
}

Test(histogram_formats, other_files_are_not_taken_for_one)
{
    static const char *const files[] = {"/bin/sh", "/etc/passwd", "/etc/services"};
    static unsigned char bytes[4096];
    struct profile *profile;

    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (access(files[i], R_OK) == 0)
            cr_assert_eq(format_read_file(files[i], &profile), -ENOEXEC, "%s", files[i]);
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

/* --- hostile files ----------------------------------------------------------------------- */

/* Reads bytes at the end of their memory, and makes a profile of what comes out. */
static int feed(const struct example *example, const unsigned char *bytes, size_t size)
{
    unsigned char *exact = malloc(size > 0 ? size : 1);
    struct histogram_file file = {0};
    struct profile *profile = profile_new();

    memcpy(exact, bytes, size);
    int error = example->read(exact, size, &file);
    cr_assert(error == 0 || error == -EBADMSG, "%s: %d", example->name, error);
    for (size_t i = 0; i < file.module_count; i++)
        file.modules[i].path[0] = '\0'; /* whatever it named shall not be opened */
    if (error == 0) {
        int made = histogram_to_profile(&file, profile);
        cr_assert(made == 0 || made == -EBADMSG, "%s: %d", example->name, made);
    }
    histogram_file_clear(&file);
    profile_free(profile);
    free(exact);
    return error;
}

Test(histogram_formats, are_hardened_against_ends)
{
    for (size_t i = 0; i < EXAMPLES; i++)
        for (size_t size = 0; size < examples[i].size; size++) {
            int error = feed(&examples[i], examples[i].bytes, size);
            if (size == examples[i].size - 1)
                cr_assert_eq(error, -EBADMSG, "%s", examples[i].name);
        }
}

Test(histogram_formats, are_hardened_against_wrong_bits)
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

Test(histogram_formats, are_hardened_against_large_numbers)
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
                                           "\0\0\1\0\0\0\0\0\0\x10\1\0\0\0\0\0\0\4\0\0\x64\0\0\0" SECONDS
                                           "\7\0";

Test(histogram_formats, sprof)
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
        cr_assert_eq(feed(&example, bytes, end), -EBADMSG);
    for (size_t bit = 0; bit < 8 * 64; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        feed(&example, bytes, size);
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    bytes[64 + 0x800 + 6] = 1; /* more arcs than there is room for */
    cr_assert_eq(feed(&example, bytes, size), -EBADMSG);
    free(bytes);
}

Test(histogram_formats, sprof_has_the_linkers_size)
{
    size_t size;

    /* as found for a libm whose text is this large */
    free(make_sprof(0x10000, 0x84000, &size));
    cr_assert_eq(size, 4798920);
}

/* --- odd files --------------------------------------------------------------------------- */

Test(histogram_formats, gmon_of_glibc)
{
    /* version 0, a count of blocks in 8 bytes, a range that 16 does not divide */
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
    cr_assert_eq(gmon_read((const unsigned char *)"gmon\2\0\0\0" ZEROS_12, 20, &file), -EBADMSG);
    cr_assert_eq(gmon_read((const unsigned char *)"gmon\1\0\0\0" ZEROS_12 "\7", 21, &file),
                 -EBADMSG);
    histogram_file_clear(&file);
}

Test(histogram_formats, bsd_headers_of_64_bits)
{
    /* without and with the padding of a C structure */
    static const unsigned char packed[] = "\0\x10\0\0\0\0\0\0\x20\x10\0\0\0\0\0\0\x24\0\0\0" COUNTERS;
    static const unsigned char with_gap[] =
        "\0\x10\0\0\0\0\0\0\x20\x10\0\0\0\0\0\0\x28\0\0\0\0\0\0\0" COUNTERS;
    struct histogram_file file = {0};

    cr_assert_eq(gmon_bsd_read(packed, sizeof packed - 1, &file), 0);
    cr_assert_eq(file.histograms[0].counters[4], 65535);
    histogram_file_clear(&file);
    cr_assert_eq(gmon_bsd_read(with_gap, sizeof with_gap - 1, &file), 0);
    cr_assert_eq(file.histograms[0].counters[4], 65535);
    cr_assert_eq(file.histograms[0].count, 8);
    histogram_file_clear(&file);
}

Test(histogram_formats, mon_has_a_call)
{
    static const unsigned char expected[] =
        "\0\x10\0\0\x20\x10\0\0\1\0\0\0\0\x10\0\0\1\0\0\0" COUNTERS;
    struct histogram_file file;
    size_t size;

    make_text(&file, 4, 0);
    unsigned char *bytes = written(mon_write, &file, &size);
    expect_bytes("mon", bytes, size, expected, sizeof expected - 1);
    free(bytes);
    histogram_file_clear(&file);
}

/* profil(2): all of the text in one counter. */
Test(histogram_formats, mon_of_an_unusual_scale)
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

Test(histogram_formats, kpdata_of_plan_9)
{
    static const unsigned char expected[] =
        "\0\0\0\x78\0\0\0\x14\0\0\0\x0a\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x50\0\0\0\0";
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

Test(histogram_formats, counters_are_cut_as_the_dialect_says)
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

Test(histogram_formats, what_a_format_cannot_hold)
{
    struct histogram_file file;
    int fd = memfd_create("out", MFD_CLOEXEC);

    make_text(&file, 8, 100);
    cr_assert_eq(pcsample_write(fd, &file), -EDOM);
    cr_assert_eq(mon_solaris_write(fd, &file), -EDOM);
    cr_assert_eq(kpdata_write(fd, &file), -EDOM);
    file.histograms[0].low += UINT64_C(1) << 32;
    file.histograms[0].high += UINT64_C(1) << 32;
    cr_assert_eq(n64_write(fd, &file), -EOVERFLOW);
    file.pointer_size = 4;
    cr_assert_eq(gmon_write(fd, &file), -EOVERFLOW);
    cr_assert_eq(mon_write(fd, &file), -EOVERFLOW);
    histogram_file_clear(&file);
    make_pcsample(&file);
    cr_assert_eq(gmon_write(fd, &file), -EDOM);
    cr_assert_eq(sprof_write(fd, &file), -EDOM);
    cr_assert_eq(n64_write(open("/dev/full", O_WRONLY), &(struct histogram_file){0}), -EDOM);
    histogram_file_clear(&file);
    make_text(&file, 8, 100);
    cr_assert_eq(gmon_write(open("/dev/full", O_WRONLY), &file), -ENOSPC);
    histogram_file_clear(&file);
}

/* --- profiles ---------------------------------------------------------------------------- */

/* A profile of a program at a path, which runs this file's own code. */
struct built {
    struct profile *profile;
    uint32_t thread, object;
    struct symbol_text text; /* of this program */
};

static uint32_t add_object(struct built *built, const char *path, uint64_t start)
{
    struct profile_object object = {
        .kind = PROFILE_OBJECT_FILE, .fd = -1, .start = start, .inode = 0};
    uint32_t index;

    cr_assert_eq(profile_string(built->profile, path, &object.path), 0);
    cr_assert_eq(profile_object(built->profile, &object, &index), 0);
    return index;
}

static void add_time(struct built *built, uint32_t object, uint64_t offset, const char *call,
                     uint64_t ns)
{
    struct profile_sample sample = {.thread = built->thread, .count = 1, .cpu_ns = ns};
    uint32_t location;

    cr_assert_eq(profile_location(built->profile, object, offset, &location), 0);
    cr_assert_eq(profile_node(built->profile, PROFILE_NONE, location, &sample.node), 0);
    if (call != NULL)
        cr_assert_eq(profile_syscall(built->profile, call, 1, 0, &sample.syscall), 0);
    cr_assert_eq(profile_count(built->profile, &sample), 0);
}

static const char *own_path(void)
{
    static char path[512];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);

    cr_assert_gt(length, 0);
    path[length] = '\0';
    return path;
}

static struct built build(const char *comm)
{
    struct built built = {.profile = profile_new()};
    struct profile_process process = {.pid = 7, .status = -1};
    struct profile_thread thread = {.tid = 7};
    int fd = open(own_path(), O_RDONLY);

    cr_assert_eq(profile_string(built.profile, comm, &process.comm), 0);
    cr_assert_eq(profile_add_process(built.profile, &process, &thread.process), 0);
    cr_assert_eq(profile_add_thread(built.profile, &thread, &built.thread), 0);
    built.profile->totals.asked_hz = 1000;
    built.object = add_object(&built, own_path(), 0x555500000000);
    cr_assert_eq(symbol_text_of_file(fd, own_path(), &built.text), 0);
    close(fd);
    return built;
}

/* An offset in this program's file, so far into its text. */
static uint64_t offset_at(const struct built *built, uint64_t distance)
{
    uint64_t offset;

    cr_assert(symbol_text_offset(&built->text, built->text.low + distance, &offset));
    return offset;
}

Test(histogram_formats, text_of_an_object)
{
    struct built built = build("");
    uint64_t address;

    cr_assert(built.text.low < built.text.high);
    cr_assert(built.text.base <= built.text.low);
    cr_assert_eq(built.text.pointer_size, sizeof(void *));
    cr_assert(symbol_text_address(&built.text, offset_at(&built, 0x40), &address));
    cr_assert_eq(address, built.text.low + 0x40);
    cr_assert_not(symbol_text_address(&built.text, UINT64_MAX, &address));
    cr_assert_not(symbol_text_offset(&built.text, UINT64_MAX, &address));
    profile_free(built.profile);
}

Test(histogram_formats, hostile_objects_have_no_text_or_a_sane_one)
{
    unsigned char *bytes;
    size_t size, head = 1024;
    struct symbol_text text;

    cr_assert_eq(bytes_load(own_path(), &bytes, &size), 0);
    for (size_t i = 0; i < head; i++) {
        int fd = memfd_create("hostile", MFD_CLOEXEC);
        bytes[i] ^= 0xff;
        cr_assert_eq(write(fd, bytes, i % 4 == 0 ? 4096 : 2048), i % 4 == 0 ? 4096 : 2048);
        if (symbol_text_of_file(fd, "hostile", &text) == 0)
            cr_assert_lt(text.low, text.high);
        bytes[i] ^= 0xff;
        close(fd);
    }
    free(bytes);
}

/* Ticks in counters that lie wholly within a stretch of text. */
static uint64_t ticks_in(const struct histogram *histogram, uint64_t from, uint64_t to)
{
    uint64_t sum = 0;

    for (uint64_t i = (from - histogram->low) / 4; i < (to - histogram->low) / 4; i++)
        sum += histogram->counters[i];
    return sum;
}

Test(histogram_formats, time_is_carried_in_the_order_of_addresses)
{
    struct built built = build("");
    struct histogram_file file = {0};
    uint64_t low = (built.text.low + 15) & ~UINT64_C(15);
    uint64_t start = low - built.text.low;

    for (uint64_t i = 0; i < 300; i++) /* added backwards; 0.4 ms each */
        add_time(&built, built.object, offset_at(&built, start + (299 - i) * 4), NULL, 400000);
    cr_assert_eq(histogram_from_profile(built.profile, built.object, dialect_find("glibc"), 0, 0,
                                        &file),
                 0);
    const struct histogram *histogram = &file.histograms[0];
    cr_assert_eq(histogram->low, built.text.low & ~UINT64_C(15));
    cr_assert_eq(histogram->high % 16, 0);
    cr_assert_eq(histogram->count, (histogram->high - histogram->low) / 4);
    cr_assert_eq(file.rate_hz, 1000);
    cr_assert_eq(file.ticks, 120);
    cr_assert_eq(ticks_in(histogram, histogram->low, histogram->high), 120);
    for (uint64_t from = 0; from < 300; from += 7)
        for (uint64_t to = from; to < 300; to += 11) {
            double exact = 0.4 * (double)(to - from);
            double got = (double)ticks_in(histogram, low + from * 4, low + to * 4);
            cr_assert(got >= exact - 1 && got <= exact + 1, "%g for %g", got, exact);
        }
    histogram_file_clear(&file);
    profile_free(built.profile);
}

Test(histogram_formats, dialects_take_what_their_systems_took)
{
    struct built built = build("");
    static const struct {
        const char *dialect;
        uint64_t ticks;
    } cases[] = {{"glibc", 30}, {"solaris", 30}, {"bsd44", 10}, {"irix", 10}, {"v7", 30}};

    add_time(&built, built.object, offset_at(&built, 0x40), NULL, 10000000);
    add_time(&built, built.object, offset_at(&built, 0x40), "read", 20000000);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct histogram_file file = {0};
        cr_assert_eq(histogram_from_profile(built.profile, built.object,
                                            dialect_find(cases[i].dialect), 0x10000, 1000, &file),
                     0);
        cr_assert_eq(file.ticks, cases[i].ticks, "%s", cases[i].dialect);
        histogram_file_clear(&file);
    }
    struct histogram_file file = {0};
    cr_assert_eq(histogram_from_profile(built.profile, built.object, dialect_find("irix"), 1, 0,
                                        &file),
                 -EINVAL);
    histogram_file_clear(&file);
    cr_assert_eq(histogram_from_profile(built.profile, built.object, dialect_find("pcsample"), 0,
                                        100, &file),
                 0);
    cr_assert_eq(file.pc_count, 3);
    cr_assert_eq(file.pcs[0], built.text.low + 0x40);
    histogram_file_clear(&file);
    cr_assert_eq(histogram_from_profile(built.profile, built.object, dialect_find("inferno"), 0, 0,
                                        &file),
                 0);
    uint64_t distance = built.text.low + 0x40 - file.histograms[0].low;
    cr_assert_eq(file.histograms[0].counters[distance / 8], 30);
    histogram_file_clear(&file);
    profile_free(built.profile);
}

Test(histogram_formats, an_object_that_is_gone_has_the_text_that_was_sampled)
{
    struct built built = build("");
    struct histogram_file file = {0};
    uint32_t gone = add_object(&built, "/no/such/file", 0x7f0000000000);

    add_time(&built, gone, 0x1234, NULL, 5000000);
    add_time(&built, gone, 0x2345, NULL, 5000000);
    cr_assert_eq(histogram_from_profile(built.profile, gone, dialect_find("glibc"), 0, 0, &file), 0);
    cr_assert_eq(file.histograms[0].low, 0x1230);
    cr_assert_eq(file.histograms[0].high, 0x2350);
    cr_assert_eq(file.histograms[0].counters[1], 5);
    histogram_file_clear(&file);
    profile_free(built.profile);
}

static uint64_t time_at(const struct profile *profile, const char *path, uint64_t from, uint64_t to)
{
    uint64_t ns = 0;

    for (uint32_t i = 0; i < profile->sample_count; i++) {
        uint32_t leaf = profile->nodes[profile->samples[i].node].location;
        const struct profile_location *location = &profile->locations[leaf];
        const struct profile_object *object = &profile->objects[location->object];
        if (strcmp(profile->strings[object->path], path) == 0 && location->address >= from &&
            location->address < to)
            ns += profile->samples[i].cpu_ns;
    }
    return ns;
}

/* Each format gives back where the time was, to a counter's width and a tick. */
Test(histogram_formats, profiles_come_back)
{
    static const char *const names[] = {"gmon",        "gmon-bsd", "mon", "kpdata",
                                        "mon-solaris", "pcsample", "n64", "sprof"};
    struct built built = build("");

    for (uint64_t i = 0; i < 10; i++)
        add_time(&built, built.object, offset_at(&built, 0x100 + i * 0x20), NULL, 50000000 * i);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = in_directory(names[i]);
        struct format_options options = {.object = own_path()};
        struct profile *again;
        cr_assert_eq(format_write_file(format_by_name(names[i]), path, built.profile), 0, "%s",
                     names[i]);
        cr_assert_eq(format_read_file_as(path, format_by_name(names[i]), &options, &again), 0,
                     "%s", names[i]);
        cr_assert_float_eq((double)again->totals.cpu_ns, 45 * 50e6, 1.0, "%s: %g", names[i],
                           (double)again->totals.cpu_ns);
        for (uint64_t j = 0; j < 10; j++) {
            uint64_t from = offset_at(&built, 0x100 + j * 0x20);
            uint64_t ns = time_at(again, own_path(), from & ~UINT64_C(7), from + 1);
            cr_assert_float_eq((double)ns, 50e6 * (double)j, 1e7, "%s: %g", names[i], (double)ns);
        }
        profile_free(again);
    }
    profile_free(built.profile);
}

Test(histogram_formats, there_is_a_file_for_each_object)
{
    struct built built = build("second");
    uint32_t first = add_object(&built, "/bin/first", 0x1000);
    uint32_t second = add_object(&built, "/bin/second-with-a-longer-name", 0x2000);
    uint32_t third = add_object(&built, "/opt/first", 0x3000);
    const char *path = in_directory("out.gmon");
    struct profile *again;

    add_time(&built, first, 0x1000, NULL, 90000000);
    add_time(&built, second, 0x1000, NULL, 20000000);
    add_time(&built, third, 0x1000, NULL, 30000000);
    cr_assert_eq(format_write_file(&format_gmon, path, built.profile), 0);
    cr_assert_eq(format_read_file(path, &again), 0);
    cr_assert_eq(again->totals.cpu_ns, 20000000);
    profile_free(again);
    cr_assert_eq(format_read_file(in_directory("out.gmon.first"), &again), 0);
    cr_assert_eq(again->totals.cpu_ns, 90000000);
    profile_free(again);
    cr_assert_eq(format_read_file(in_directory("out.gmon.first.2"), &again), 0);
    cr_assert_eq(again->totals.cpu_ns, 30000000);
    profile_free(again);
    cr_assert_eq(access(in_directory("out.gmon.second-with-a-longer-name"), F_OK), -1);
    cr_assert_eq(format_write_file(&format_gmon, "/dev/null", built.profile), 0);
    profile_free(built.profile);
    built.profile = profile_new();
    cr_assert_eq(format_write_file(&format_gmon, path, built.profile), -ENODATA);
    profile_free(built.profile);
}

Test(histogram_formats, modules_never_overlap)
{
    struct built built = build("");
    struct histogram_file file = {0};

    for (unsigned i = 0; i < 4; i++) { /* of four processes, all at one place */
        char path[32];
        snprintf(path, sizeof path, "/no/library%u", i);
        add_time(&built, add_object(&built, path, 0x400000), 0x1000 + i, NULL, 50000000);
    }
    cr_assert_eq(histogram_modules_from_profile(built.profile, dialect_find("solaris"), 100, &file),
                 0);
    cr_assert_eq(file.module_count, 4);
    cr_assert_eq(file.pc_count, 20);
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = 0; j < i; j++)
            cr_assert(file.modules[j].end <= file.modules[i].start ||
                      file.modules[i].end <= file.modules[j].start);
        for (size_t j = 0; j < 5; j++)
            cr_assert_eq(file.pcs[5 * i + j], file.modules[i].start + 0x1000 + i);
    }
    struct profile *again = profile_new();
    cr_assert_eq(histogram_to_profile(&file, again), 0);
    cr_assert_eq(time_at(again, "/no/library3", 0x1003, 0x1004), 50000000);
    profile_free(again);
    histogram_file_clear(&file);
    profile_free(built.profile);
}

Test(histogram_formats, what_the_user_says_of_an_object_must_be_true)
{
    struct format_options options = {.object = "/no/such/program"};
    const char *path = in_directory("gmon.out");
    struct profile *profile;

    put_file(path, examples[0].bytes, examples[0].size);
    cr_assert_eq(format_read_file_as(path, NULL, &options, &profile), -ELIBACC);
    options.object = path;
    cr_assert_eq(format_read_file_as(path, NULL, &options, &profile), -ELIBBAD);
    cr_assert_eq(format_read_file_as(path, &format_kpdata, &(struct format_options){0}, &profile),
                 -EBADMSG);
    put_file(in_directory("x.pcsample"), BYTES("\0\1\x10\4\0\1\x10\x10"));
    cr_assert_eq(format_read_file(in_directory("x.pcsample"), &profile), 0);
    cr_assert_eq(profile->totals.samples, 2);
    profile_free(profile);
}
