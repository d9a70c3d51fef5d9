/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Helpers of test-format-histogram*.c: examples of each format, as structures and as bytes. */
#ifndef PPROFIL_TEST_FORMAT_HISTOGRAM_FIXTURE_H
#define PPROFIL_TEST_FORMAT_HISTOGRAM_FIXTURE_H

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/profil/profil.h"
#include "symbol/symbol.h"
#include "test-directory.h"

#define UNUSED __attribute__((unused)) /* not every file uses all functions of this header */

/* --- the examples ------------------------------------------------------------------------ */

static const uint64_t example_counters[] = {0, 3, 0, 0, 65535, 0, 0, 1};

UNUSED static void add_counters(struct histogram_file *file, uint64_t low, uint64_t high,
                         unsigned counter_size, const uint64_t *counters, uint64_t count)
{
    struct histogram *histogram = histogram_add(file, low, high, DIALECT_ONE_TO_ONE / 2, counter_size, count);

    cr_assert_not_null(histogram);
    for (uint64_t i = 0; i < count; i++) {
        histogram->counters[i] = counters[i];
        file->ticks += counters[i];
    }
}

UNUSED static void make_text(struct histogram_file *file, uint32_t pointer_size, double rate_hz)
{
    *file = (struct histogram_file){.pointer_size = pointer_size, .rate_hz = rate_hz};
    add_counters(file, 0x1000, 0x1020, 2, example_counters, 8);
}

UNUSED static void make_gmon(struct histogram_file *file)
{
    make_text(file, 8, 100);
    histogram_add_arc(file, 0x1010, 0x1004, 7);
}

UNUSED static void make_gmon_blocks(struct histogram_file *file)
{
    make_text(file, 4, 100);
    histogram_add_block(file, 0x1004, 9);
    histogram_add_block(file, 0x1010, 2);
}

UNUSED static void make_gmon_large(struct histogram_file *file)
{
    static const uint64_t counters[] = {65536, 2, 131071, 0};

    *file = (struct histogram_file){.pointer_size = 8, .rate_hz = 1000};
    add_counters(file, 0, 16, 2, counters, 4);
}

UNUSED static void make_bsd_ilp32(struct histogram_file *file)
{
    make_text(file, 4, 128);
    histogram_add_arc(file, 0x1010, 0x1004, 7);
}

UNUSED static void make_bsd_big(struct histogram_file *file)
{
    make_text(file, 8, 1024);
    file->big_endian = true;
}

UNUSED static void make_bsd_old(struct histogram_file *file)
{
    make_text(file, 4, 0);
}

UNUSED static void make_mon(struct histogram_file *file)
{
    make_text(file, 8, 0);
    histogram_add_calls(file, 0x1006, 7);
}

UNUSED static void make_mon_ilp32(struct histogram_file *file)
{
    make_text(file, 4, 0);
    file->big_endian = true;
    histogram_add_calls(file, 0x1006, 7);
}

UNUSED static void make_mon_pdp11(struct histogram_file *file)
{
    make_text(file, 2, 0);
    histogram_add_calls(file, 0x1006, 0x10007);
}

UNUSED static void make_mon_solaris(struct histogram_file *file)
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

UNUSED static void make_kpdata(struct histogram_file *file)
{
    static const uint64_t counters[] = {0, 0, 0, 0, 0, 0, 450, 450};

    *file = (struct histogram_file){.pointer_size = 4, .rate_hz = 100};
    add_counters(file, 0, 64, 4, counters, 8);
    file->big_endian = true;
    file->ticks = 1000;
    file->outside = 100;
}

UNUSED static void make_n64(struct histogram_file *file)
{
    static const uint64_t first[] = {1, 0, 0xabcd}, second[] = {65535};

    *file = (struct histogram_file){.pointer_size = 4, .rate_hz = 100};
    add_counters(file, 0x80000400, 0x8000040c, 2, first, 3);
    add_counters(file, 0x80200000, 0x80200004, 2, second, 1);
    file->big_endian = true;
    file->outside = 5;
    file->ticks += 5;
}

UNUSED static void make_pcsample(struct histogram_file *file)
{
    *file = (struct histogram_file){.pointer_size = 8};
    histogram_add_pcs(file, 0x401136, 2);
    histogram_add_pcs(file, 0x7f1234500010, 1);
    file->ticks = 3;
}

UNUSED static void make_pcsample_ilp32(struct histogram_file *file)
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
    const struct format *format; /* the format that must recognize the bytes; NULL: no format may recognize them */
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
           "\0\0\0\0\0\0\0\0\x10\0\0\0\0\0\0\0\4\0\0\0\xe8\3\0\0" SECONDS "\377\377\2\0\377\377\0\0"
           "\0"
           "\0\0\0\0\0\0\0\0\x10\0\0\0\0\0\0\0\4\0\0\0\xe8\3\0\0" SECONDS "\1\0\0\0\377\377\0\0"
           "\0"
           "\0\0\0\0\0\0\0\0\x10\0\0\0\0\0\0\0\4\0\0\0\xe8\3\0\0" SECONDS "\0\0\0\0\1\0\0\0")},
    {"gmon-bsd ILP32", &format_gmon_bsd, gmon_bsd_read, gmon_bsd_write, make_bsd_ilp32,
     BYTES("\0\x10\0\0\x20\x10\0\0\x30\0\0\0\x79\x18\5\0\x80\0\0\0" ZEROS_12 COUNTERS
           "\x10\x10\0\0\x04\x10\0\0\x07\0\0\0")},
    {"gmon-bsd LP64 big-endian", &format_gmon_bsd, gmon_bsd_read, gmon_bsd_write, make_bsd_big,
     BYTES(BIG_RANGE "\0\0\0\x38\0\5\x18\x79\0\0\4\0" ZEROS_12 "\0\0\0\3\0\0\0\0\377\377\0\0\0\0\0\1")},
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

/* Returns what a writer writes. The caller frees it. */
UNUSED static unsigned char *written(int (*writer)(int, const struct histogram_file *),
                                     const struct histogram_file *file, size_t *size)
{
    int fd = memfd_create("written", MFD_CLOEXEC);
    struct stat status;

    cr_assert_geq(fd, 0);
    cr_assert_eq(writer(fd, file), 0);
    cr_assert_eq(fstat(fd, &status), 0);
    *size = (size_t)status.st_size;
    unsigned char *bytes = malloc(*size + 1);
    cr_assert_eq(pread(fd, bytes, *size, 0), (ssize_t)*size);
    close(fd);
    return bytes;
}

UNUSED static void expect_bytes(const char *name, const unsigned char *got, size_t got_size,
                                const unsigned char *expected, size_t size)
{
    for (size_t i = 0; i < size && i < got_size; i++)
        cr_assert_eq(got[i], expected[i], "%s: byte %zu is 0x%02x, not 0x%02x", name, i, got[i], expected[i]);
    cr_assert_eq(got_size, size, "%s: %zu bytes, not %zu", name, got_size, size);
}

#endif
