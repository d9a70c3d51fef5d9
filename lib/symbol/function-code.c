/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A function's code, for people to read: its bytes are taken from the file that was mapped, not
 * from the memory of anybody, so a target is not touched.
 *
 * Where it begins and ends is what the symbol table says, else the unwind table; code that
 * neither knows is shown some way around the location. Whatever a file claims, no more is read
 * than FUNCTION_SIZE_MAX bytes and INSTRUCTIONS_MAX instructions, and the location is always among them.
 */
#include "config.h"

#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/utf8.h"
#include "symbol/demangle.h"
#include "symbol/disassemble.h"
#include "symbol/function-code.h"
#include "symbol/symbolizer-internal.h"

#define FUNCTION_SIZE_MAX (UINT64_C(1) << 20) /* bytes of a function */
#define INSTRUCTIONS_MAX 65536u                 /* instructions of it */
#define AROUND UINT64_C(2048)       /* bytes before and after a location in unknown code */
#define FILES_MAX 1024u            /* that lines are in; the rest is as if not known */
#define INLINED_MAX 1024u          /* functions that are named; the rest likewise */
#define PAINTED_MAX (UINT64_C(1) << 22) /* instructions of inlined functions, all nested ones */
#define NAME_SIZE_MAX 256            /* of a target, with its NUL; a hostile file has longer ones */

/* What a path was made of, so that most lines need no path to be made. */
struct file_key {
    const char *directory, *file; /* borrowed */
};

/* Addresses here are those of elf-object. */
struct reader {
    struct elf_object *elf; /* borrowed */
    struct elf_segment segment;
    uint64_t address;    /* of the location */
    uint64_t start, end; /* of the code to read */
    bool stretch;        /* it begins anywhere, perhaps inside an instruction */
    uint64_t shift;      /* from addresses as linked to ours */
    struct disassembler *disassembler;
    struct symbol_code *code;
    const struct elf_symbol *named; /* the symbol that name is of */
    char name[NAME_SIZE_MAX];
    struct file_key *keys; /* of code->files */
    const char **inlined;  /* the borrowed names that code->inlined are made of */
};

/* --- where it is --------------------------------------------------------------------- */

