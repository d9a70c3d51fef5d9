/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Looks up the functions and source lines of a profile's locations, and stores them in the profile. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "symbol/symbol-internal.h"

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
    for (uint32_t i = 0; i < symbolizer->source_count; i++)
        symbol_source_close(&symbolizer->sources[i]);
    free(symbolizer->sources);
    free(symbolizer);
}

/* --- names --------------------------------------------------------------------------- */

/* Adds a function to the profile: a copy of *like, but with the name `system_name`, and with the
 * demangled form of that name. *index becomes the index of the function. */
static int make_function(struct symbolizer *symbolizer, const char *system_name,
                         const struct profile_function *like, uint32_t *index)
{
    struct profile *profile = symbolizer->profile;
    struct profile_function function = *like;
    char *plain = demangle(system_name);
    int error = profile_string(profile, system_name, &function.system_name);

    if (error == 0)
        error = profile_string(profile, plain != NULL ? plain : system_name, &function.name);
    free(plain);
    return error == 0 ? profile_function(profile, &function, index) : error;
}

static int name_function(struct symbolizer *symbolizer, uint32_t object, const char *system_name, uint32_t *index)
{
    const struct profile_function function = {.object = object + 1};

    return make_function(symbolizer, system_name, &function, index);
}

/* Gives the function of a symbol the name of the symbol, without its version, which means nothing to people:
 * "realpath@@GLIBC_2.3" becomes "realpath". */
static int name_symbol(struct symbolizer *symbolizer, uint32_t object, struct elf_symbol *symbol)
{
    const char *version = strchr(symbol->name, '@');

    if (version == NULL || version == symbol->name)
        return name_function(symbolizer, object, symbol->name, &symbol->function);
    char *name = strndup(symbol->name, (size_t)(version - symbol->name));
    int error = name == NULL ? -ENOMEM : name_function(symbolizer, object, name, &symbol->function);
    free(name);
    return error;
}

/* Gives a name to code that has no symbol. The name contains the address at which the function of the code starts. So
 * all code of one function has the same name, and one row in a report. */
static int name_by_function_start(struct symbolizer *symbolizer, struct elf_object *elf,
                                  uint32_t object, uint64_t address, uint32_t *function)
{
    const struct profile *profile = symbolizer->profile;
    const char *file = path_base_name(profile->strings[profile->objects[object].path]);
    char name[PATH_MAX + 32];
    uint64_t start, end;

    if (elf != NULL && elf_object_in_plt(elf, address))
        snprintf(name, sizeof name, "[plt]");
    else if (elf != NULL && elf_object_function(elf, address, &start, &end))
        snprintf(name, sizeof name, "%s+0x%llx", file, (unsigned long long)start);
    else
        snprintf(name, sizeof name, file[0] == '[' ? "%s" : "[%s]", file);
    return name_function(symbolizer, object, name, function);
}

static int name_code(struct symbolizer *symbolizer, struct elf_object *elf, uint32_t object,
                     uint64_t address, uint32_t *function)
{
    struct elf_symbol *symbol = elf != NULL ? elf_object_symbol(elf, address) : NULL;

    if (symbol == NULL)
        return name_by_function_start(symbolizer, elf, object, address, function);
    int error = 0;
    if (symbol->function == PROFILE_NONE)
        error = name_symbol(symbolizer, object, symbol);
    *function = symbol->function;
    return error;
}

bool symbol_is_place(const char *name, const char *path)
{
    const char *file = path_base_name(path);
    bool bracket = name[0] == '[' && file[0] != '[';
    size_t size = strlen(file);

    if (strncmp(name + bracket, file, size) != 0)
        return false;
    return bracket ? strcmp(name + 1 + size, "]") == 0 : strncmp(name + size, "+0x", 3) == 0;
}

/* Returns whether the saved name of a location is only a place, and the same file now has a symbol there, because its
 * debug file was installed since. */
static bool is_better_now(const struct profile *profile, uint32_t function, const struct profile_location *place,
                          struct elf_object *elf, uint64_t address)
{
    const struct profile_object *object = &profile->objects[place->object];

    return elf != NULL && object->build_id_size > 0 &&
           symbol_is_place(profile->strings[profile->functions[function].name], profile->strings[object->path]) &&
           elf_object_symbol(elf, address) != NULL;
}

