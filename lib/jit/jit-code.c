/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads the names of JIT code from a file, if the file can be trusted. Anyone can write to /tmp. So the file must be a
 * regular file that is not too large, and it must belong to us, to root, or to the user who runs the process.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "jit/jit.h"
#include "profile/profile.h"

#define MAP_SIZE_MAX ((off_t)256 << 20) /* largest map that is read, bytes */
/* largest jitdump that is read, bytes; it contains the code too */
#define DUMP_SIZE_MAX ((off_t)4 << 30)

struct jit_code {
    size_t size; /* bytes of the file when it was read */
    struct jit_names names;
};

bool jit_file_is_trusted(int fd, const struct jit_owner *owner, size_t *size)
{
    struct stat status, process;
    char path[32];

    if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) ||
        status.st_size > (jitdump_is(fd) ? DUMP_SIZE_MAX : MAP_SIZE_MAX))
        return false;
    *size = (size_t)status.st_size;
    if (status.st_uid == 0 || status.st_uid == geteuid())
        return true;
    snprintf(path, sizeof path, "/proc/%u", owner->pid);
    return stat(path, &process) == 0 && process.st_uid == status.st_uid;
}

/* If `fd` is not -1, returns it. Otherwise opens the map of `owner`, and returns a descriptor that the caller closes.
 * Returns -1 if there is no file, or if the file cannot be trusted. The name of a map contains only a pid. Another
 * process with this pid may have written the map, so it is also checked that `owner` wrote it. */
static int open_trusted(int fd, const struct jit_owner *owner, size_t *size)
{
    int own = fd >= 0 ? fd : perf_map_open(owner->pid);

    if (own < 0 || (jit_file_is_trusted(own, owner, size) && (fd >= 0 || perf_map_is_of(own, owner))))
        return own;
    if (own != fd)
        close(own);
    return -1;
}

static bool read_names(int fd, size_t size, struct jit_names *names)
{
    bool read = jitdump_is(fd) ? jitdump_read(fd, size, names) : perf_map_read(fd, size, names);

    return read && jit_names_finish(names);
}

struct jit_owner jit_owner_of(const struct profile *profile, const struct profile_object *object)
{
    const struct profile_totals *totals = &profile->totals;
    struct jit_owner owner = {.pid = object->pid, .from = totals->start_time};

    if (totals->start_time != 0 && totals->elapsed_ns != 0)
        owner.until = profile_end_time(totals);
    return owner;
}

struct jit_code *jit_code_open(int fd, const struct jit_owner *owner)
{
    struct jit_code *code;
    size_t size;
    int own = open_trusted(fd, owner, &size);

    if (own < 0)
        return NULL;
    if ((code = calloc(1, sizeof *code)) != NULL) {
        code->size = size;
        if (!read_names(own, size, &code->names)) {
            jit_code_close(code);
            code = NULL;
        }
    }
    if (own != fd)
        close(own);
    return code;
}

bool jit_code_grown(const struct jit_code *code, int fd, const struct jit_owner *owner)
{
    size_t size;
    int own = open_trusted(fd, owner, &size);

    if (own < 0)
        return false;
    if (own != fd)
        close(own);
    return code == NULL || size > code->size;
}

void jit_code_close(struct jit_code *code)
{
    if (code == NULL)
        return;
    jit_names_clear(&code->names);
    free(code);
}

bool jit_code_find(const struct jit_code *code, uint64_t address, struct jit_symbol *symbol)
{
    const struct jit_name *name = jit_names_find(&code->names, address);

    if (name == NULL)
        return false;
    *symbol = (struct jit_symbol){.name = name->name};
    size_t count = array_count_up_to(name->lines, name->line_count, sizeof *name->lines, address);
    if (count > 0) {
        symbol->file = name->lines[count - 1].file;
        symbol->line = name->lines[count - 1].line;
    }
    return true;
}
