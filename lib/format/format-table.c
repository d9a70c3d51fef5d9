/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of formats. Finds a format by its name or by the contents of a file, and reads files of any format. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/regular-file.h"
#include "format/format.h"
#include "format/profil/profil.h"

#define HEAD_SIZE 4096
#define INPUT_SIZE_MAX (1u << 30) /* limit for standard input, bytes */
#define PPROF_FIRST 0x0a         /* first byte of an unpacked pprof file: the tag of its field sample_type */

/* Formats whose files begin with a magic number come first. The other formats are recognised by numbers that could also
 * occur in files of another format. */
static const struct format *const formats[] = {
    &format_pprof,      &format_events,     &format_perf_data,   &format_speedscope,   &format_firefox,
    &format_json,       &format_callgrind,  &format_perf_script, &format_csv,          &format_folded,
    &format_gperftools, &format_gmon,       &format_sprof,       &format_mon_solaris,  &format_gmon_bsd,
    &format_kpdata,     &format_n64,        &format_mon,         &format_pcsample,     &format_flame_svg,
    &format_flame_html, &format_icicle_svg, &format_heat_svg,    &format_rank_heat_svg,
    &format_chrome_trace, &format_web,        &format_clickhouse,
};

const struct format *format_at(unsigned i)
{
    return i < sizeof formats / sizeof *formats ? formats[i] : NULL;
}

const struct format *format_by_name(const char *name)
{
    for (unsigned i = 0; format_at(i) != NULL; i++)
        if (strcmp(format_at(i)->name, name) == 0)
            return format_at(i);
    return NULL;
}

/* Returns true if an extension begins at `end`, a place in the path. An extension without a dot has to begin a word:
 * "my.gmon.out" ends with the extension "gmon.out", but "xgmon.out" does not. */
static bool begins_there(const char *path, const char *end)
{
    return *end == '.' || end == path || !isalnum((unsigned char)end[-1]);
}

/* Returns the length of the longest of the extensions with which the path ends, or 0 if it ends with none of them. */
static size_t longest_ending(const char *path, const char *extensions)
{
    size_t length = strlen(path), longest = 0;

    while (*extensions != '\0') {
        size_t size = strcspn(extensions, " ");
        bool whole = length == size && *extensions != '.';
        if ((length > size || whole) && size > longest && strncmp(path + length - size, extensions, size) == 0 &&
            begins_there(path, path + length - size))
            longest = size;
        extensions += size + (extensions[size] == ' ');
    }
    return longest;
}

/* If a path ends with several extensions, the longest one decides: ".speedscope.json" is more specific than ".json". */
const struct format *format_by_path(const char *path)
{
    const struct format *best = NULL;
    size_t longest = 0;

    for (unsigned i = 0; format_at(i) != NULL; i++) {
        size_t ending = longest_ending(path, format_at(i)->extensions);
        if (ending > longest) {
            longest = ending;
            best = format_at(i);
        }
    }
    return best;
}

bool format_readable(const struct format *format)
{
    return format->read != NULL || format->read_with != NULL || format->codec != NULL;
}

bool format_writable(const struct format *format)
{
    return format->write != NULL || format->write_with != NULL || format->codec != NULL;
}

/* --- reading ----------------------------------------------------------------------------- */

static ssize_t read_head(const char *path, unsigned char head[HEAD_SIZE], uint64_t *all)
{
    struct stat status;
    int fd = regular_file_open(path, 0);

    if (fd < 0)
        return fd;
    ssize_t got = fstat(fd, &status) < 0 ? -1 : read(fd, head, HEAD_SIZE);
    if (got < 0)
        got = -errno;
    *all = got < 0 ? 0 : (uint64_t)status.st_size;
    close(fd);
    return got;
}

/* Finds the format of a file by its contents. If the contents show no format, the name of the file is looked at, but
 * only formats of counters are recognised by a name. */
static int recognise(const char *path, const struct format **result)
{
    unsigned char head[HEAD_SIZE];
    uint64_t all = 0;
    ssize_t size = read_head(path, head, &all);

    if (size < 0)
        return (int)size;
    for (unsigned i = 0; format_at(i) != NULL; i++)
        if (format_at(i)->matches != NULL && format_at(i)->matches(head, (size_t)size, all)) {
            *result = format_at(i);
            return 0;
        }
    *result = format_by_path(path);
    return *result != NULL && (*result)->codec != NULL ? 0 : PPROFIL_ERROR_FORMAT;
}

static int read_plain(const char *path, const struct format *format,
                      const struct format_options *options, struct profile **result)
{
    int error = format == NULL ? recognise(path, &format) : 0;

    if (error != 0)
        return error;
    if (!format_readable(format))
        return PPROFIL_ERROR_UNREADABLE;
    if (options->found != NULL)
        *options->found = format;
    struct profile *profile = profile_new();
    if (profile == NULL)
        return -ENOMEM;
    if (format->codec != NULL)
        error = codec_read(format->codec, path, options->name != NULL ? options->name : path, options->object, profile);
    else if (format->read_with != NULL)
        error = format->read_with(path, profile, options);
    else
        error = format->read(path, profile);
    if (error != 0) {
        profile_free(profile);
        return error;
    }
    *result = profile;
    return 0;
}

/* --- pipes and packed files ---------------------------------------------------------------- */