static int name_location(struct symbolizer *symbolizer, const struct symbol_source *source, struct elf_object *elf,
                         const struct profile_location *place, uint64_t address, uint32_t *function)
{
    switch (symbolizer->profile->objects[place->object].kind) {
    /* the name of the object is used: it is "[unknown]", or comes from the file that the profile was read from */
    case PROFILE_OBJECT_UNKNOWN:
        return name_by_function_start(symbolizer, NULL, place->object, address, function);
    case PROFILE_OBJECT_ANON: {
        struct jit_symbol found = {.name = source->jit != NULL ? "[jit]" : "[anon]"};
        if (source->jit != NULL)
            jit_code_find(source->jit, address, &found);
        return name_function(symbolizer, place->object, found.name, function);
    }
    default:
        return name_code(symbolizer, elf, place->object, address, function);
    }
}

/* Returns the ELF file of a location. *address becomes the location's address in that file. If there is no file, or no
 * segment of it holds the location's offset, returns NULL, and *address becomes place->address, which is no address of
 * a file. */
static struct elf_object *source_elf(const struct symbol_source *source,
                                     const struct profile_location *place, uint64_t *address)
{
    *address = place->address;
    if (source->elf == NULL || !elf_object_address(source->elf, place->address, address))
        return NULL;
    return source->elf;
}

/* --- lines --------------------------------------------------------------------------- */

static int jit_line(struct symbolizer *symbolizer, const struct symbol_source *source,
                    uint64_t address, struct profile_line *line)
{
    struct jit_symbol found;

    if (source->jit == NULL || !jit_code_find(source->jit, address, &found) || found.file == NULL)
        return 0;
    line->line = found.line;
    return profile_string(symbolizer->profile, found.file, &line->file);
}

static int enter_line(struct symbolizer *symbolizer, const struct elf_line *found, uint32_t *file, uint32_t *line)
{
    char path[PATH_MAX];

    *line = found->number;
    if (found->file[0] == '\0')
        return 0;
    elf_line_path(found, path, sizeof path);
    return profile_string(symbolizer->profile, path, file);
}

/* Functions that were inlined have no symbols, so their names come from the debug information. */
static int name_inlined(struct symbolizer *symbolizer, struct elf_object *elf, uint32_t object,
                        struct elf_inlined *inlined)
{
    struct profile_function function = {.object = object + 1};
    struct elf_origin *origin;
    int error = elf_object_inlined_origin(elf, inlined, &origin);

    if (error != 0 || origin->function != PROFILE_NONE)
        return error;
    error = enter_line(symbolizer, &origin->declared, &function.file, &function.line);
    return error == 0 ? make_function(symbolizer, origin->name, &function, &origin->function) : error;
}

/* Adds the functions that were inlined at an address. Before the call, lines[0] has the source line of the address, and
 * the function of the symbol. After the call, lines[0] has the same line, and the innermost inlined function. The
 * functions into which it was inlined follow, each with the line of its call, up to the function of the symbol. */
static int add_inlined(struct symbolizer *symbolizer, struct elf_object *elf, uint32_t object,
                       uint64_t address, struct profile_line *lines, uint32_t *count)
{
    struct elf_inlined *chain[ELF_INLINED_MAX];
    struct profile_line code = lines[0];
    struct elf_line call;
    uint32_t depth;
    int error = elf_object_inlined_at(elf, address, chain, &depth);

    for (uint32_t i = 0; error == 0 && i < depth; i++) {
        struct profile_line *caller = &lines[depth - i];
        caller->function = i == 0 ? code.function : chain[i - 1]->origin->function;
        caller->file = PROFILE_NONE;
        elf_object_inlined_call(elf, chain[i], &call);
        error = enter_line(symbolizer, &call, &caller->file, &caller->line);
        if (error == 0)
            error = name_inlined(symbolizer, elf, object, chain[i]);
    }
    if (error != 0 || depth == 0)
        return error;
    lines[0] = code;
    lines[0].function = chain[depth - 1]->origin->function;
    *count = depth + 1;
    return 0;
}

static int look_up_lines(struct symbolizer *symbolizer, struct elf_object *elf, uint32_t object,
                         uint64_t address, struct profile_line *lines, uint32_t *count)
{
    struct elf_line found;
    int error = elf_object_line(elf, address, &found)
                    ? enter_line(symbolizer, &found, &lines[0].file, &lines[0].line)
                    : 0;

    return error == 0 ? add_inlined(symbolizer, elf, object, address, lines, count) : error;
}

