/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "format-pprof-fixture.h"

TestSuite(pprof_damage, .init = make_directory, .fini = remove_directory);

/* --- damage -------------------------------------------------------------------------- */

static void expect_refused(struct bytes *file, const char *why)
{
    struct profile *profile;

    put_words(file);
    put_file(in_directory("bad.pb"), file->data, file->size);
    cr_assert_eq(format_read_file(in_directory("bad.pb"), &profile), PPROFIL_ERROR_DAMAGED, "%s", why);
    file->size = 0;
    PUT(file, 1, SAMPLES, COUNT);
    PUT(file, 1, CPU, NS);
}

Test(pprof_damage, what_refers_to_nothing_is_refused)
{
    static struct bytes file;

    PUT(&file, 1, SAMPLES, COUNT);
    put_bytes(&file, 6, "x", 1);
    expect_refused(&file, "first string");
    put_sample(&file, "7", 1, 1);
    expect_refused(&file, "location of a sample");
    put_location(&file, 1, 7, 0, 0, 0);
    expect_refused(&file, "mapping of a location");
    put_location(&file, 1, 0, 0, 7, 0);
    expect_refused(&file, "function of a line");
    put_location(&file, 0, 0, 0, 0, 0);
    expect_refused(&file, "id 0");
    put_functions(&file);
    put_functions(&file);
    expect_refused(&file, "an id twice");
    PUT(&file, 3, 1, 0, 0, 0, 99);
    expect_refused(&file, "string");
    PUT(&file, 3, 1, 0, 0, 0, 0, (uint64_t)-1);
    expect_refused(&file, "negative string");
    put_number(&file, 13, 99);
    expect_refused(&file, "comment");
    PUT(&file, 1, WALL, NS);
    put_sample(&file, "", 1, 1);
    expect_refused(&file, "number of values");
    for (int i = 0; i < 4; i++)
        put_sample(&file, "", 1, INT64_MAX);
    expect_refused(&file, "sums past 2^63");
}

Test(pprof_damage, every_cut_is_noticed)
{
    struct profile *profile = make_profile(false), *again;
    char path[512];
    struct stat status;

    snprintf(path, sizeof path, "%s", in_directory("p.pb.gz"));
    cr_assert_eq(format_write_file(&format_pprof, path, profile), 0);
    cr_assert_eq(stat(path, &status), 0);
    for (off_t size = status.st_size - 1; size >= 0; size--) {
        cr_assert_eq(truncate(path, size), 0);
        int error = format_read_file(path, &again);
        cr_assert(error == PPROFIL_ERROR_DAMAGED || (size < 2 && error == PPROFIL_ERROR_FORMAT),
                  "size %ld: %d", (long)size, error);
    }
    profile_free(profile);
}

/* Unpacks a file, so that tests can damage the protobuf message inside. If they damaged packed bytes, gzip's checksum
 * would already show it. */
static size_t unpack(const char *path, unsigned char *plain, size_t room)
{
    gzFile file = gzopen(path, "rb");
    int size = gzread(file, plain, (unsigned)room);

    gzclose(file);
    cr_assert(size > 0 && (size_t)size < room);
    return (size_t)size;
}

static void read_anyhow(const char *path, const unsigned char *bytes, size_t size)
{
    struct profile *again;

    put_file(path, bytes, size);
    if (format_read_file(path, &again) != 0)
        return;
    free(describe(again));
    format_write_file(&format_pprof, "/dev/null", again);
    profile_free(again);
}

Test(pprof_damage, damage_never_crashes)
{
    struct profile *profile = make_profile(true);
    static unsigned char plain[1 << 18], changed[1 << 18];
    char path[512];

    snprintf(path, sizeof path, "%s", in_directory("p.pb.gz"));
    cr_assert_eq(format_write_file(&format_pprof, path, profile), 0);
    size_t size = unpack(path, plain, sizeof plain);
    srand(3);
    for (int i = 0; i < 2000; i++) {
        memcpy(changed, plain, size);
        for (int flips = 1 + rand() % 4; flips > 0; flips--)
            changed[1 + (size_t)rand() % (size - 1)] ^= (unsigned char)(1 << rand() % 8);
        read_anyhow(path, changed, size);
    }
    profile_free(profile);
}

Test(pprof_damage, plain_files_may_end_anywhere)
{
    struct profile *profile = profile_new();
    static unsigned char plain[1 << 14];
    char path[512];

    feed_comm(profile, 1, 1, "a");
    feed_sample(profile, 1, 1, 0x10, 5, 0);
    snprintf(path, sizeof path, "%s", in_directory("p.pb.gz"));
    cr_assert_eq(format_write_file(&format_pprof, path, profile), 0);
    size_t size = unpack(path, plain, sizeof plain);
    for (size_t cut = 0; cut <= size; cut++)
        read_anyhow(path, plain, cut);
    profile_free(profile);
}

