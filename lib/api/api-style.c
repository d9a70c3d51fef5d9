/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pprofil_style_at and pprofil_style_print. The input is a file of counters, or counters that are made from a saved
 * profile. The output has names from the symbols of the counted text.
 */
#include "config.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "dialect/dialect.h"
#include "format/profil/profil.h"
#include "launch/file-opener.h"
#include "pprofil.h"
#include "report/style.h"
#include "symbol/symbol.h"

/* largest number of symbols of all modules. Without a limit, a file that names one module a million times would need
 * too much memory */
#define SYMBOLS_MAX (1u << 24)

/* --- files ------------------------------------------------------------------------------- */

/* Finds an object of a profile by its path, or by the last component of the path. */
static int find_named(const struct profile *profile, const char *name, uint32_t *object)
{
    for (uint32_t i = 0; i < profile->object_count; i++) {
        const char *path = profile->strings[profile->objects[i].path];
        if (profile->objects[i].kind == PROFILE_OBJECT_FILE && path_is_called(path, name)) {
            *object = i;
            return 0;
        }
    }
    return PPROFIL_ERROR_NOT_PROFILED;
}

static int find_program(const struct profile *profile, const struct style *style, uint32_t *object)
{
    const struct codec codec = {.dialect = style->dialect, .whole = true};
    uint32_t *objects;
    size_t count;
    int error = codec_objects(&codec, &(struct format_options){0}, profile, &objects, &count);

    if (error != 0)
        return error == PPROFIL_ERROR_NO_SAMPLES ? PPROFIL_ERROR_NOT_PROFILED : error;
    *object = objects[0];
    free(objects);
    return 0;
}

/* Reads a saved profile, and counts the program counters of its samples by the rules of the system that the style is
 * from. `name` is the name of the object whose code is counted; NULL: the program. */
static int read_profile(const char *path, const struct style *style, const char *name, struct histogram_file *file)
{
    const struct dialect *dialect = dialect_find(style->dialect);
    struct profile *profile;
    uint32_t object;
    int error = format_read_file(path, &profile);

    if (error != 0)
        return error;
    if (name == NULL && style->whole) {
        error = histogram_modules_from_profile(profile, dialect, 0, file);
    } else {
        error = name != NULL ? find_named(profile, name, &object) : find_program(profile, style, &object);
        if (error == 0)
            error = histogram_from_profile(profile, object, dialect, DIALECT_ONE_TO_ONE, 0, file);
    }
    profile_free(profile);
    return error;
}

static int read_symbols(const char *path, struct symbol_table *symbols)
{
    int fd = file_opener_open(path, 0), error;

    if (fd == -EISDIR || fd == PPROFIL_ERROR_NOT_REGULAR)
        return -ENOEXEC;
    if (fd < 0)
        return fd;
    error = symbol_table_read(fd, symbols);
    close(fd);
    return error;
}

/* Reads the symbols of a module. *shift: a symbol's address in memory minus its link-time address. Returns false if the
 * symbols cannot be read. */
static bool read_module(const struct histogram_module *module, struct symbol_table *symbols, uint64_t *shift)
{
    struct symbol_text text;
    int fd = file_opener_open(module->path, 0);
    bool known = fd >= 0 && symbol_text_of_file(fd, module->path, &text) == 0 && symbol_table_read(fd, symbols) == 0;

    if (fd >= 0)
        close(fd);
    if (known)
        *shift = module->start - text.base;
    return known;
}

static bool is_module(const struct histogram_file *file, const char *path)
{
    for (size_t i = 0; i < file->module_count; i++)
        if (strcmp(file->modules[i].path, path) == 0)
            return true;
    return false;
}

/* Reads the symbols of all modules of a file, and shifts them to the addresses at which the modules were loaded. If the
 * symbols of a module cannot be read, the counts of this module belong to no symbol. */
static int read_modules(const struct histogram_file *file, struct symbol_table *symbols)
{
    int error = 0;

    *symbols = (struct symbol_table){0};
    if (file->object != NULL && !is_module(file, file->object))
        error = read_symbols(file->object, symbols);
    uint64_t program_end = symbols->end;
    for (size_t i = 0; error == 0 && i < file->module_count && symbols->count < SYMBOLS_MAX; i++) {
        const struct histogram_module *module = &file->modules[i];
        struct symbol_table own;
        uint64_t shift;
        if (module->start < program_end)
            continue; /* this module is the program, whose symbols were read from file->object */
        if (!read_module(module, &own, &shift))
            continue;
        error = symbol_table_add(symbols, &own, shift, module->start, module->end);
    }
    if (error != 0)
        symbol_table_clear(symbols);
    else
        symbol_table_sort(symbols);
    return error;
}

/* Returns the path of the counted ELF file: the path in the file of counters, or else the path that the caller gave, or
 * else the path that the old program used by default, "a.out". Returns NULL for kprof, which had no default. */
