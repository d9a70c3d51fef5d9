/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Look-ups into a profile. Which file an object is, is settled once: the descriptor that the
 * supervisor sent is the very file that was mapped; a path may lead to another by now, and
 * then its build-id or inode tells.
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

#include "symbol/demangle.h"
#include "symbol/elf-object.h"
#include "symbol/perf-map.h"
#include "symbol/symbol.h"

struct source {
    bool opened;
    struct elf_object *elf; /* FILE and VDSO; NULL: no names */
    struct perf_map *map;   /* ANON */
    const char *problem;    /* NULL: none, or not asked */
};

struct symbolizer {
    struct profile *profile; /* borrowed */
    struct source *sources;  /* by object */
    uint32_t source_count;
};

struct symbolizer *symbolizer_new(struct profile *profile)
{
    struct symbolizer *symbolizer = calloc(1, sizeof *symbolizer);

    if (symbolizer != NULL)
        symbolizer->profile = profile;
    return symbolizer;
}

void symbolizer_free(struct symbolizer *symbolizer)
{
    if (symbolizer == NULL)
        return;
    for (uint32_t i = 0; i < symbolizer->source_count; i++) {
        elf_object_close(symbolizer->sources[i].elf);
        perf_map_close(symbolizer->sources[i].map);
    }
    free(symbolizer->sources);
    free(symbolizer);
}

/* --- files --------------------------------------------------------------------------- */

/* Never waits: a FIFO or a device in the file's place is not opened. */
static int open_path(const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

    if (fd < 0)
        return -errno;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        return fd;
    close(fd);
    return -EINVAL;
}

static bool same_file(int fd, const struct profile_object *object)
{
    struct stat status;

    return object->inode == 0 || (fstat(fd, &status) == 0 && status.st_ino == object->inode);
}

static const char *say_unopened(int error)
{
    if (error == -ENOENT)
        return "file is gone";
    if (error == -EACCES)
        return "unreadable: permission denied";
    if (error == -ENOEXEC)
        return "not an ELF file";
    return "unreadable";
}

/* Takes the ELF file from a descriptor if it is the one that was mapped. */
static int try_file(struct source *source, const struct profile_object *object, int fd,
                    const char *path, bool certain)
{
    int error = elf_object_open(fd, path, object->build_id, object->build_id_size, &source->elf);

    if (error != 0)
        return error;
    bool other = elf_object_differs(source->elf, object->build_id, object->build_id_size) ||
                 (object->build_id_size == 0 && !same_file(fd, object));
    if (certain || !other)
        return 0;
    elf_object_close(source->elf);
    source->elf = NULL;
    return -ESTALE;
}

static void open_elf(const struct symbolizer *symbolizer, struct source *source,
                     const struct profile_object *object)
{
    const char *path = symbolizer->profile->strings[object->path];
    int error = -ENOENT;

    if (object->fd >= 0) {
        error = try_file(source, object, object->fd, path, true);
    } else if (!object->deleted && object->kind == PROFILE_OBJECT_FILE) {
        int fd = open_path(path);
        error = fd < 0 ? fd : try_file(source, object, fd, path, false);
        if (fd >= 0)
            close(fd);
    }
    if (source->elf == NULL && object->build_id_size > 0)
        elf_object_open(-1, path, object->build_id, object->build_id_size, &source->elf);
    if (source->elf == NULL)
        source->problem = error == -ESTALE ? "file was replaced" : say_unopened(error);
    else if (!elf_object_has_symbols(source->elf))
        source->problem = "no symbol table; its debug symbols are not installed";
}

static struct source *need_source(struct symbolizer *symbolizer, uint32_t object)
{
    const struct profile *profile = symbolizer->profile;

    if (object >= symbolizer->source_count) {
        uint32_t count = profile->object_count;
        struct source *larger = realloc(symbolizer->sources, count * sizeof *larger);
        if (larger == NULL)
            return NULL;
        memset(larger + symbolizer->source_count, 0,
               (count - symbolizer->source_count) * sizeof *larger);
        symbolizer->sources = larger;
        symbolizer->source_count = count;
    }
    struct source *source = &symbolizer->sources[object];
    if (source->opened)
        return source;
    source->opened = true;
    const struct profile_object *what = &profile->objects[object];
    if (what->kind == PROFILE_OBJECT_ANON) {
        source->map = perf_map_open(what->fd, what->pid);
        if (source->map == NULL)
            source->problem = "code made at run time, and no /tmp/perf-PID.map that names it";
    } else if (what->kind != PROFILE_OBJECT_UNKNOWN) {
        open_elf(symbolizer, source, what);
    }
    return source;
}

const char *symbolizer_problem(const struct symbolizer *symbolizer, uint32_t object)
{
    if (symbolizer == NULL || object >= symbolizer->source_count)
        return NULL;
    return symbolizer->sources[object].problem;
}

/* --- names --------------------------------------------------------------------------- */