Test(pprof_damage, a_bomb_is_refused)
{
    struct profile *again;
    static unsigned char zeros[1 << 20];

    for (int kind = 0; kind < 2; kind++) { /* kind 0 begins like a pprof file, and kind 1 like no known format */
        gzFile file = gzopen(in_directory("bomb.pb.gz"), "wb1");
        zeros[0] = kind == 0 ? 0x0a : 0;
        for (int i = 0; i < 1100; i++)
            cr_assert_eq(gzwrite(file, zeros, sizeof zeros), (int)sizeof zeros);
        gzclose(file);
        cr_assert_eq(format_read_file(in_directory("bomb.pb.gz"), &again), kind == 0 ? PPROFIL_ERROR_DAMAGED : -EFBIG);
    }
}

static size_t load(const char *path, unsigned char *bytes, size_t room)
{
    FILE *file = fopen(path, "rb");
    size_t size = fread(bytes, 1, room, file);

    fclose(file);
    return size;
}

/* Some gzip files unpack into themselves, so unpacking again and again would never end. */
Test(pprof_damage, what_is_packed_twice_is_unpacked_once)
{
    struct profile *again;
    unsigned char packed[256];
    static const char text[] = "a;b 3\n";
    const char *const paths[] = {"once.gz", "twice.gz"};

    for (int i = 0; i < 2; i++) {
        gzFile file = gzopen(in_directory(paths[i]), "wb");
        int size = i == 0 ? (int)sizeof text - 1 : (int)load(in_directory("once.gz"), packed, sizeof packed);
        cr_assert_eq(gzwrite(file, i == 0 ? (const void *)text : packed, (unsigned)size), size);
        gzclose(file);
    }
    cr_assert_eq(format_read_file(in_directory("once.gz"), &again), 0);
    cr_assert_eq(again->totals.samples, 3);
    profile_free(again);
    cr_assert_eq(format_read_file(in_directory("twice.gz"), &again), PPROFIL_ERROR_DAMAGED);
}

/* In the tests that follow, a linear search for each entry would take longer than the timeout. */
#define MANY 60000

static struct bytes *begin_large(FILE **out, char **text, size_t *size)
{
    static struct bytes piece;

    *out = open_memstream(text, size);
    piece.size = 0;
    PUT(&piece, 1, SAMPLES, COUNT);
    PUT(&piece, 1, CPU, NS);
    put_words(&piece);
    return &piece;
}

static void flush_piece(FILE *out, struct bytes *piece)
{
    fwrite(piece->data, piece->size, 1, out);
    piece->size = 0;
}

Test(pprof_damage, many_mappings_and_comments_take_no_quadratic_time, .timeout = 20)
{
    FILE *out;
    char *text, line[64];
    size_t size;
    struct bytes *piece = begin_large(&out, &text, &size);
    struct profile *profile;

    for (uint64_t i = 0; i < MANY; i++) {
        snprintf(line, sizeof line, "pprofil: object mapping=%u kind=1 inode=%u", (unsigned)(MANY - i), (unsigned)i);
        put_bytes(piece, 6, line, strlen(line));
        put_number(piece, 13, sizeof words / sizeof *words + i);
        PUT(piece, 3, i + 1, i << 12, (i + 1) << 12, 0, A_SO);
        flush_piece(out, piece);
    }
    fclose(out);
    put_file(in_directory("large.pb"), text, size);
    free(text);
    cr_assert_eq(format_read_file(in_directory("large.pb"), &profile), 0);
    cr_assert_eq(profile->object_count, MANY);
    cr_assert_eq(profile->objects[0].inode, MANY - 1);
    profile_free(profile);
}

Test(pprof_damage, many_threads_and_long_names_take_no_quadratic_time, .timeout = 20)
{
    FILE *out;
    char *text, *name = malloc(1 << 20);
    size_t size;
    struct bytes *piece = begin_large(&out, &text, &size);
    struct bytes *sample = malloc(sizeof *sample);
    uint64_t tid = sizeof words / sizeof *words, comm = tid + 1, call = tid + 2, longest = tid + 3;
    struct profile *profile;

    put_bytes(piece, 6, "tid", 3);
    put_bytes(piece, 6, "comm", 4);
    put_bytes(piece, 6, "syscall", 7);
    put_varint(piece, 6 << 3 | 2);
    put_varint(piece, 1 << 20);
    flush_piece(out, piece);
    memset(name, 'x', 1 << 20);
    fwrite(name, 1 << 20, 1, out);
    for (uint64_t i = 0; i < MANY; i++) {
        sample->size = 0;
        put_number(sample, 2, 1);
        put_number(sample, 2, 5);
        PUT(sample, 3, tid, 0, i);
        PUT(sample, 3, comm, longest);
        PUT(sample, 3, call, longest);
        put_bytes(piece, 2, sample->data, sample->size);
        put_number(piece, 13, longest);
        flush_piece(out, piece);
    }
    fclose(out);
    put_file(in_directory("large.pb"), text, size);
    cr_assert_eq(format_read_file(in_directory("large.pb"), &profile), 0);
    cr_assert_eq(profile->thread_count, MANY);
    profile_free(profile);
    free(text);
    free(name);
    free(sample);
}