int symbolizer_look_up(struct symbolizer *symbolizer, uint32_t location, uint32_t what)
{
    struct profile *profile = symbolizer->profile;
    struct profile_location place = profile->locations[location];
    struct profile_line lines[ELF_INLINED_MAX + 1] = {0}, *line = &lines[0];
    uint32_t count = 1;
    uint64_t address;

    what |= PROFILE_LOOKED_NAME;
    if (location == PROFILE_NONE || (place.looked & what) == what)
        return 0;
    struct symbol_source *source = symbolizer_source(symbolizer, place.object);
    if (source == NULL)
        return -ENOMEM;
    if (place.line_count > 0)
        *line = place.lines[place.line_count - 1];
    struct elf_object *elf = source_elf(source, &place, &address);
    int error = 0;
    if (line->function == PROFILE_NONE || is_better_now(profile, line->function, &place, elf, address))
        error = name_location(symbolizer, source, elf, &place, address, &line->function);
    if (error == 0 && (what & PROFILE_LOOKED_LINE) && elf != NULL)
        error = look_up_lines(symbolizer, elf, place.object, address, lines, &count);
    if (error == 0 && (what & PROFILE_LOOKED_LINE) && source->jit != NULL)
        error = jit_line(symbolizer, source, address, line);
    return error == 0 ? profile_set_lines(profile, location, lines, count, what) : error;
}

int symbolizer_define(struct symbolizer *symbolizer, uint32_t location)
{
    struct profile *profile = symbolizer->profile;
    int error = symbolizer_look_up(symbolizer, location, PROFILE_LOOKED_NAME);
    struct profile_location place = profile->locations[location];
    struct elf_line defined;
    uint32_t file = 0, line = 0;
    uint64_t address;

    if (error != 0 || place.line_count == 0 || profile->objects[place.object].kind == PROFILE_OBJECT_ANON)
        return error; /* a list of names of JIT code does not say where functions are defined */
    struct symbol_source *source = symbolizer_source(symbolizer, place.object);
    if (source == NULL)
        return -ENOMEM;
    struct elf_object *elf = source_elf(source, &place, &address);
    struct elf_symbol *symbol = elf != NULL ? elf_object_symbol(elf, address) : NULL;
    if (elf != NULL)
        elf_object_find_unit(elf, address); /* so that symbolizer_lacks knows it, even without a symbol */
    if (symbol == NULL || symbol->defined)
        return 0;
    symbol->defined = true;
    uint32_t function = place.lines[place.line_count - 1].function;
    if (profile->functions[function].file != 0)
        return 0;
    error = elf_object_definition(elf, symbol->start, &defined);
    if (error == 0)
        error = enter_line(symbolizer, &defined, &file, &line);
    if (error == 0 && file != 0)
        profile_define_function(profile, function, file, line);
    return error;
}

int symbolizer_look_up_all(struct symbolizer *symbolizer, uint32_t what)
{
    int error = 0;

    for (uint32_t i = 1; error == 0 && i < symbolizer->profile->location_count; i++)
        error = symbolizer_look_up(symbolizer, i, what);
    return error;
}

void symbolizer_take_file(struct symbolizer *symbolizer, uint32_t object, int fd)
{
    struct profile *profile = symbolizer->profile;

    profile_set_file(profile, object, fd);
    profile->objects[object].hangs = false;
    if (object < symbolizer->source_count)
        symbol_source_close(&symbolizer->sources[object]);
    for (uint32_t i = 1; i < profile->location_count; i++)
        if (profile->locations[i].object == object)
            profile_forget_lines(profile, i);
}

int symbolizer_rename(struct symbolizer *symbolizer, uint32_t location)
{
    struct profile *profile = symbolizer->profile;
    struct profile_location place = profile->locations[location];
    const struct symbol_source *source = symbolizer_jit_source(symbolizer, place.object);
    struct profile_line line = {0};

    if (source == NULL)
        return 0;
    int error = name_location(symbolizer, source, NULL, &place, place.address, &line.function);
    return error == 0 ? profile_set_lines(profile, location, &line, 1, PROFILE_LOOKED_NAME) : error;
}
