/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions of pprofil/histogram.h that count all processes of a session by one dialect. This file checks the
 * options, makes a dialect_run from them, and writes the counts of the dialect_run to files. An image is one program
 * that a process executed.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "format/profil/profil.h"
#include "session/session.h"

#define REGIONS_MAX 4096u
/* both the address and the size in bytes of a made-up range of code, which try_format uses as an example */
#define TRIED_TEXT 0x10000u

static int check_dialect_options(struct pprofil_session *session, const struct pprofil_dialect_options *options,
                                 const struct dialect *dialect)
{
    const struct dialect_region region = {.scale = options->scale};
    unsigned size = options->counter_size;

    if (dialect == NULL)
        return session_fail(session, -EINVAL, "there is no dialect '%s'; pprofil-dialects(7) has "
                            "them all", options->dialect == NULL ? "" : options->dialect);
    if (size != 0 && size != 2 && size != 4 && size != 8)
        return session_fail(session, -EINVAL, "counters have 16, 32 or 64 bits");
    if (dialect->arithmetic == DIALECT_RAW && size == 2)
        return session_fail(session, -EINVAL, "%s stores addresses, which need 32 or 64 bits", dialect->system);
    if (options->format != NULL &&
        (format_by_name(options->format) == NULL || format_by_name(options->format)->codec == NULL))
        return session_fail(session, -EINVAL, "'%s' is no format of the profil family", options->format);
    if (options->scaled && dialect_check(dialect, &region) != 0)
        return session_fail(session, -EINVAL, "%s refuses scales above 65536", dialect->system);
    if (options->scaled && dialect_is_off(dialect, options->scale))
        return session_fail(session, -EINVAL, "%s is turned off by a scale of %u", dialect->system, options->scale);
    if (options->region_count > REGIONS_MAX || (dialect->bounded_ranges && options->region_count > DIALECT_RANGES_MAX))
        return session_fail(session, -EINVAL, "%zu regions are too many", options->region_count);
    return 0;
}

static int parse_regions(struct pprofil_session *session, const struct pprofil_dialect_options *options,
                         struct dialect_run_region **result)
{
    struct dialect_run_region *regions = calloc(options->region_count + 1, sizeof *regions);
    int error = 0;

    *result = regions;
    if (regions == NULL)
        return -ENOMEM;
    for (size_t i = 0; error == 0 && i < options->region_count; i++) {
        error = dialect_run_parse_region(options->regions[i], &regions[i]);
        if (error != 0)
            session_fail(session, error, "a region is OBJECT, LO-HI or OBJECT:LO-HI in hex, not '%s'",
                         options->regions[i]);
    }
    for (size_t i = 0; error != 0 && i < options->region_count; i++)
        free(regions[i].object);
    if (error != 0)
        free(regions);
    return error;
}

/* Checks whether the format can hold counters of these options, by writing a small example to /dev/null. This is done
 * before the sampling, because an error after the sampling would come too late: the samples would be lost. Returns
 * 0; -EINVAL if the format cannot hold such counters (session->problem then says this); or another error of writing
 * the example. */
static int try_format(struct pprofil_session *session, const struct pprofil_dialect_options *options,
                      const struct dialect *dialect)
{
    const struct format *format = format_by_name(options->format != NULL ? options->format : dialect->format);
    uint32_t size = options->counter_size != 0 ? options->counter_size : dialect->counter_size;
    struct histogram_file file = {.dialect = dialect, .pointer_size = 8, .rate_hz = 100};
    uint64_t bytes = dialect_room(dialect, options->scaled ? options->scale : size * 0x4000u, size, TRIED_TEXT);
    int error = 0, fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

    if (dialect->arithmetic == DIALECT_CELLS)
        bytes = TRIED_TEXT / 8 * size;
    if (dialect->arithmetic == DIALECT_RAW)
        error = histogram_add_pcs(&file, TRIED_TEXT, 1);
    else if (histogram_add(&file, TRIED_TEXT, 2 * TRIED_TEXT, options->scaled ? options->scale : size * 0x4000u, size,
                           bytes / size) == NULL)
        error = -ENOMEM;
    if (error == 0 && fd >= 0)
        error = format->codec->write(fd, &file);
    if (fd >= 0)
        close(fd);
    histogram_file_clear(&file);
    return error != PPROFIL_ERROR_COUNTERS ? error
                          : session_fail(session, -EINVAL, "%s cannot hold what %s counts",
                                         format->name, dialect->system);
}