static uint64_t code_add(uint64_t a, uint64_t b)
{
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

static void find_function(struct reader *reader)
{
    const struct elf_symbol *symbol = elf_object_symbol(reader->elf, reader->address);

    if (symbol != NULL) {
        reader->start = symbol->start;
        reader->end = code_add(symbol->start, symbol->size);
        return;
    }
    if (elf_object_function(reader->elf, reader->address, &reader->start, &reader->end)) {
        if (reader->end == UINT64_MAX)
            reader->end = code_add(reader->address, AROUND);
        return;
    }
    reader->stretch = true;
    reader->start = reader->address > AROUND ? reader->address - AROUND : 0;
    reader->end = code_add(reader->address, AROUND);
    elf_object_narrow(reader->elf, reader->address, &reader->start, &reader->end);
}

/* To what is in the file, and is not too much of it. */
static void clamp(struct reader *reader)
{
    const struct elf_segment *segment = &reader->segment;

    if (reader->start < segment->address)
        reader->start = segment->address;
    if (reader->end > segment->address + segment->size)
        reader->end = segment->address + segment->size;
    if (reader->address - reader->start >= FUNCTION_SIZE_MAX)
        reader->start = reader->address;
    if (reader->end - reader->start > FUNCTION_SIZE_MAX)
        reader->end = reader->start + FUNCTION_SIZE_MAX;
}

static int find_code(struct reader *reader, uint64_t offset, const char **problem)
{
    const struct elf_segment *segment = &reader->segment;

    if (!elf_object_segment(reader->elf, offset, &reader->segment)) {
        *problem = "nothing is loaded from this place of the file";
        return PPROFIL_ERROR_NO_CODE;
    }
    if (offset - segment->offset >= segment->size) {
        *problem = "the file is cut off before this code";
        return PPROFIL_ERROR_NO_CODE;
    }
    reader->address = segment->address + (offset - segment->offset);
    reader->shift = reader->address - elf_object_linked(reader->elf, reader->address);
    find_function(reader);
    clamp(reader);
    return 0;
}

static unsigned machine_of(const struct elf_object *elf)
{
    GElf_Ehdr header;

    return gelf_getehdr(elf_object_elf(elf), &header) != NULL ? header.e_machine : EM_NONE;
}

/* --- instructions -------------------------------------------------------------------- */

/* "realpath@@GLIBC_2.3" is realpath. */
static void take_name(struct reader *reader, const struct elf_symbol *symbol)
{
    size_t length = strcspn(symbol->name, "@");
    char *name = length > 0 ? strndup(symbol->name, length) : strdup(symbol->name);
    char *plain = name != NULL ? demangle(name) : NULL;

    int needed = snprintf(reader->name, sizeof reader->name, "%s",
                          plain  ? plain
                          : name ? name
                                 : "?");
    if (needed >= (int)sizeof reader->name)
        strcpy(reader->name + sizeof reader->name - 4, "...");
    utf8_make_harmless(reader->name, "");
    reader->named = symbol;
    free(plain);
    free(name);
}

/* "<name+0x10>", or "" */
static void name_target(struct reader *reader, uint64_t target, char *text, size_t size)
{
    const struct elf_symbol *symbol = elf_object_symbol(reader->elf, target + reader->shift);

    text[0] = '\0';
    if (symbol == NULL)
        return;
    if (symbol != reader->named)
        take_name(reader, symbol);
    uint64_t into = target + reader->shift - symbol->start;
    if (into == 0)
        snprintf(text, size, " <%s>", reader->name);
    else
        snprintf(text, size, " <%s+0x%" PRIx64 ">", reader->name, into);
}

static int make_text(struct reader *reader, const struct disassembled *found, char **text)
{
    const char *problem = disassembler_problem(reader->disassembler);
    char note[NAME_SIZE_MAX + 32] = "";
    int length;

    if (found->has_target)
        name_target(reader, found->target, note, sizeof note);
    if (problem != NULL && reader->code->instruction_count == 0)
        length = asprintf(text, "%s  # %s", found->text, problem);
    else
        length = asprintf(text, "%s%s", found->text, note);
    return length < 0 ? -ENOMEM : 0;
}

static int add_instruction(struct reader *reader, uint64_t address,
                           const struct disassembled *found)
{
    struct symbol_code *code = reader->code;

    int error =
        array_grow(&code->instructions, code->instruction_count, sizeof *code->instructions);
    if (error != 0)
        return error;
    struct symbol_instruction *instruction = &code->instructions[code->instruction_count];
    *instruction = (struct symbol_instruction){.address = address - reader->shift,
                                               .place = reader->segment.offset +
                                                        (address - reader->segment.address),
                                               .size = found->size,
                                               .target = found->has_target ? found->target : 0};
    error = make_text(reader, found, &instruction->text);
    if (error == 0)
        code->instruction_count++;
    return error;
}

static int read_between(struct reader *reader, uint64_t from, uint64_t to)
{
    struct disassembled found;
    int error = 0;

    while (error == 0 && from < to && reader->code->instruction_count < INSTRUCTIONS_MAX) {
        disassemble(reader->disassembler, reader->segment.bytes + (from - reader->segment.address),
                    to - from, from - reader->shift, &found);
        error = add_instruction(reader, from, &found);
        from += found.size;
    }
    return error;
}

static void forget_instructions(struct symbol_code *code)
{
    for (uint32_t i = 0; i < code->instruction_count; i++)
        free(code->instructions[i].text);
    code->instruction_count = 0;
}

static int read_instructions(struct reader *reader)
{
    struct symbol_code *code = reader->code;
    int error = 0;

    if (reader->stretch) { /* where the location is, an instruction begins */
        error = read_between(reader, reader->start, reader->address);
        return error == 0 ? read_between(reader, reader->address, reader->end) : error;
    }
    error = read_between(reader, reader->start, reader->end);
    if (error != 0 || code->instruction_count < INSTRUCTIONS_MAX)
        return error;
    const struct symbol_instruction *last = &code->instructions[code->instruction_count - 1];
    if (reader->address - reader->shift < last->address + last->size)
        return 0;
    forget_instructions(code);
    return read_between(reader, reader->address, reader->end);
}

/* --- lines --------------------------------------------------------------------------- */

/* Paths of different units may be the same, and are one then. */
static uint32_t find_path(const struct symbol_code *code, const char *path)
{
    uint32_t i = 0;

    while (i < code->file_count && strcmp(code->files[i], path) != 0)
        i++;
    return i;
}

static int add_file(struct reader *reader, const struct elf_line *line, uint32_t *file)
{
    struct symbol_code *code = reader->code;
    char path[PATH_MAX];

    elf_line_path(line, path, sizeof path);
    *file = find_path(code, path);
    if (*file < code->file_count || *file == FILES_MAX) {
        *file = *file == FILES_MAX ? 0 : *file;
        return 0;
    }
    code->files[*file] = strdup(path);
    if (code->files[*file] == NULL)
        return -ENOMEM;
    reader->keys[*file] = (struct file_key){line->directory, line->file};
    code->file_count++;
    return 0;
}

static int find_file(struct reader *reader, const struct elf_line *line, uint32_t *file)
{
    for (uint32_t i = reader->code->file_count; i-- > 1;) {
        const struct file_key *key = &reader->keys[i];
        if (key->file == line->file && key->directory == line->directory) {
            *file = i;
            return 0;
        }
    }
    return add_file(reader, line, file);
}

static int make_files(struct reader *reader)
{
    struct symbol_code *code = reader->code;

    code->files = calloc(FILES_MAX, sizeof *code->files);
    reader->keys = calloc(FILES_MAX, sizeof *reader->keys);
    if (code->files == NULL || reader->keys == NULL)
        return -ENOMEM;
    code->files[0] = strdup("");
    if (code->files[0] == NULL)
        return -ENOMEM;
    code->file_count = 1;
    return 0;
}

static int read_lines(struct reader *reader)
{
    struct symbol_code *code = reader->code;
    int error = make_files(reader);

    for (uint32_t i = 0; error == 0 && i < code->instruction_count; i++) {
        struct symbol_instruction *instruction = &code->instructions[i];
        struct elf_line line;
        if (!elf_object_line(reader->elf, instruction->address + reader->shift, &line) ||
            line.number == 0)
            continue;
        error = find_file(reader, &line, &instruction->file);
        if (instruction->file != 0)
            instruction->line = line.number;
    }
    return error;
}

/* --- inlined functions ---------------------------------------------------------------- */

/* The first instruction that begins at an address or after it. */
static uint32_t find_instruction(const struct reader *reader, uint64_t address)
{
    uint32_t low = 0, high = reader->code->instruction_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (reader->code->instructions[middle].address + reader->shift < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* One function inlined often has one name, in one place of the file. */
static int find_inlined(struct reader *reader, const char *name, uint32_t *inlined)
{
    struct symbol_code *code = reader->code;

    for (*inlined = code->inlined_count - 1; *inlined > 0; --*inlined)
        if (reader->inlined[*inlined] == name)
            return 0;
    if (code->inlined_count == INLINED_MAX)
        return 0;
    char *plain = demangle(name);
    if (plain == NULL && (plain = strdup(name)) == NULL)
        return -ENOMEM;
    utf8_make_harmless(plain, "");
    *inlined = code->inlined_count++;
    code->inlined[*inlined] = plain;
    reader->inlined[*inlined] = name;
    return 0;
}

/* Outer ones come first, and inner ones over them. */
static int paint_inlined(struct reader *reader, struct elf_inlined *stretches, uint32_t count)
{
    struct symbol_code *code = reader->code;
    uint64_t budget = PAINTED_MAX;
    struct elf_origin *origin;
    uint32_t inlined = 0;
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < count; i++) {
        error = elf_object_inlined_origin(reader->elf, &stretches[i], &origin);
        if (error == 0)
            error = find_inlined(reader, origin->name, &inlined);
        for (uint32_t at = find_instruction(reader, stretches[i].start);
             error == 0 && at < code->instruction_count && budget > 0 &&
             code->instructions[at].address + reader->shift < stretches[i].end;
             at++, budget--)
            code->instructions[at].inlined = inlined;
    }
    return error;
}

static int read_inlined(struct reader *reader)
{
    struct symbol_code *code = reader->code;
    struct elf_inlined *stretches = NULL;
    uint32_t count = 0;
    int error = elf_object_inlined(reader->elf, reader->address, &stretches, &count);

    if (error == 0) {
        reader->inlined = calloc(INLINED_MAX, sizeof *reader->inlined);
        code->inlined = calloc(INLINED_MAX, sizeof *code->inlined);
        if (reader->inlined != NULL && code->inlined != NULL)
            code->inlined[0] = strdup("");
        if (reader->inlined == NULL || code->inlined == NULL || code->inlined[0] == NULL)
            error = -ENOMEM;
    }
    if (error == 0) {
        code->inlined_count = 1;
        error = paint_inlined(reader, stretches, count);
    }
    return error;
}

/* --- all ----------------------------------------------------------------------------- */

static int read_code(struct reader *reader, uint32_t object)
{
    reader->code = calloc(1, sizeof *reader->code);
    reader->disassembler = disassembler_open(machine_of(reader->elf));
    int error = -ENOMEM;

    if (reader->code != NULL && reader->disassembler != NULL) {
        reader->code->object = object;
        reader->code->written_ns = elf_object_written(reader->elf);
        error = read_instructions(reader);
    }
    if (error == 0)
        error = read_lines(reader);
    return error == 0 ? read_inlined(reader) : error;
}

int symbolizer_code(struct symbolizer *symbolizer, uint32_t location, struct symbol_code **code,
                    const char **problem)
{
    const struct profile_location *place = &symbolizer_profile(symbolizer)->locations[location];
    struct reader reader = {0};

    *code = NULL;
    *problem = NULL;
    int error = symbolizer_elf(symbolizer, location, &reader.elf, problem);
    if (error == 0)
        error = find_code(&reader, place->address, problem);
    if (error == 0)
        error = read_code(&reader, place->object);
    if (error == 0) {
        *code = reader.code;
        reader.code = NULL;
    }
    disassembler_close(reader.disassembler);
    symbol_code_free(reader.code);
    free(reader.keys);
    free(reader.inlined);
    return error;
}

void symbol_code_free(struct symbol_code *code)
{
    if (code == NULL)
        return;
    forget_instructions(code);
    free(code->instructions);
    for (uint32_t i = 0; i < code->file_count; i++)
        free(code->files[i]);
    free(code->files);
    for (uint32_t i = 0; i < code->inlined_count; i++)
        free(code->inlined[i]);
    free(code->inlined);
    free(code);
}
