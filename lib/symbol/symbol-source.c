/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the source of the names in an object: its ELF file, or for JIT code the list that the JIT compiler writes. The
 * source is opened once, at the first look-up.
 *
 * A descriptor that the supervisor sent leads to the very file that was mapped. A path in a profile may lead to another
 * file by now. Therefore the build-id or inode of the file at this path is compared with that of the object.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "debuginfo/debuginfo.h"
#include "launch/file-opener.h"
#include "pprofil/error.h"
#include "symbol/symbol-internal.h"

#define ADVICE_SIZE 256u /* bytes of the text of debug_package_advice; a longer one is cut off */

/* --- the file of an object ---------------------------------------------------------------- */

/* Opens the ELF file behind `fd`. `certain`: the file is known to be the one that was mapped. Otherwise, if the object
 * has a build-id, the file must have the same one. -ESTALE: it is another file, because its build-id is different. */
static int object_file_try(const struct profile_object *object, int fd, const char *path,
                           bool certain, struct elf_object **elf)
{
    int error = elf_object_open(fd, path, object->build_id, object->build_id_size, elf);

    if (error != 0)
        return error;
    if (certain || object->build_id_size == 0 || elf_object_is(*elf, object->build_id, object->build_id_size))
        return 0;
    elf_object_close(*elf);
    *elf = NULL;
    return -ESTALE;
}

int object_file_open(const struct profile *profile, uint32_t index, struct elf_object **elf)
{
    const struct profile_object *object = &profile->objects[index];
    const char *path = profile->strings[object->path];
    int error = object->hangs ? -ETIMEDOUT : -ENOENT;

    *elf = NULL;
    if (object->fd >= 0) {
        error = object_file_try(object, object->fd, path, true, elf);
    } else if (!object->deleted && !object->hangs && object->kind == PROFILE_OBJECT_FILE) {
        /* the numbers of the devices are not compared, because on overlay and btrfs stat(2) gives
         * another number than /proc/PID/maps */
        int fd = file_opener_open(path, object->build_id_size > 0 ? 0 : object->inode);
        error = fd < 0 ? fd : object_file_try(object, fd, path, false, elf);
        if (fd >= 0)
            close(fd);
    }
    if (error != 0 && object->build_id_size > 0 &&
        elf_object_open(-1, path, object->build_id, object->build_id_size, elf) == 0)
        error = 0;
    return error;
}

/* --- the source of an object -------------------------------------------------------------- */

void symbol_source_close(struct symbol_source *source)
{
    elf_object_close(source->elf);
    jit_code_close(source->jit);
    free(source->own_problem);
    free(source->missing);
    *source = (struct symbol_source){0};
}

static const char *source_problem(struct symbol_source *source, int error)
{
    switch (error) {
    case -ENOENT:
        return "file is gone";
    case -ESTALE:
        return "file was replaced";
    case -ENOEXEC:
        return "not an ELF file";
    case -EISDIR:
    case PPROFIL_ERROR_NOT_REGULAR:
        return "unreadable: not a regular file";
    case -ETIMEDOUT:
        return "unreadable: its file system does not answer";
    }
    if (asprintf(&source->own_problem, "unreadable: %s", strerror(-error)) < 0)
        source->own_problem = NULL;
    return source->own_problem != NULL ? source->own_problem : "unreadable";
}

static void source_open_elf(const struct symbolizer *symbolizer, struct symbol_source *source, uint32_t object)
{
    int error = object_file_open(symbolizer->profile, object, &source->elf);

    if (error != 0)
        source->problem = source_problem(source, error);
    else if (!elf_object_has_symbols(source->elf))
        source->problem = "no symbol table";
}

struct symbol_source *symbolizer_source(struct symbolizer *symbolizer, uint32_t object)
{
    const struct profile *profile = symbolizer->profile;

    if (array_extend(&symbolizer->sources, &symbolizer->source_count, profile->object_count,
                     sizeof *symbolizer->sources) != 0)
        return NULL;
    struct symbol_source *source = &symbolizer->sources[object];
    if (source->opened)
        return source;
    source->opened = true;
    const struct profile_object *what = &profile->objects[object];
    if (what->kind == PROFILE_OBJECT_ANON) {
        const struct jit_owner owner = jit_owner_of(profile, what);
        source->jit = jit_code_open(what->fd, &owner);
        if (source->jit == NULL)
            source->problem = "code made at run time, and no /tmp/perf-PID.map that names it, "
                              "as node --perf-basic-prof writes it";
    } else if (!what->invented && (what->kind == PROFILE_OBJECT_FILE || what->kind == PROFILE_OBJECT_VDSO)) {
        source_open_elf(symbolizer, source, object);
    }
    return source;
}

const char *symbolizer_problem(const struct symbolizer *symbolizer, uint32_t object)
{
    if (symbolizer == NULL || object >= symbolizer->source_count)
        return NULL;
    return symbolizer->sources[object].problem;
}