int pprofil_session_dialect(pprofil_session *session, const struct pprofil_dialect_options *asked)
{
    struct pprofil_dialect_options options = {0};
    struct dialect_run_region *regions;

    memcpy(&options, asked, asked->size < sizeof options ? asked->size : sizeof options);
    const struct dialect *dialect = options.dialect == NULL ? NULL : dialect_find(options.dialect);
    int error = check_dialect_options(session, &options, dialect);
    if (error == 0)
        error = try_format(session, &options, dialect);
    if (error == 0)
        error = parse_regions(session, &options, &regions);
    if (error != 0)
        return error;
    const struct dialect_run_options dialect_run_options = {.dialect = dialect,
                                                            .counter_size = options.counter_size,
                                                            .scale = options.scale,
                                                            .scaled = options.scaled,
                                                            .size = options.buffer_size,
                                                            .period_ns = options.period_ns};
    dialect_run_free(session->dialect_run);
    session->dialect_run = NULL;
    if (options.region_count == 0) {
        free(regions);
        regions = NULL;
    }
    error = dialect_run_new(&dialect_run_options, regions, options.region_count, &session->dialect_run);
    return error == 0 ? 0 : session_fail(session, error, "out of memory");
}

/* --- files --------------------------------------------------------------------------------- */

struct saving {
    struct pprofil_session *session;
    const struct format *format;
    const char *path; /* path of the first file; the paths of all other files begin with this path */
    void (*wrote)(void *context, const char *path, const struct pprofil_histogram_state *state);
    void *context;
    size_t files; /* number of files that have been written */
    bool one;     /* `path` is a pipe or a device, so only one file can be written */
};

/* Returns the name in the kernel (comm) of the process that executed an image. Returns "" if it is not known. */
static const char *program_of(const struct saving *saving, const struct dialect_run_facts *facts)
{
    const struct profile *profile = saving->session->profile->profile;

    if (facts->process == PROFILE_NONE)
        return "";
    return profile->strings[profile->processes[facts->process].comm];
}

/* Stores "." and the name of a program in `text`, or "" if the name is empty. Replaces characters that mean something
 * in a path or to a terminal by "_". */
static void name_program(const char *program, char text[32])
{
    size_t length = 0;

    for (const char *at = program; *at != '\0' && length + 2 < 32; at++) {
        if (length == 0)
            text[length++] = '.';
        text[length++] = (unsigned char)*at <= ' ' || *at == '/' || *at == '\x7f' ? '_' : *at;
    }
    text[length] = '\0';
}

/* Makes the path of a file: the path of the first file, and then suffixes for the image, the object and the region.
 * `part` is how many files of this image were written before. `same` is how many earlier regions are in the same
 * object. Returns 0 or -ENAMETOOLONG. */
static int name_file(const struct saving *saving, size_t image, size_t part, size_t same,
                     const struct dialect_run_facts *facts, const char *object, char path[PATH_MAX])
{
    char program[32] = "", process[32] = "", text[NAME_MAX + 2] = "", number[32] = "";

    if (image > 0)
        name_program(program_of(saving, facts), program);
    if (image > 0 && facts->generation == 0)
        snprintf(process, sizeof process, ".%u", facts->pid);
    else if (image > 0)
        snprintf(process, sizeof process, ".%u.%u", facts->pid, facts->generation);
    if (part > 0 && object != NULL)
        snprintf(text, sizeof text, ".%s", path_base_name(object));
    if (part > 0 && same > 0)
        snprintf(number, sizeof number, ".%zu", same + 1);
    return snprintf(path, PATH_MAX, "%s%s%s%s%s", saving->path, program, process, text, number) < PATH_MAX
               ? 0
               : -ENAMETOOLONG;
}

static enum dialect_run_extent extent_of(const struct codec *codec)
{
    return codec->single ? DIALECT_RUN_REGION : codec->whole ? DIALECT_RUN_ALL : DIALECT_RUN_OBJECT;
}

/* Returns true if the path is a pipe or a device. Then only one file can be written, because the names of all other
 * files would begin with this path. */
static bool holds_one(const char *path)
{
    struct stat status;

    return strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0 ||
           (stat(path, &status) == 0 && !S_ISREG(status.st_mode));
}

/* Writes PATH.meta, with the facts for which the format has no fields. If there are no such facts, removes a PATH.meta
 * that was written earlier. */
static int write_meta(const struct saving *saving, const char *path, const struct histogram_file *file)
{
    if (holds_one(path))
        return 0;
    if (meta_is_needed(saving->format->codec, file))
        return meta_write(path, file);
    meta_remove(path);
    return 0;
}

static int write_part(struct saving *saving, const char *path, const struct histogram_file *file)
{
    if (strcmp(path, saving->path) != 0 && holds_one(path))
        return session_fail(saving->session, -EEXIST, "%s: cannot write: it is no file", path);
    int error = format_write_histograms(saving->format, path, file);
    if (error == 0)
        error = write_meta(saving, path, file);
    if (error == PPROFIL_ERROR_COUNTERS)
        session_fail(saving->session, error, "%s: %s cannot hold counters of this width or scale",
                     path, saving->format->name);
    else if (error != 0)
        session_fail(saving->session, error, "%s: cannot write: %s", path, pprofil_error_text(error));
    return error;
}

