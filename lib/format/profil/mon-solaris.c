/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads and writes the kind of Solaris' mon.out that has a version number (mon.c: the kind without one). The file
 * consists of objects. Each has a type and a size, and contains the pcs of samples, a call graph, or the addresses of
 * modules. A pointer in an object is an offset in bytes from the start of the object.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/profil/profil.h"

#define MAGIC 0x50524f46u /* "PROF" */
#define MAJOR 1u
#define HEADER 16u
#define FILE_VERSION 1u
#define PC_SIZE 8u
#define BUFFER_PCS 131072u /* limit for the pcs in one object; Solaris has the same limit */
#define FUNCTION_SIZE 48u
#define MODULE_SIZE 32u
#define MODULES_MAX 4096u /* limit for the number of modules, because the file of each module is opened */

enum type { BUFFER = 1, CALL_GRAPH = 2, MODULES = 3 };
#define BUFFER_HEADER 32u
#define CALL_GRAPH_HEADER 24u
#define MODULES_HEADER 24u

static bool mon_solaris_matches(const unsigned char *head, size_t size, uint64_t all)
{
    (void)all;
    return size >= HEADER && (memcmp(head, "PROF", 4) == 0 || memcmp(head, "FORP", 4) == 0);
}

/* --- reading ----------------------------------------------------------------------------- */

/* Sets *at to read from this offset of the object. Returns false if fewer than `size` bytes follow the offset. */
static bool mon_solaris_look(const struct bytes *object, uint64_t offset, uint64_t size, struct bytes *at)
{
    uint64_t all = bytes_left(object);

    if (offset > all || size > all - offset)
        return false;
    *at = *object;
    at->at += offset;
    return true;
}

static int read_buffer(const struct bytes *object, uint64_t offset, uint64_t count, struct histogram_file *file)
{
    struct bytes at;
    int error = 0;

    if (count > bytes_left(object) / PC_SIZE || !mon_solaris_look(object, offset, count * PC_SIZE, &at))
        return PPROFIL_ERROR_DAMAGED;
    for (uint64_t i = 0; error == 0 && i < count; i++)
        error = histogram_add_pcs(file, bytes_get(&at, PC_SIZE), 1);
    return error;
}

/* Reads a function of the call graph. A function has two links to other functions, which are added to the list
 * `waiting`. Each function is marked in `seen` and is read only once. So links that form a ring do no harm. */
static int read_function(const struct bytes *object, uint64_t offset, unsigned char *seen,
                         uint64_t *waiting, size_t *waiting_count, struct histogram_file *file)
{
    struct bytes at;

    if (offset == 0)
        return 0;
    if (offset % 8 != 0 || !mon_solaris_look(object, offset, FUNCTION_SIZE, &at))
        return PPROFIL_ERROR_DAMAGED;
    if (seen[offset / 8])
        return 0;
    seen[offset / 8] = 1;
    waiting[(*waiting_count)++] = bytes_get(&at, 8);
    waiting[(*waiting_count)++] = bytes_get(&at, 8);
    uint64_t from = bytes_get(&at, 8), to = bytes_get(&at, 8);
    return histogram_add_arc(file, from, to, bytes_get(&at, 8));
}

static int read_call_graph(const struct bytes *object, uint64_t first, struct histogram_file *file)
{
    uint64_t all = bytes_left(object);
    unsigned char *seen = calloc(all / 8 + 1, 1);
    uint64_t *waiting = calloc(all / 4 + 3, sizeof *waiting); /* room for two links of each function that may be read */
    size_t waiting_count = 0;
    int error = seen == NULL || waiting == NULL ? -ENOMEM : 0;

    if (error == 0)
        waiting[waiting_count++] = first;
    while (error == 0 && waiting_count > 0)
        error = read_function(object, waiting[--waiting_count], seen, waiting, &waiting_count, file);
    free(seen);
    free(waiting);
    return error;
}

static int read_modules(const struct bytes *object, uint64_t next, struct histogram_file *file)
{
    struct bytes at, name;
    int error = 0;

    while (error == 0 && next != 0) {
        if (file->module_count == MODULES_MAX || !mon_solaris_look(object, next, MODULE_SIZE, &at))
            return PPROFIL_ERROR_DAMAGED;
        next = bytes_get(&at, 8);
        uint64_t path = bytes_get(&at, 8), start = bytes_get(&at, 8), end = bytes_get(&at, 8);
        if (!mon_solaris_look(object, path, 1, &name) || start > end)
            return PPROFIL_ERROR_DAMAGED;
        size_t room = (size_t)bytes_left(&name), length = strnlen((const char *)name.at, room);
        if (length == room)
            return PPROFIL_ERROR_DAMAGED;
        error = histogram_add_module(file, (const char *)name.at, length, start, end);
    }
    return error;
}

static int read_object(struct bytes *all, struct histogram_file *file)
{
    struct bytes at = *all, object = *all;
    uint64_t type = bytes_get(&at, 4), version = bytes_get(&at, 4), size = bytes_get(&at, 8);
    uint64_t first = bytes_get(&at, 8);

    if (at.missing || version != FILE_VERSION || size < CALL_GRAPH_HEADER || bytes_take(all, size) == NULL)
        return PPROFIL_ERROR_DAMAGED;
    object.end = object.at + size;
    switch (type) {
    case BUFFER:
        return size < BUFFER_HEADER ? PPROFIL_ERROR_DAMAGED : read_buffer(&object, first, bytes_get(&at, 8), file);
    case CALL_GRAPH:
        return read_call_graph(&object, first, file);
    case MODULES:
        return read_modules(&object, first, file);
    default:
        return PPROFIL_ERROR_DAMAGED;
    }
}

