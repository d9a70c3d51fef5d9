/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks whether a profile can be saved in a file, before anything is sampled or read: the extension of the file has to
 * be that of a format, and no format of bytes goes to a terminal.
 */
#include "config.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/edit-distance.h"
#include "base/path.h"
#include "options.h"

#define LIST_SIZE 1024

bool output_format_find(const char *name, struct pprofil_format *format)
{
    for (unsigned i = 0; pprofil_format_at(i, format, sizeof *format) == 0; i++)
        if (strcmp(format->name, name) == 0)
            return true;
    return false;
}

/* Returns true if the path is no regular file, so that its name says nothing of its format. */
static bool is_stream(const char *path)
{
    struct stat status;

    return strcmp(path, "-") == 0 || (stat(path, &status) == 0 && !S_ISREG(status.st_mode));
}

bool output_is_terminal(const char *path)
{
    struct stat status;

    if (strcmp(path, "-") == 0)
        return isatty(STDOUT_FILENO);
    if (stat(path, &status) < 0 || !S_ISCHR(status.st_mode))
        return false;
    int fd = open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    bool terminal = fd >= 0 && isatty(fd);
    if (fd >= 0)
        close(fd);
    return terminal;
}

/* Returns the extension of a path, with its dot, or "" if it has none. In a pattern (base/name-pattern.h), ".%p" is
 * none. */
static const char *last_extension(const char *path)
{
    const char *name = path_base_name(path), *dot;

    name += strspn(name, ".");
    dot = strrchr(name, '.');
    return dot != NULL && dot[1] != '\0' && dot[1] != '%' ? dot : "";
}

/* --- an unknown extension ------------------------------------------------------------------ */

/* The proposal for a wrong name: its first `kept` bytes, and then the extension. */
struct proposal {
    uint32_t distance;
    size_t kept;
    char extension[EDIT_DISTANCE_SIZE_MAX + 1];
};

/* Compares an extension with the end of a path that begins at `kept`. */
static void proposal_compare(struct proposal *best, const char *path, size_t kept, const char *extension, size_t length)
{
    size_t end_length = strlen(path + kept);

    if (length > EDIT_DISTANCE_SIZE_MAX || end_length > EDIT_DISTANCE_SIZE_MAX)
        return;
    uint32_t distance = edit_distance(path + kept, end_length, extension, length);
    if (!edit_distance_is_near(distance, end_length) || distance >= best->distance)
        return;
    best->distance = distance;
    best->kept = kept;
    *(char *)mempcpy(best->extension, extension, length) = '\0';
}

/* Compares the ends of a path with the extensions of a format, which are separated by blanks. */
static void proposal_compare_all(struct proposal *best, const char *path, const char *extensions)
{
    size_t base = (size_t)(path_base_name(path) - path);

    for (; *extensions != '\0'; extensions += strspn(extensions, " ")) {
        size_t length = strcspn(extensions, " ");
        if (*extensions != '.')
            proposal_compare(best, path, base, extensions, length);
        for (size_t kept = base + 1; *extensions == '.' && kept < strlen(path); kept++)
            if (path[kept] == '.')
                proposal_compare(best, path, kept, extensions, length);
        extensions += length;
    }
}

/* Finds a name that is like the path and has a known extension. Returns false if there is none. */
static bool output_format_propose(const char *path, char *name, size_t size)
{
    struct proposal best = {.distance = UINT32_MAX};
    struct pprofil_format format;
    size_t plain = (size_t)(last_extension(path) - path);

    /* profiles that are compressed by other programs can be read, but are not written */
    snprintf(name, size, "%.*s", (int)plain, path);
    if (strcmp(path + plain, ".gz") == 0 && pprofil_format_by_extension(name) != NULL)
        return true;
    for (unsigned i = 0; pprofil_format_at(i, &format, sizeof format) == 0; i++)
        if (format.writable)
            proposal_compare_all(&best, path, format.extensions);
    if (best.distance == UINT32_MAX)
        return false;
    snprintf(name, size, "%.*s%s", (int)best.kept, path, best.extension);
    return true;
}

static int complain_extension(const char *path)
{
    char known[LIST_SIZE] = "", name[PATH_MAX], hint[PATH_MAX + 32] = "";
    struct pprofil_format format;
    size_t length = 0;

    for (unsigned i = 0; pprofil_format_at(i, &format, sizeof format) == 0 && length < sizeof known; i++)
        if (format.writable)
            length += (size_t)snprintf(known + length, sizeof known - length, "%s%.*s", length == 0 ? "" : ", ",
                                       (int)strcspn(format.extensions, " "), format.extensions);
    if (output_format_propose(path, name, sizeof name))
        snprintf(hint, sizeof hint, "; did you mean '%s'?", name);
    return complain("%s: no format has the extension %s%s Known are %s; with -f FORMAT any name will do", path,
                    last_extension(path), *hint != '\0' ? hint : ".", known);
}

/* --- the check ------------------------------------------------------------------------------- */

int output_format_check(const char *path, const char *name)
{
    struct pprofil_format format;

    if (name == NULL)
        name = pprofil_format_by_extension(path);
    if (name == NULL && *last_extension(path) != '\0' && !is_stream(path))
        return complain_extension(path);
    if (!output_format_find(name != NULL ? name : pprofil_format_for(path), &format))
        return complain("-f %s: there is no such format", name);
    if (!format.writable)
        return complain("%s: pprofil does not write the format %s; -f list says which it writes", path, format.name);
    if (format.binary && output_is_terminal(path))
        return complain("-o %s: a file of the format %s is not for a terminal: redirect it, or take a format of text, "
                        "such as -f folded",
                        path, format.name);
    return 0;
}