/* Appends `size` bytes to a memory file, whose descriptor is `copy`. *left is the number of bytes that may still be
 * added to the file. Returns 0 or -errno. */
static int add_piece(int copy, const char *piece, size_t size, uint64_t *left)
{
    if (size > *left)
        return -EFBIG;
    *left -= size;
    return write(copy, piece, size) == (ssize_t)size ? 0 : -ENOSPC;
}

/* Copies everything that can be read from the stream `from` into a memory file, whose descriptor is `copy`. Readers
 * need this because they must know the size of their input. */
static int copy_stream(int from, int copy)
{
    char piece[1u << 14];
    uint64_t left = INPUT_SIZE_MAX;
    int error = 0;
    ssize_t got;

    while (error == 0 && (got = read(from, piece, sizeof piece)) != 0)
        if (got > 0)
            error = add_piece(copy, piece, (size_t)got, &left);
        else if (errno != EINTR)
            error = -errno;
    return error;
}

static int unpack_gzip(const char *path, int copy)
{
    char piece[1u << 14];
    uint64_t left = BYTES_SIZE_MAX;
    int error = 0, got;
    gzFile file = gzopen(path, "rbe");

    if (file == NULL)
        return errno != 0 ? -errno : -ENOMEM;
    while (error == 0 && (got = gzread(file, piece, sizeof piece)) > 0)
        error = add_piece(copy, piece, (size_t)got, &left);
    if (error == 0 && got < 0)
        error = PPROFIL_ERROR_DAMAGED;
    if (gzclose_r(file) != Z_OK && error == 0)
        error = PPROFIL_ERROR_DAMAGED; /* the file ends within its gzip stream */
    return error;
}

/* Reads a gzip'd file whose contents have been unpacked into a memory file. `path` is the gzip'd file, and `copy` is a
 * path of the memory file. When gzip(1) replaces FILE by FILE.gz, FILE.meta keeps its name. So if `path` is FILE.gz,
 * FILE.meta is read, too. */
static int read_unpacked(const char *copy, const char *path, const struct format *format,
                         const struct format_options *options, struct profile **result)
{
    struct format_options of_copy = *options;
    size_t length = strlen(path), end = sizeof ".gz" - 1;
    char *name = strdup(path);

    if (name == NULL)
        return -ENOMEM;
    if (length > end && strcmp(path + length - end, ".gz") == 0)
        name[length - end] = '\0';
    of_copy.name = name;
    int error = read_plain(copy, format, &of_copy, result);
    free(name);
    return error;
}

/* Makes a memory file and reads it as a profile. If the descriptor `from` is not -1, everything that can be read from
 * it is copied into the memory file. Otherwise the file at `path` is unpacked into the memory file. */
static int read_copy(const char *path, int from, const struct format *format,
                     const struct format_options *options, struct profile **result)
{
    int copy = memfd_create("pprofil-input", MFD_CLOEXEC);
    char name[64];

    if (copy < 0)
        return -errno;
    int error = from >= 0 ? copy_stream(from, copy) : unpack_gzip(path, copy);
    snprintf(name, sizeof name, "/proc/self/fd/%d", copy);
    if (error == 0 && from >= 0)
        error = format_read_file_as(name, format, options, result);
    else if (error == 0)
        /* the contents are not unpacked again, because there are gzip files that unpack into themselves */
        error = read_unpacked(name, path, format, options, result);
    close(copy);
    return error;
}

/* If a path stands for standard input, or for a pipe or socket that this process has open, returns its descriptor.
 * Otherwise returns -1. */
static int stream_of(const char *path)
{
    struct stat status;
    int fd = bytes_descriptor(path);

    if (strcmp(path, "-") == 0)
        return STDIN_FILENO;
    return fd >= 0 && fstat(fd, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)) ? fd : -1;
}

/* Returns true if the file is gzip'd but is not a pprof file. A pprof file is gzip'd, too, but the reader of pprof
 * unpacks it. The first unpacked byte distinguishes pprof files from files of all other formats. */
static bool is_packed(const char *path)
{
    unsigned char head[2], first = PPROF_FIRST;
    int fd = regular_file_open(path, 0);
    bool packed = fd >= 0 && read(fd, head, 2) == 2 && head[0] == 0x1f && head[1] == 0x8b;
    gzFile file = packed ? gzopen(path, "rbe") : NULL;

    if (fd >= 0)
        close(fd);
    packed = file != NULL && gzread(file, &first, 1) == 1 && first != PPROF_FIRST;
    if (file != NULL)
        gzclose_r(file);
    return packed;
}

int format_read_file_as(const char *path, const struct format *format,
                        const struct format_options *options, struct profile **result)
{
    int stream = stream_of(path);

    if (stream >= 0 || is_packed(path))
        return read_copy(path, stream, format, options, result);
    return read_plain(path, format, options, result);
}

int format_read_histograms(const char *path, const char *name, const char *object, struct histogram_file *file)
{
    const struct format *format = name != NULL ? format_by_name(name) : NULL;
    int error = name == NULL ? recognise(path, &format) : format == NULL ? PPROFIL_ERROR_UNREADABLE : 0;

    if (error != 0)
        return error;
    if (format->codec == NULL)
        return PPROFIL_ERROR_FORMAT;
    return codec_load(format->codec, path, path, object, file);
}

int format_read_file(const char *path, struct profile **profile)
{
    return format_read_file_as(path, NULL, &(struct format_options){0}, profile);
}
