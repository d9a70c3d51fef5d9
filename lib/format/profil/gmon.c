/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads and writes gmon.out as glibc writes it and GNU gprof reads it: "gmon", a version, and packed records of three
 * kinds. The file does not say how wide a pointer is. The reader tries eight bytes first, and then four.
 *
 * Counters have 16 bits. gprof adds up the histograms of a file that have the same text. So a count that is larger than
 * a counter is distributed over several histograms.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "format/profil/profil.h"

#define MAGIC "gmon"
#define FILE_VERSION 1u
#define HEADER 20u
#define COUNT_MAX 65535u
#define WRITTEN_SIZE_MAX (UINT64_C(1) << 32) /* limit for the bytes that are written for one range of text */
/* limit for the number of histograms of different text, because each is compared with all others */
#define HISTOGRAMS_MAX 4096u
#define DIMENSION_SIZE 15u

enum tag { HISTOGRAM, ARC, BLOCKS };

/* What the file does not say, so that the reader has to guess it. */
struct guess {
    uint32_t pointer_size;
    uint32_t count_size; /* bytes of the field that has the number of basic blocks: glibc writes 8, gprof reads 4 */
    bool big_endian;
};

static bool gmon_matches(const unsigned char *head, size_t size, uint64_t all)
{
    static const unsigned char versions[][4] = {{0, 0, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, 1}};

    (void)all;
    if (size < HEADER || memcmp(head, MAGIC, 4) != 0)
        return false;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (memcmp(head + 4, versions[i], 4) == 0)
            return true;
    return false;
}

/* --- reading ----------------------------------------------------------------------------- */

/* Returns true if `text` consists of a word, such as "seconds", and then zeros. */
static bool is_dimension(const unsigned char *text)
{
    size_t length = 0;

    while (length < DIMENSION_SIZE && text[length] >= ' ' && text[length] < 0x7f)
        length++;
    for (size_t i = length; i < DIMENSION_SIZE; i++)
        if (text[i] != 0)
            return false;
    return length > 0;
}

/* Returns an earlier histogram of the same text, or NULL if there is none. A file has several histograms of a text if
 * the ticks did not fit into the counters of one. */
static struct histogram *find_same(struct histogram_file *file, uint64_t low, uint64_t high, uint64_t count)
{
    for (size_t i = 0; i < file->histogram_count; i++) {
        struct histogram *histogram = &file->histograms[i];
        if (histogram->low == low && histogram->high == high && histogram->count == count)
            return histogram;
    }
    return NULL;
}

static int read_histogram(struct bytes *bytes, struct histogram_file *file)
{
    uint64_t low = bytes_get_pointer(bytes), high = bytes_get_pointer(bytes);
    uint64_t count = bytes_get(bytes, 4), rate = bytes_get(bytes, 4);
    const unsigned char *dimension = bytes_take(bytes, DIMENSION_SIZE + 1);

    if (dimension == NULL || !is_dimension(dimension) || low > high || (low == high && count > 0) ||
        count > bytes_left(bytes) / 2 || count > HISTOGRAM_COUNTERS_MAX)
        return PPROFIL_ERROR_DAMAGED;
    if (file->rate_hz == 0)
        file->rate_hz = (double)rate;
    struct histogram *histogram = find_same(file, low, high, count);
    if (histogram == NULL && file->histogram_count == HISTOGRAMS_MAX)
        return PPROFIL_ERROR_DAMAGED;
    if (histogram == NULL)
        histogram = histogram_add(file, low, high, histogram_scale(2 * count, high - low), 2, count);
    if (histogram == NULL)
        return -ENOMEM;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t ticks = bytes_get(bytes, 2);
        histogram->counters[i] += ticks;
        file->ticks += ticks;
    }
    return 0;
}

static int read_arc(struct bytes *bytes, struct histogram_file *file)
{
    uint64_t from = bytes_get_pointer(bytes), self = bytes_get_pointer(bytes);
    uint64_t count = bytes_get(bytes, 4);

    return bytes->missing ? PPROFIL_ERROR_DAMAGED : histogram_add_arc(file, from, self, count);
}

static int read_blocks(struct bytes *bytes, uint32_t count_size, struct histogram_file *file)
{
    uint64_t count = bytes_get(bytes, count_size);
    int error = 0;

    if (bytes->missing || count > bytes_left(bytes) / (2 * bytes->pointer_size))
        return PPROFIL_ERROR_DAMAGED;
    for (uint64_t i = 0; error == 0 && i < count; i++) {
        uint64_t pc = bytes_get_pointer(bytes);
        error = histogram_add_block(file, pc, bytes_get_pointer(bytes));
    }
    return error;
}

static int read_as(struct bytes bytes, uint32_t count_size, struct histogram_file *file)
{
    int error = 0;

    bytes_take(&bytes, HEADER);
    file->dialect = dialect_find("glibc");
    file->pointer_size = bytes.pointer_size;
    file->big_endian = bytes.big_endian;
    while (error == 0 && bytes_left(&bytes) > 0)
        switch ((enum tag)bytes_get(&bytes, 1)) {
        case HISTOGRAM:
            error = read_histogram(&bytes, file);
            break;
        case ARC:
            error = read_arc(&bytes, file);
            break;
        case BLOCKS:
            error = read_blocks(&bytes, count_size, file);
            break;
        default:
            error = PPROFIL_ERROR_DAMAGED;
        }
    return error;
}

