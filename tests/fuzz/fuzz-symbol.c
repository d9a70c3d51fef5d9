/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes lib/symbol. The input is a file that a profiled program maps, a file with the names of JIT code, or a name to
 * demangle. Looks up addresses all over a file, as reports and annotate do. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "jit/jit.h"
#include "script/script.h"
#include "symbol/function-code.h"
#include "symbol/symbol.h"

#define PLACES 24u
#define SYMBOLS_MAX 24u

static void need(int error)
{
    if (error != 0)
        abort();
}

static void add_place(struct profile *profile, uint32_t object, uint64_t address)
{
    uint32_t location;

    need(profile_location(profile, object, address, &location));
}

/* Reads the bytes of a text, because sanitizers check memory only where it is used. */
static size_t use(const char *text)
{
    return text == NULL ? 0 : strlen(text);
}

/* Adds offsets in the file, which are looked up later: some that are spread evenly over the file, and one near the
 * beginning of each symbol. */
static void add_places_of_file(struct profile *profile, uint32_t object, int fd, size_t size)
{
    struct symbol_table table;
    struct symbol_text text;
    uint64_t offset;

    for (unsigned i = 0; i < PLACES; i++)
        add_place(profile, object, size / PLACES * i);
    if (symbol_text_of_file(fd, "/input", &text) != 0 || symbol_table_read(fd, &table) != 0)
        return;
    for (size_t i = 0; i < table.count; i++) {
        const struct symbol *symbol = &table.symbols[i];
        if (use(symbol->name) == 0 || symbol->size > UINT64_MAX - symbol->address)
            abort();
        if (i < SYMBOLS_MAX && symbol_text_offset(&text, symbol->address + 1, &offset))
            add_place(profile, object, offset);
    }
    symbol_table_clear(&table);
}

/* Adds addresses that the file contains as numbers of 8 bytes, or as hexadecimal numbers at the beginning of lines. */
static void add_places_of_list(struct profile *profile, uint32_t object, const uint8_t *data, size_t size)
{
    char number[17] = {0};
    uint64_t address;

    for (size_t i = 0; i + 8 <= size && i < 8 * PLACES; i += 8) {
        memcpy(&address, data + i, 8);
        add_place(profile, object, address);
        add_place(profile, object, address + 3);
    }
    for (size_t i = 0, lines = 0; i + 16 < size && lines < PLACES; i++)
        if (data[i] == '\n') {
            memcpy(number, data + i + 1, 16);
            add_place(profile, object, strtoull(number, NULL, 16));
            lines++;
        }
}

static void look_at_code(struct symbolizer *symbolizer, uint32_t location)
{
    const char *problem;
    struct symbol_code *code;
    size_t used = 0;

    if (symbolizer_code(symbolizer, location, &code, &problem) != 0)
        return;
    for (uint32_t i = 0; i < code->instruction_count; i++) {
        const struct symbol_instruction *instruction = &code->instructions[i];
        used += use(instruction->text) + use(code->files[instruction->file]) + use(code->inlined[instruction->inlined]);
    }
    if (used == 0)
        abort();
    symbol_code_free(code);
}

static void look_up(struct profile *profile)
{
    struct symbolizer *symbolizer = symbolizer_new(profile);

    if (symbolizer == NULL)
        abort();
    need(symbolizer_look_up_all(symbolizer, PROFILE_LOOKED_NAME | PROFILE_LOOKED_LINE));
    for (uint32_t i = 1; i < profile->location_count; i++) {
        need(symbolizer_define(symbolizer, i));
        const struct profile_location *place = &profile->locations[i];
        for (uint32_t j = 0; j < place->line_count; j++) {
            const struct profile_line *line = &place->lines[j];
            const struct profile_function *function = &profile->functions[line->function];
            if (use(profile->strings[function->name]) == 0)
                abort();
            use(profile->strings[line->file]);
        }
        if (i % 8 == 1)
            look_at_code(symbolizer, i);
    }
    symbolizer_free(symbolizer);
}

/* Returns a profile with one object, whose file is the input. */
static struct profile *begin(enum profile_object_kind kind, const uint8_t *data, size_t size)
{
    struct profile_object object = {
        .kind = kind, .end = UINT64_MAX, .fd = memfd_create("input", MFD_CLOEXEC)};
    struct profile *profile = profile_new();
    uint32_t index;

    if (object.fd < 0 || profile == NULL || write(object.fd, data, size) != (ssize_t)size)
        abort();
    need(profile_string(profile, "/input", &object.path));
    need(profile_object(profile, &object, &index));
    return profile;
}

/* The file may say that it has a Python interpreter. */
static void find_interpreter(int fd)
{
    struct script_interpreter interpreter;
    uint64_t address;

    if (!script_find_interpreter(fd, "/usr/bin/python3", &interpreter))
        return;
    if (interpreter.version >> 24 != 3 || interpreter.segment_count > SCRIPT_SEGMENTS_MAX)
        abort();
    for (unsigned i = 0; i < interpreter.segment_count; i++)
        script_runtime_address(&interpreter, 0x400000, interpreter.segments[i].offset, &address);
}

void fuzz_elf(const uint8_t *data, size_t size)
{
    struct profile *profile = begin(PROFILE_OBJECT_FILE, data, size);
    uint32_t object = profile->object_count - 1;

    add_places_of_file(profile, object, profile->objects[object].fd, size);
    leak_check_status(profile->objects[object].fd);
    find_interpreter(profile->objects[object].fd);
    look_up(profile);
    profile_free(profile);
}

/* Reads the frame descriptions in a file of JIT code, and those of the code at all addresses of the profile. */
static void find_frames(const struct profile *profile, const struct profile_object *object)
{
    const struct jit_owner owner = jit_owner_of(profile, object);
    struct jit_frames *frames = jit_frames_open(object->fd, &owner);
    unsigned char *bytes = malloc(JIT_FRAMES_SIZE_MAX);
    uint64_t start;

    if (frames != NULL && bytes != NULL) {
        need(jit_frames_read_on(frames) < 0);
        for (uint32_t i = 0; i < profile->location_count; i++) {
            uint64_t address = profile->locations[i].address;
            if (jit_frames_find(frames, address, &start, bytes) > 0 && start > address)
                abort();
        }
    }
    free(bytes);
    jit_frames_close(frames);
}

void fuzz_jit(const uint8_t *data, size_t size)
{
    struct profile *profile = begin(PROFILE_OBJECT_ANON, data, size);

    add_places_of_list(profile, profile->object_count - 1, data, size);
    find_frames(profile, &profile->objects[profile->object_count - 1]);
    look_up(profile);
    profile_free(profile);
}

void fuzz_symbol_name(const uint8_t *data, size_t size)
{
    char *name = strndup((const char *)data, size);

    if (name == NULL)
        abort();
    char *plain = demangle(name);
    if (plain != NULL && plain[0] == '\0')
        abort();
    free(plain);
    free(name);
}
