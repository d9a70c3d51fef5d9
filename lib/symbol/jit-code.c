/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Anyone can write to /tmp, so the file must be a regular one, belong to us, to root or to the
 * process, and have a bearable size.
 *
 * A map is named by a pid, and may be left over from another process that had it. Where its
 * process runs still, the map must have been written since that began. Where it has ended, the
 * map must have been written after the profile began, and made before it ended.
 */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "symbol/jit-code.h"
#include "symbol/jit-names.h"
#include "symbol/jitdump.h"
#include "symbol/perf-map.h"

#define MAP_SIZE_MAX ((off_t)256 << 20)    /* bytes of a map */
#define DUMP_SIZE_MAX ((off_t)4 << 30) /* bytes of a dump, which has the code, too */
#define SECOND UINT64_C(1000000000)
#define SLACK (SECOND / 10) /* of the kernel's times, which go in ticks */
#define AFTERWARDS SECOND   /* that a process may live on when its last sample was taken */

struct jit_code {
    size_t size; /* of the file, when it was read */
    struct code_names names;
};

static int open_safely(const char *path)
{
    return open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
}

static int open_for(uint32_t pid)
{
    char path[96], line[256];
    unsigned long inner = pid;

    snprintf(path, sizeof path, "/proc/%u/status", pid);
    FILE *status = fopen(path, "re");
    while (status != NULL && fgets(line, sizeof line, status) != NULL)
        if (strncmp(line, "NSpid:", 6) == 0 && strrchr(line, '\t') != NULL)
            inner = strtoul(strrchr(line, '\t') + 1, NULL, 10);
    if (status != NULL)
        fclose(status);
    snprintf(path, sizeof path, "/proc/%u/root/tmp/perf-%lu.map", pid, inner);
    int fd = open_safely(path);
    if (fd >= 0)
        return fd;
    snprintf(path, sizeof path, "/tmp/perf-%u.map", pid);
    return open_safely(path);
}

/* --- is it this process's? --------------------------------------------------------------- */

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec now = {0};

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

/* When the process that has this pid now began, CLOCK_REALTIME ns; 0: there is none. proc(5):
 * the 22nd field of stat, in clock ticks since the boot. */
static uint64_t began(uint32_t pid)
{
    char path[32], line[1024];
    unsigned long long ticks = 0;

    snprintf(path, sizeof path, "/proc/%u/stat", pid);
    FILE *stat = fopen(path, "re");
    if (stat == NULL)
        return 0;
    size_t got = fread(line, 1, sizeof line - 1, stat);
    fclose(stat);
    line[got] = '\0';
    const char *field = strrchr(line, ')'); /* the second; it may have any bytes in it */
    for (int i = 2; field != NULL && i < 22; i++)
        field = strchr(field + 1, ' ');
    if (field == NULL || sscanf(field, "%llu", &ticks) != 1)
        return 0;
    return clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME) +
           ticks * (SECOND / (uint64_t)sysconf(_SC_CLK_TCK));
}

static uint64_t to_ns(const struct statx_timestamp *time)
{
    return (uint64_t)time->tv_sec * SECOND + time->tv_nsec;
}

/* Was the map made for this process, and not for another that had or has its pid? */
static bool is_of(int fd, const struct jit_owner *owner)
{
    struct statx status;
    uint64_t start = began(owner->pid);

    if (statx(fd, "", AT_EMPTY_PATH, STATX_MTIME | STATX_BTIME, &status) < 0)
        return false;
    uint64_t written = to_ns(&status.stx_mtime) + SLACK;
    if (start != 0 && (owner->until == 0 || start <= owner->until + SLACK))
        return written >= start;
    if (owner->from == 0 || owner->until == 0)
        return start == 0; /* nothing is known, and nobody has the pid now */
    return written >= owner->from && (!(status.stx_mask & STATX_BTIME) ||
                                      to_ns(&status.stx_btime) <= owner->until + AFTERWARDS);
}

static bool trusted(int fd, const struct jit_owner *owner, size_t *size)
{
    struct stat status, process;
    unsigned char head[4];
    char path[32];

    if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
        return false;
    bool dump = pread(fd, head, sizeof head, 0) == sizeof head && jitdump_is(head);
    if (status.st_size > (dump ? DUMP_SIZE_MAX : MAP_SIZE_MAX))
        return false;
    *size = (size_t)status.st_size;
    if (status.st_uid == 0 || status.st_uid == geteuid())
        return true;
    snprintf(path, sizeof path, "/proc/%u", owner->pid);
    return stat(path, &process) == 0 && process.st_uid == status.st_uid;
}

/* A descriptor of the file if it can be trusted, or -1. One that was kept is the process's. */
static int open_trusted(int fd, const struct jit_owner *owner, size_t *size)
{
    int own = fd >= 0 ? fd : open_for(owner->pid);

    if (own < 0 || (trusted(own, owner, size) && (fd >= 0 || is_of(own, owner))))
        return own;
    if (own != fd)
        close(own);
    return -1;
}

/* --- what it says ---------------------------------------------------------------------- */

static bool read_names(int fd, size_t size, struct code_names *names)
{
    unsigned char head[4];
    bool dump = pread(fd, head, sizeof head, 0) == sizeof head && jitdump_is(head);

    return (dump ? jitdump_read(fd, size, names) : perf_map_read(fd, size, names)) &&
           code_names_cut(names);
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
    code_names_clear(&code->names);
    free(code);
}

bool jit_code_find(const struct jit_code *code, uint64_t address, struct jit_place *place)
{
    const struct code_name *name = code_names_find(&code->names, address);
    size_t low = 0, high = name == NULL ? 0 : name->line_count;

    if (name == NULL)
        return false;
    *place = (struct jit_place){.name = name->name};
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (name->lines[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low > 0) {
        place->file = name->lines[low - 1].file;
        place->line = name->lines[low - 1].line;
    }
    return true;
}