int mon_solaris_read(const unsigned char *bytes, size_t size, struct histogram_file *file)
{
    if (!mon_solaris_matches(bytes, size, size))
        return PPROFIL_ERROR_DAMAGED;
    struct bytes all = bytes_of(bytes, size, 8, bytes[0] == 'P');
    int error = 0;

    bytes_take(&all, 4);
    uint64_t major = bytes_get(&all, 2), minor = bytes_get(&all, 2), header = bytes_get(&all, 8);
    (void)minor;
    if (major != MAJOR || header < HEADER || bytes_take(&all, header - HEADER) == NULL)
        return PPROFIL_ERROR_DAMAGED;
    file->dialect = dialect_find("solaris");
    file->pointer_size = 8;
    file->big_endian = all.big_endian;
    while (error == 0 && bytes_left(&all) > 0)
        error = read_object(&all, file);
    file->ticks = file->pc_count;
    return error;
}

/* --- writing ----------------------------------------------------------------------------- */

static void put_object(struct bytes_out *out, enum type type, uint64_t size)
{
    bytes_put(out, type, 4);
    bytes_put(out, FILE_VERSION, 4);
    bytes_put(out, size, 8);
}

static void put_buffers(struct bytes_out *out, const struct histogram_file *file)
{
    size_t done = 0;

    do { /* at least one buffer is written, even if it has no pcs, because prof needs one */
        size_t left = file->pc_count - done, count = left < BUFFER_PCS ? left : BUFFER_PCS;
        put_object(out, BUFFER, BUFFER_HEADER + count * PC_SIZE);
        bytes_put(out, BUFFER_HEADER, 8);
        bytes_put(out, count, 8);
        for (size_t i = 0; i < count; i++)
            bytes_put(out, file->pcs[done + i], PC_SIZE);
        done += count;
    } while (done < file->pc_count);
}

static void put_call_graph(struct bytes_out *out, const struct histogram_file *file)
{
    size_t count = file->arc_count;

    put_object(out, CALL_GRAPH, CALL_GRAPH_HEADER + count * FUNCTION_SIZE);
    bytes_put(out, count > 0 ? CALL_GRAPH_HEADER : 0, 8);
    for (size_t i = 0; i < count; i++) {
        bytes_put(out, i + 1 < count ? CALL_GRAPH_HEADER + (i + 1) * FUNCTION_SIZE : 0, 8);
        bytes_put(out, 0, 8);
        bytes_put(out, file->arcs[i].from, 8);
        bytes_put(out, file->arcs[i].self, 8);
        bytes_put(out, file->arcs[i].count, 8);
        bytes_put(out, 0, 8);
    }
}

static uint64_t padded(uint64_t size)
{
    return (size + 7) / 8 * 8;
}

static void put_modules(struct bytes_out *out, const struct histogram_file *file)
{
    uint64_t modules = file->module_count * MODULE_SIZE, path = MODULES_HEADER + modules;
    uint64_t size = path;

    for (size_t i = 0; i < file->module_count; i++)
        size += padded(strlen(file->modules[i].path) + 1);
    put_object(out, MODULES, size);
    bytes_put(out, file->module_count > 0 ? MODULES_HEADER : 0, 8);
    for (size_t i = 0; i < file->module_count; i++) {
        const struct histogram_module *module = &file->modules[i];
        bool last = i + 1 == file->module_count;
        bytes_put(out, last ? 0 : MODULES_HEADER + (i + 1) * MODULE_SIZE, 8);
        bytes_put(out, path, 8);
        bytes_put(out, module->start, 8);
        bytes_put(out, module->end, 8);
        path += padded(strlen(module->path) + 1);
    }
    for (size_t i = 0; i < file->module_count; i++) {
        size_t length = strlen(file->modules[i].path);
        bytes_put_all(out, file->modules[i].path, length);
        bytes_put_zeros(out, padded(length + 1) - length);
    }
}

int mon_solaris_write(int fd, const struct histogram_file *file)
{
    struct bytes_out out;

    if (file->histogram_count > 0)
        return PPROFIL_ERROR_COUNTERS;
    bytes_begin(&out, fd, 8, file->big_endian);
    bytes_put(&out, MAGIC, 4);
    bytes_put(&out, MAJOR, 2);
    bytes_put(&out, 0, 2);
    bytes_put(&out, HEADER, 8);
    put_modules(&out, file);
    put_call_graph(&out, file);
    put_buffers(&out, file);
    return bytes_finish(&out);
}

static const struct codec codec = {.dialect = "solaris",
                                   .rate_hz = 100,
                                   .whole = true,
                                   .has_modules = true,
                                   .read = mon_solaris_read,
                                   .write = mon_solaris_write};

const struct format format_mon_solaris = {
    .name = "mon-solaris",
    .extensions = ".mon-solaris",
    .summary = "Solaris' mon.out with raw pcs and modules, for prof",
    .keeps = "addresses of samples, objects with their paths",
    .loses = "stacks, names (looked up again), processes, threads, system calls, states, the "
             "rate",
    .matches = mon_solaris_matches,
    .codec = &codec,
};
