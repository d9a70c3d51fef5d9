/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads and disassembles the code of a function, for people to read. The bytes come from the file
 * that was mapped, not from the memory of a process, so a target is not touched.
 *
 * The bounds of the function come from the symbol table, or else from the unwind table. If neither has the function, up
 * to AROUND bytes before and after the location are shown. Whatever a file claims, no more than FUNCTION_SIZE_MAX bytes
 * and INSTRUCTIONS_MAX instructions are read, and the location is always among them.
 */
#include "config.h"

#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/utf8.h"
#include "symbol/function-code.h"
#include "symbol/symbol-internal.h"

#define FUNCTION_SIZE_MAX (UINT64_C(1) << 20) /* largest part of a function that is shown, in bytes */
#define INSTRUCTIONS_MAX 65536u               /* largest part of a function that is shown, in instructions */
/* If no function is known at a location, this many bytes before it and after it are shown. */
#define AROUND UINT64_C(2048)
/* Bytes of the name of a call's target, with its NUL; longer names are cut. */
#define NAME_SIZE_MAX 256

/* A function's code while it is being read. The addresses are those that elf_object_address returns. */
struct code_reader {
    struct elf_object *elf; /* borrowed */
    struct elf_segment segment;
    uint64_t address;    /* address of the location */
    uint64_t start, end; /* address range of the code to read */
    /* no function is known, so the address `start` may be inside an instruction */
    bool unbounded;
    uint64_t shift; /* an address in `elf` is higher by this than its link-time address */
    struct disassembler *disassembler;
    struct symbol_code *code;
    const struct elf_symbol *named; /* the symbol whose name is in the field `name` */
    char name[NAME_SIZE_MAX];
};

/* --- where the code is ----------------------------------------------------------------- */

static uint64_t add_saturated(uint64_t a, uint64_t b)
{
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

static void find_function(struct code_reader *reader)
{
    const struct elf_symbol *symbol = elf_object_symbol(reader->elf, reader->address);

    if (symbol != NULL) {
        reader->start = symbol->start;
        reader->end = add_saturated(symbol->start, symbol->size);
        return;
    }
    if (elf_object_function(reader->elf, reader->address, &reader->start, &reader->end)) {
        if (reader->end == UINT64_MAX)
            reader->end = add_saturated(reader->address, AROUND);
        return;
    }
    reader->unbounded = true;
    reader->start = reader->address > AROUND ? reader->address - AROUND : 0;
    reader->end = add_saturated(reader->address, AROUND);
    elf_object_narrow(reader->elf, reader->address, &reader->start, &reader->end);
}

/* Shortens the range of code to what is in the file, and to FUNCTION_SIZE_MAX bytes. */
static void limit_code(struct code_reader *reader)
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

static int find_code(struct code_reader *reader, uint64_t offset, const char **problem)
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
    limit_code(reader);
    return 0;
}

static unsigned machine_of(const struct elf_object *elf)
{
    GElf_Ehdr header;

    return gelf_getehdr(elf_object_elf(elf), &header) != NULL ? header.e_machine : EM_NONE;
}

/* --- instructions -------------------------------------------------------------------- */

/* Sets reader->name to the name of a symbol: demangled, without its version, and cut if it is long. */
static void take_name(struct code_reader *reader, const struct elf_symbol *symbol)
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

/* Writes " <name+0x10>" for the target of a jump or call, or "" if no symbol is there. */
static void name_target(struct code_reader *reader, uint64_t target, char *text, size_t size)
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

static int make_text(struct code_reader *reader, const struct disassembled *found, char **text)
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

static int add_instruction(struct code_reader *reader, uint64_t address, const struct disassembled *found)
{
    struct symbol_code *code = reader->code;

    int error = array_grow(&code->instructions, code->instruction_count, sizeof *code->instructions);
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

static int read_between(struct code_reader *reader, uint64_t from, uint64_t to)
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

static int read_instructions(struct code_reader *reader)
{
    struct symbol_code *code = reader->code;
    int error = 0;

    /* no start of an instruction is known, so the location is assumed to be one */
    if (reader->unbounded) {
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

/* --- the whole function ----------------------------------------------------------------- */

static int read_code(struct code_reader *reader, uint32_t object)
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
        error = function_lines_read(reader->elf, reader->shift, reader->code);
    if (error == 0)
        error = function_inlined_read(reader->elf, reader->shift, reader->address, reader->code);
    return error;
}

int symbolizer_code(struct symbolizer *symbolizer, uint32_t location, struct symbol_code **code, const char **problem)
{
    const struct profile_location *place = &symbolizer->profile->locations[location];
    struct code_reader reader = {0};

    *code = NULL;
    *problem = NULL;
    if (symbolizer->profile->objects[place->object].invented && !profile_is_kernel(symbolizer->profile, place->object))
        return named_code_make(symbolizer->profile, location, code);
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