bool symbolizer_lacks(const struct symbolizer *symbolizer, uint32_t object)
{
    if (symbolizer == NULL || object >= symbolizer->source_count)
        return false;
    const struct symbol_source *source = &symbolizer->sources[object];
    return source->problem != NULL ||
           (source->elf != NULL && (elf_object_lacks_lines(source->elf) || elf_object_lacks_entries(source->elf)));
}

/* Returns what is missing in an ELF file that can be read, and what would bring it. The caller frees the text. NULL: no
 * memory. */
static char *missing_in_elf(const struct symbol_source *source, const char *path)
{
    const char *what = source->problem != NULL ? source->problem : "no source lines";
    const char *of_own = source->problem != NULL ? "do not strip it" : "compile with -g";
    uint32_t build_id_size;
    char advice[ADVICE_SIZE], *text;

    if (source->problem == NULL && elf_object_lacks_entries(source->elf))
        return strdup(elf_object_has_unreadable_dwp(source->elf)
                          ? "some inlined functions are missing; elfutils before 0.191 cannot read the .dwp file"
                          : "some inlined functions are missing; .dwo files are not found or cannot be read");
    elf_object_build_id(source->elf, &build_id_size);
    if (elf_object_has_zstd(source->elf))
        snprintf(advice, sizeof advice, "libelf cannot read debug information that is compressed with zstd");
    else
        debug_package_advice(path, build_id_size > 0, of_own, advice, sizeof advice);
    return asprintf(&text, "%s; %s", what, advice) < 0 ? NULL : text;
}

const char *symbolizer_missing(struct symbolizer *symbolizer, uint32_t object)
{
    if (!symbolizer_lacks(symbolizer, object))
        return NULL;
    struct symbol_source *source = &symbolizer->sources[object];
    const struct profile *profile = symbolizer->profile;
    if (source->elf == NULL)
        return source->problem;
    if (source->missing == NULL)
        source->missing = missing_in_elf(source, profile->strings[profile->objects[object].path]);
    return source->missing != NULL ? source->missing : "no debug information";
}

int symbolizer_elf(struct symbolizer *symbolizer, uint32_t location, struct elf_object **elf, const char **problem)
{
    const struct profile *profile = symbolizer->profile;
    uint32_t object = profile->locations[location].object;

    if (location == PROFILE_NONE) {
        *problem = "no code";
        return PPROFIL_ERROR_NO_CODE;
    }
    struct symbol_source *source = symbolizer_source(symbolizer, object);
    if (source == NULL)
        return -ENOMEM;
    *elf = source->elf;
    if (*elf != NULL)
        return 0;
    if (profile->objects[object].kind == PROFILE_OBJECT_ANON)
        *problem = "code made at run time: its bytes are not in any file";
    else if (profile->objects[object].kind == PROFILE_OBJECT_UNKNOWN)
        *problem = "no file was mapped there";
    else if (profile->objects[object].kind == PROFILE_OBJECT_MARK)
        *problem = "no code, but a mark";
    else if (profile->objects[object].kind == PROFILE_OBJECT_VDSO)
        *problem = "the kernel's own code, and no copy of it was kept";
    else if (profile_is_kernel(profile, object))
        *problem = "the kernel's own code, of which only names are known";
    else
        *problem = source->problem != NULL ? source->problem : "no file";
    return PPROFIL_ERROR_NO_CODE;
}

/* --- lists of names that grow ------------------------------------------------------------- */

struct symbol_source *symbolizer_jit_source(const struct symbolizer *symbolizer, uint32_t object)
{
    if (object >= symbolizer->source_count || !symbolizer->sources[object].opened ||
        symbolizer->profile->objects[object].kind != PROFILE_OBJECT_ANON)
        return NULL;
    return &symbolizer->sources[object];
}

bool symbolizer_unlisted(const struct symbolizer *symbolizer, uint32_t location)
{
    const struct profile_location *place = &symbolizer->profile->locations[location];
    const struct symbol_source *source = symbolizer_jit_source(symbolizer, place->object);

    struct jit_symbol found;

    return source != NULL && (source->jit == NULL || !jit_code_find(source->jit, place->address, &found));
}

bool symbolizer_renew(struct symbolizer *symbolizer, uint32_t object)
{
    struct symbol_source *source = symbolizer_jit_source(symbolizer, object);
    const struct profile_object *what = &symbolizer->profile->objects[object];

    const struct jit_owner owner = jit_owner_of(symbolizer->profile, what);

    if (source == NULL || !jit_code_grown(source->jit, what->fd, &owner))
        return false;
    struct jit_code *jit = jit_code_open(what->fd, &owner);
    if (jit == NULL)
        return false;
    jit_code_close(source->jit);
    source->jit = jit;
    source->problem = NULL;
    return true;
}
