/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads and writes FILE.meta, a text file beside FILE. It contains what the format of FILE has no field for. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "format/profil/profil.h"

#define META_MODULES_MAX 4096u /* limit for the number of modules, because the file of each module is opened */
#define NARROW_END (UINT64_C(1) << 32)

static int meta_path(const char *path, char beside[PATH_MAX])
{
    return snprintf(beside, PATH_MAX, "%s.meta", path) < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* --- writing ----------------------------------------------------------------------------- */

bool meta_is_needed(const struct codec *codec, const struct histogram_file *file)
{
    bool another_rate = codec->rate_hz > 0 && fabs(file->rate_hz - codec->rate_hz) > 0.001;

    return another_rate || (file->module_count > 0 && !codec->has_modules);
}

int meta_write(const char *path, const struct histogram_file *file)
{
    char beside[PATH_MAX], *text = NULL;
    unsigned char *bytes = NULL;
    size_t length, size;

    int error = meta_path(path, beside);
    if (error == 0)
        error = bytes_load(path, &bytes, &size);
    if (error != 0)
        return error;
    uint64_t sum = hash_fnv(HASH_FNV_START, bytes, size);
    free(bytes);
    FILE *out = open_memstream(&text, &length);
    if (out == NULL)
        return -errno;
    fprintf(out, "# what %s has no room for: pprofil-formats(5)\nsum %" PRIx64 "\n", path, sum);
    if (file->pid != 0)
        fprintf(out, "pid %" PRIu32 "\n", file->pid);
    /* the rate was computed from a period, which is a whole number of nanoseconds. So a rate that is nearly whole is
     * rounded */
    double hz = file->rate_hz, whole = round(hz);
    if (hz > 0)
        fprintf(out, "hz %.9g\n", fabs(hz - whole) < whole * 1e-5 ? whole : hz);
    for (size_t i = 0; i < file->module_count; i++)
        fprintf(out, "module %" PRIx64 " %" PRIx64 " %s\n", file->modules[i].start, file->modules[i].end,
                file->modules[i].path);
    if (fclose(out) != 0)
        error = -ENOMEM;
    if (error == 0)
        error = bytes_save(beside, text, length);
    free(text);
    return error;
}

void meta_remove(const char *path)
{
    char beside[PATH_MAX];
    struct stat status;

    if (meta_path(path, beside) == 0 && lstat(beside, &status) == 0 && S_ISREG(status.st_mode))
        unlink(beside);
}

/* --- reading ----------------------------------------------------------------------------- */

static int meta_parse_line(const char *line, struct histogram_file *file)
{
    uint64_t start, end, cells;
    int path = 0;
    double hz;

    if (sscanf(line, "hz %lf", &hz) == 1 && hz > 0 && hz < 1e9 && file->rate_hz <= 0)
        file->rate_hz = hz;
    sscanf(line, "pid %" SCNu32, &file->pid);
    if (sscanf(line, "calls %" SCNu64, &cells) == 1 && file->histogram_count == 1)
        file->by_call = cells == file->histograms[0].count;
    if (sscanf(line, "module %" SCNx64 " %" SCNx64 " %n", &start, &end, &path) < 2 || path == 0 || start >= end ||
        file->module_count == META_MODULES_MAX)
        return 0;
    return histogram_add_module(file, line + path, strlen(line + path), start, end);
}

/* `low` is the lower half of a 64-bit address. Finds the first module that contains an address with this lower half,
 * and sets *address to it. Modules are in the order of their addresses, so the program comes before its libraries.
 * Returns false if no module contains such an address. */
static bool meta_complete(const struct histogram_file *file, uint64_t low, uint64_t *address)
{
    for (size_t i = 0; i < file->module_count; i++) {
        const struct histogram_module *module = &file->modules[i];
        *address = (module->start & ~(NARROW_END - 1)) | low;
        if (*address < module->start)
            *address += NARROW_END;
        if (*address < module->end)
            return true;
    }
    return false;
}

/* For a file that has only the lower 4 bytes of each address of a 64-bit process: finds the upper 4 bytes. */
static void meta_widen(struct histogram_file *file)
{
    uint64_t address;

    for (size_t i = 0; i < file->histogram_count; i++) {
        struct histogram *histogram = &file->histograms[i];
        if (histogram->high <= NARROW_END && meta_complete(file, histogram->low, &address)) {
            histogram->high += address - histogram->low;
            histogram->low = address;
        }
    }
    for (size_t i = 0; i < file->pc_count; i++)
        if (file->pcs[i] < NARROW_END && meta_complete(file, file->pcs[i], &address))
            file->pcs[i] = address;
}

int meta_parse(const char *text, uint64_t sum, struct histogram_file *file)
{
    char *copy = strdup(text), *rest = copy, *line;
    uint64_t about;
    int error = copy == NULL ? -ENOMEM : 0;
    bool other = false;

    while (error == 0 && !other && (line = strsep(&rest, "\n")) != NULL)
        if (sscanf(line, "sum %" SCNx64, &about) == 1)
            other = about != sum;
        else
            error = meta_parse_line(line, file);
    free(copy);
    if (error == 0 && file->module_count > 0 && file->pointer_size == 4)
        meta_widen(file);
    return error;
}

/* Returns true if FILE.meta may be used. FILE.meta changes what is read from FILE, and contains paths of files that are
 * opened. Another user who may write to the directory could have made it. So it must belong to this user, to root, or
 * to the owner of FILE. */
static bool meta_is_trusted(const char *path, const char *beside)
{
    struct stat file, meta;

    return stat(beside, &meta) == 0 && (meta.st_uid == geteuid() || meta.st_uid == 0 ||
                                        (stat(path, &file) == 0 && meta.st_uid == file.st_uid));
}

int meta_read(const char *path, const void *bytes, size_t size, struct histogram_file *file)
{
    unsigned char *loaded = NULL;
    char beside[PATH_MAX];
    size_t length;

    if (meta_path(path, beside) != 0 || !meta_is_trusted(path, beside) || bytes_load(beside, &loaded, &length) != 0)
        return 0;
    char *text = strndup((const char *)loaded, length);
    free(loaded);
    int error = text == NULL ? -ENOMEM : meta_parse(text, hash_fnv(HASH_FNV_START, bytes, size), file);
    free(text);
    return error;
}