static int make_function(struct symbolizer *symbolizer, uint32_t object, const char *system_name,
                         uint32_t *index)
{
    struct profile *profile = symbolizer->profile;
    struct profile_function function = {.object = object + 1};
    char *plain = demangle(system_name);
    int error = profile_string(profile, system_name, &function.system_name);

    if (error == 0)
        error = profile_string(profile, plain != NULL ? plain : system_name, &function.name);
    free(plain);
    return error == 0 ? profile_function(profile, &function, index) : error;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* Code without a symbol: by the function's start, so that it makes one row. */
static int name_by_place(struct symbolizer *symbolizer, const struct source *source,
                         uint32_t object, uint64_t address, uint32_t *function)
{
    const struct profile *profile = symbolizer->profile;
    const char *file = base_name(profile->strings[profile->objects[object].path]);
    char name[PATH_MAX + 32];
    uint64_t start;

    if (source->elf != NULL && elf_object_in_plt(source->elf, address))
        snprintf(name, sizeof name, "[plt]");
    else if (source->elf != NULL && elf_object_function_start(source->elf, address, &start))
        snprintf(name, sizeof name, "%s+0x%llx", file, (unsigned long long)start);
    else
        snprintf(name, sizeof name, file[0] == '[' ? "%s" : "[%s]", file);
    return make_function(symbolizer, object, name, function);
}

static int name_code(struct symbolizer *symbolizer, struct source *source, uint32_t object,
                     uint64_t address, uint32_t *function)
{
    struct elf_symbol *symbol =
        source->elf != NULL ? elf_object_symbol(source->elf, address) : NULL;

    if (symbol == NULL)
        return name_by_place(symbolizer, source, object, address, function);
    int error = 0;
    if (symbol->function == PROFILE_NONE)
        error = make_function(symbolizer, object, symbol->name, &symbol->function);
    *function = symbol->function;
    return error;
}

static int name_location(struct symbolizer *symbolizer, struct source *source,
                         const struct profile_location *place, uint64_t address,
                         uint32_t *function)
{
    switch (symbolizer->profile->objects[place->object].kind) {
    case PROFILE_OBJECT_UNKNOWN:
        return make_function(symbolizer, place->object, "[unknown]", function);
    case PROFILE_OBJECT_ANON: {
        const char *name = source->map != NULL ? perf_map_find(source->map, address) : NULL;
        return make_function(symbolizer, place->object, name != NULL ? name : "[anon]", function);
    }
    default:
        return name_code(symbolizer, source, place->object, address, function);
    }
}

/* The address that the object's own tables use. */
static uint64_t own_address(const struct source *source, const struct profile_location *place)
{
    uint64_t address = place->address;

    if (source->elf != NULL && !elf_object_address(source->elf, place->address, &address))
        return place->address;
    return address;
}

int symbolizer_look_up(struct symbolizer *symbolizer, uint32_t location, uint32_t what)
{
    struct profile *profile = symbolizer->profile;
    struct profile_location place = profile->locations[location];
    struct profile_line line = {0};
    char path[PATH_MAX];

    what |= PROFILE_LOOKED_NAME;
    if (location == PROFILE_NONE || (place.looked & what) == what)
        return 0;
    struct source *source = need_source(symbolizer, place.object);
    if (source == NULL)
        return -ENOMEM;
    if (place.line_count > 0)
        line = place.lines[place.line_count - 1];
    uint64_t address = own_address(source, &place);
    int error = 0;
    if (line.function == PROFILE_NONE)
        error = name_location(symbolizer, source, &place, address, &line.function);
    if (error == 0 && (what & PROFILE_LOOKED_LINE) && source->elf != NULL &&
        elf_object_line(source->elf, address, path, sizeof path, &line.line))
        error = profile_string(profile, path, &line.file);
    return error == 0 ? profile_set_lines(profile, location, &line, 1, what) : error;
}

int symbolizer_define(struct symbolizer *symbolizer, uint32_t location)
{
    struct profile *profile = symbolizer->profile;
    int error = symbolizer_look_up(symbolizer, location, PROFILE_LOOKED_NAME);
    struct profile_location place = profile->locations[location];
    char path[PATH_MAX];
    uint32_t line, file;

    if (error != 0 || place.line_count == 0)
        return error;
    struct source *source = need_source(symbolizer, place.object);
    if (source == NULL || source->elf == NULL)
        return source == NULL ? -ENOMEM : 0;
    struct elf_symbol *symbol = elf_object_symbol(source->elf, own_address(source, &place));
    if (symbol == NULL || symbol->defined)
        return 0;
    symbol->defined = true;
    uint32_t index = place.lines[place.line_count - 1].function;
    if (profile->functions[index].file != 0 ||
        !elf_object_line(source->elf, symbol->start, path, sizeof path, &line))
        return 0;
    error = profile_string(profile, path, &file);
    if (error != 0)
        return error;
    profile->functions[index].file = file;
    profile->functions[index].line = line;
    return 0;
}

int symbolizer_look_up_all(struct symbolizer *symbolizer, uint32_t what)
{
    int error = 0;

    for (uint32_t i = 1; error == 0 && i < symbolizer->profile->location_count; i++)
        error = symbolizer_look_up(symbolizer, i, what);
    return error;
}