/* Writes the file of a region, unless an earlier file contains this region too. *parts is how many files of this image
 * have been written. */
static int save_region(struct saving *saving, size_t image, size_t region,
                       enum dialect_run_extent extent, size_t *parts)
{
    const struct dialect_run *run = saving->session->dialect_run;
    struct dialect_run_facts facts;
    struct histogram_file file;
    char path[PATH_MAX];

    dialect_run_image(run, image, &facts);
    int error = dialect_run_histograms(run, saving->session->profile->profile, image, region, extent, &file);
    if (error == 0)
        error = name_file(saving, image, *parts, dialect_run_same_object(run, image, region), &facts,
                          file.object, path);
    if (error == 0)
        error = write_part(saving, path, &file);
    uint32_t width = saving->format->codec->counter_size;
    const struct pprofil_histogram_state state = {
        .on = facts.on,
        .ticks = facts.ticks,
        .outside = facts.outside,
        .overflows = facts.overflows,
        .cut = error == 0 && width != 0 ? histogram_cut_count(&file, width) : 0,
        .pid = (int32_t)facts.pid,
        .program = program_of(saving, &facts)};
    if (error == 0 && saving->wrote != NULL)
        saving->wrote(saving->context, path, &state);
    histogram_file_clear(&file);
    if (error != 0)
        /* an error of 1 means that the region has no file of its own, and -EEXIST means that its path is not a regular
         * file. In both cases the other files are still written */
        return error > 0 || error == -EEXIST ? 0 : error;
    (*parts)++;
    saving->files++;
    return 0;
}

static int save_image(struct saving *saving, size_t image, enum dialect_run_extent extent)
{
    size_t parts = 0;
    int error = 0;

    for (size_t i = 0; error == 0 && i < saving->session->dialect_run->region_count; i++)
        if (saving->files == 0 || !saving->one)
            error = save_region(saving, image, i, extent, &parts);
    return error;
}

static int save_all(struct saving *saving)
{
    enum dialect_run_extent extent = extent_of(saving->format->codec);
    int error = 0;

    for (size_t image = 0; error == 0 && image < dialect_run_image_count(saving->session->dialect_run); image++) {
        error = save_image(saving, image, extent);
        /* one file may be unable to hold all regions of an object, for example because the regions overlap. Then each
         * region gets a file of its own */
        if (error == PPROFIL_ERROR_COUNTERS && extent == DIALECT_RUN_OBJECT)
            error = save_image(saving, image, DIALECT_RUN_REGION);
    }
    return error;
}

/* Returns the format that is called `name`. If `name` is NULL, returns the format of the path's extension, or else the
 * format of the dialect's own system. */
static const struct format *choose_format(const struct dialect *dialect, const char *path, const char *name)
{
    const struct format *by_path = path != NULL ? format_by_path(path) : NULL;

    if (name != NULL)
        return format_by_name(name);
    return by_path != NULL && by_path->codec != NULL ? by_path : format_by_name(dialect->format);
}

/* Returns the name that files of a format usually have on the system that the format is from. If `format` is NULL, uses
 * the format of the dialect's own system. */
static const char *usual_path(const struct dialect *dialect, const char *format)
{
    const struct dialect *other;

    if (format == NULL)
        return dialect->file;
    for (size_t i = 0; (other = dialect_at(i)) != NULL; i++)
        if (strcmp(other->format, format) == 0)
            return other->file;
    return format;
}

int pprofil_session_save_dialect(pprofil_session *session, const char *path, const char *name,
                                 void (*wrote)(void *context, const char *path,
                                               const struct pprofil_histogram_state *state),
                                 void *context)
{
    if (session->dialect_run == NULL)
        return session_fail(session, -EINVAL, "the session has no dialect");
    const struct dialect *dialect = session->dialect_run->options.dialect;
    struct saving saving = {.session = session,
                            .format = choose_format(dialect, path, name),
                            .path = path != NULL ? path : usual_path(dialect, name),
                            .wrote = wrote,
                            .context = context};

    saving.one = holds_one(saving.path);
    if (saving.format == NULL || saving.format->codec == NULL)
        return session_fail(session, -EINVAL, "'%s' is no format of the profil family", name);
    int error = save_all(&saving);
    if (error != 0 || saving.files > 0)
        return error;
    const char *unseen = dialect_run_unseen_object(session->dialect_run);
    if (unseen != NULL)
        return session_fail(session, PPROFIL_ERROR_NO_SAMPLES,
                            "nothing was counted: no tick fell into '%s', if any process had it", unseen);
    return session_fail(session, PPROFIL_ERROR_NO_SAMPLES,
                        "nothing was counted: no tick fell into the program or the regions");
}