int gmon_read(const unsigned char *bytes, size_t size, struct histogram_file *file)
{
    static const struct guess guesses[] = {
        {8, 4, false}, {8, 8, false}, {4, 4, false}, {8, 4, true}, {8, 8, true}, {4, 4, true},
    };
    int error = PPROFIL_ERROR_DAMAGED;

    if (!gmon_matches(bytes, size, size))
        return PPROFIL_ERROR_DAMAGED;
    for (size_t i = 0; error == PPROFIL_ERROR_DAMAGED && i < sizeof guesses / sizeof *guesses; i++) {
        const struct guess *guess = &guesses[i];
        struct bytes all = bytes_of(bytes, size, guess->pointer_size, guess->big_endian);
        /* the bytes of version number 1 show the byte order; those of version number 0 do not */
        if (bytes[guess->big_endian ? 4 : 7] != 0)
            continue;
        histogram_file_clear(file);
        error = read_as(all, guess->count_size, file);
    }
    return error;
}

/* --- writing ----------------------------------------------------------------------------- */

static uint64_t largest_of(const struct histogram *histogram)
{
    uint64_t largest = 0;

    for (uint64_t i = 0; i < histogram->count; i++)
        if (histogram->counters[i] > largest)
            largest = histogram->counters[i];
    return largest;
}

/* A count that is larger than a 16-bit counter is distributed over several histograms. Writes the histogram with the
 * number `turn`, from 0. It has what is left of each count after turn * COUNT_MAX ticks, but at most COUNT_MAX
 * ticks. */
static void put_histogram(struct bytes_out *out, const struct histogram *histogram, uint64_t rate, uint64_t turn)
{
    bytes_put(out, HISTOGRAM, 1);
    bytes_put_pointer(out, histogram->low);
    bytes_put_pointer(out, histogram->high);
    bytes_put(out, histogram->count, 4);
    bytes_put(out, rate, 4);
    bytes_put_all(out, "seconds\0\0\0\0\0\0\0\0s", DIMENSION_SIZE + 1);
    for (uint64_t i = 0; i < histogram->count; i++) {
        uint64_t count = histogram->counters[i], before = turn * COUNT_MAX;
        uint64_t rest = count > before ? count - before : 0;
        bytes_put(out, rest < COUNT_MAX ? rest : COUNT_MAX, 2);
    }
}

static uint64_t at_most(uint64_t number, uint64_t limit)
{
    return number < limit ? number : limit;
}

static int put_histograms(struct bytes_out *out, const struct histogram_file *file)
{
    for (size_t i = 0; i < file->histogram_count; i++) {
        const struct histogram *histogram = &file->histograms[i];
        uint64_t largest = largest_of(histogram);
        uint64_t turns = largest == 0 ? 1 : (largest - 1) / COUNT_MAX + 1;
        if (turns > WRITTEN_SIZE_MAX / (2 * histogram->count + 64))
            return -EFBIG;
        for (uint64_t turn = 0; turn < turns && out->error == 0; turn++)
            put_histogram(out, histogram, (uint64_t)(file->rate_hz + 0.5), turn);
    }
    return 0;
}

/* Returns true if gprof accepts both histograms in one file. It refuses histograms with different scales, and
 * histograms whose texts overlap but are not the same. */
static bool go_together(const struct histogram *a, const struct histogram *b)
{
    bool same = a->low == b->low && a->high == b->high;

    return (uint64_t)a->scale * b->counter_size == (uint64_t)b->scale * a->counter_size &&
           (same || a->high <= b->low || b->high <= a->low);
}

static bool gmon_fits(const struct histogram_file *file)
{
    for (size_t i = 0; i < file->histogram_count; i++)
        for (size_t j = 0; j < i; j++)
            if (!go_together(&file->histograms[i], &file->histograms[j]))
                return false;
    return file->pc_count == 0;
}

int gmon_write(int fd, const struct histogram_file *file)
{
    struct bytes_out out;

    if (!gmon_fits(file))
        return PPROFIL_ERROR_COUNTERS;
    bytes_begin(&out, fd, file->pointer_size, file->big_endian);
    bytes_put_all(&out, MAGIC, 4);
    bytes_put(&out, FILE_VERSION, 4);
    bytes_put_zeros(&out, HEADER - 8);
    int error = put_histograms(&out, file);
    for (size_t i = 0; error == 0 && i < file->arc_count; i++) {
        bytes_put(&out, ARC, 1);
        bytes_put_pointer(&out, file->arcs[i].from);
        bytes_put_pointer(&out, file->arcs[i].self);
        bytes_put(&out, at_most(file->arcs[i].count, INT32_MAX), 4);
    }
    if (error == 0 && file->block_count > 0) {
        bytes_put(&out, BLOCKS, 1);
        bytes_put(&out, file->block_count, 4);
    }
    for (size_t i = 0; error == 0 && i < file->block_count; i++) {
        bytes_put_pointer(&out, file->blocks[i].pc);
        bytes_put_pointer(&out, file->blocks[i].count);
    }
    int last = bytes_finish(&out);
    return error == 0 ? last : error;
}

static const struct codec codec = {.dialect = "glibc", .read = gmon_read, .write = gmon_write};

const struct format format_gmon = {
    .name = "gmon",
    .extensions = "gmon.out .gmon",
    .summary = "GNU gmon.out, for gprof; a file for each object",
    .keeps = "ticks for every few bytes of one object's code, the rate",
    .loses = "stacks, names (looked up again with --object), processes, threads, system calls, "
             "states",
    .matches = gmon_matches,
    .codec = &codec,
};