static const char *text_path(const struct histogram_file *file, const struct style *style, const char *object)
{
    if (file->object != NULL || object != NULL)
        return file->object != NULL ? file->object : object;
    return strncmp(style->name, "kprof", strlen("kprof")) == 0 ? NULL : "a.out";
}

/* Makes the symbols for a file that counts system calls in place of code. Each counter of a system call gets a symbol,
 * as if the system call were a function of 8 bytes. */
static int make_call_symbols(const struct histogram_file *file, struct symbol_table *symbols, char **names)
{
    uint64_t count = file->histogram_count > 0 ? file->histograms[0].count : 0;

    *symbols = (struct symbol_table){.end = count * 8};
    *names = calloc(count + 1, HISTOGRAM_CALL_NAME);
    symbols->symbols = calloc(count + 1, sizeof *symbols->symbols);
    if (*names == NULL || symbols->symbols == NULL)
        return -ENOMEM;
    for (uint64_t cell = DIALECT_CELL_SPECIALS; cell < count; cell++)
        symbols->symbols[symbols->count++] =
            (struct symbol){.address = cell * 8,
                            .size = 8,
                            .name = histogram_call_name(cell, *names + cell * HISTOGRAM_CALL_NAME),
                            .type = STT_FUNC,
                            .binding = STB_GLOBAL};
    return 0;
}

static int print_calls(const struct histogram_file *file, const struct style *style,
                       const struct pprofil_style_options *options, FILE *out, FILE *errors)
{
    struct symbol_table symbols;
    char *names;
    int error = make_call_symbols(file, &symbols, &names);

    if (error == 0)
        error = style->print(file, &symbols, options, out, errors);
    free(symbols.symbols);
    free(names);
    return error;
}

/* Returns true if the counted addresses are addresses in memory, and none of them is in the text of the symbols. In
 * this case the load address of the text is not known. */
static bool is_elsewhere(const struct histogram_file *file, const struct symbol_table *symbols)
{
    uint64_t low = symbols->count > 0 ? symbols->symbols[0].address : 0;
    bool inside = symbols->count == 0 || !histogram_has_memory_addresses(file);

    for (size_t i = 0; i < file->histogram_count && !inside; i++)
        inside = file->histograms[i].high > low && file->histograms[i].low < symbols->end;
    for (size_t i = 0; i < file->pc_count && !inside; i++)
        inside = file->pcs[i] >= low && file->pcs[i] < symbols->end;
    return !inside;
}

static int style_print(const struct histogram_file *file, const struct style *style, const char *text,
                       const struct pprofil_style_options *options, FILE *out, FILE *errors)
{
    struct symbol_table symbols;

    if (file->by_call)
        return print_calls(file, style, options, out, errors);
    int error = file->module_count > 0 ? read_modules(file, &symbols)
                : text != NULL         ? read_symbols(text, &symbols)
                                       : -ENOENT;

    if (error != 0) {
        style->refuse(STYLE_TEXT, text, error, errors);
        return PPROFIL_ERROR_EXPLAINED;
    }
    error = file->module_count == 0 && file->ticks > file->outside && is_elsewhere(file, &symbols)
                ? PPROFIL_ERROR_LOAD_ADDRESS
                : style->print(file, &symbols, options, out, errors);
    symbol_table_clear(&symbols);
    return error;
}

/* --- pprofil.h --------------------------------------------------------------------------- */

int pprofil_style_at(unsigned i, const char **name, const char **summary)
{
    const struct style *style = style_at(i);

    if (style == NULL)
        return -ENOENT;
    if (name != NULL)
        *name = style->name;
    if (summary != NULL)
        *summary = style->summary;
    return 0;
}

int pprofil_style_print(const char *path, const char *name,
                        const struct pprofil_style_options *given, FILE *out, FILE *errors)
{
    struct pprofil_style_options options = {0};
    const struct style *style = style_find(name);
    struct histogram_file file = {0};

    if (given != NULL)
        memcpy(&options, given, given->size < sizeof options ? given->size : sizeof options);
    if (style == NULL || options.sort > PPROFIL_SORT_NAME || options.addresses > PPROFIL_ADDRESSES_HEX ||
        options.unit > PPROFIL_UNIT_MILLISECONDS)
        return -EINVAL;
    int error = format_read_histograms(path, options.format, options.object, &file);
    if (error == 0 && options.meta != NULL)
        error = meta_parse(options.meta, 0, &file);
    if (error == PPROFIL_ERROR_FORMAT)
        error = read_profile(path, style, options.object, &file);
    if (error == 0)
        error = style_print(&file, style, text_path(&file, style, options.object), &options, out, errors);
    else if (error != PPROFIL_ERROR_NOT_PROFILED && style->refuse(STYLE_DATA, path, error, errors))
        error = PPROFIL_ERROR_EXPLAINED;
    histogram_file_clear(&file);
    return error;
}
