/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tests of lib/symbol share these functions. Each test compiles its files when it runs. Without a compiler it is
 * skipped.
 */
#ifndef PPROFIL_TEST_SYMBOL_FIXTURE_H
#define PPROFIL_TEST_SYMBOL_FIXTURE_H

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "symbol/function-code.h"
#include "symbol/symbol.h"
#include "test-directory.h"

#define UNUSED __attribute__((unused)) /* not every file uses all functions of this header */

/* Returns the first hexadecimal number that a command prints. */
UNUSED static uint64_t number_from(const char *format, ...)
{
    char command[512], line[256] = "";
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    FILE *output = popen(command, "r");
    cr_assert_not_null(fgets(line, sizeof line, output), "%s", command);
    pclose(output);
    return strtoull(line, NULL, 16);
}

/* Writes prog.c, the source of a program with two functions, into a new directory. Skips the test if a tool is
 * missing. */
UNUSED static void make_program(void)
{
    if (!have("gcc") || !have("objcopy") || !have("objdump") || !have("strip") || !have("nm"))
        cr_skip_test("no compiler here");
    enter_directory();
    write_file("prog.c", "volatile int x;\n"
                         "__attribute__((noinline)) static int quiet_one(int a) { return a * x + 3; }\n"
                         "__attribute__((noinline)) int loud_one(int a) { return quiet_one(a) + x * 5; }\n"
                         "int main(void) { return loud_one(x); }\n");
}

/* --- what binutils say ---------------------------------------------------------------------- */

/* address_of and offset_of return the address and the file offset of a symbol. They use nm and readelf, not our
 * code. */
UNUSED static uint64_t address_of(const char *file, const char *symbol)
{
    char command[256], line[256];
    uint64_t address = 0;

    snprintf(command, sizeof command, "nm %s | awk '$3==\"%s\"{print $1}'", file, symbol);
    FILE *output = popen(command, "r");
    if (fgets(line, sizeof line, output) != NULL)
        address = strtoull(line, NULL, 16);
    pclose(output);
    cr_assert_neq(address, 0);
    return address;
}

UNUSED static uint64_t offset_of(const char *file, const char *symbol)
{
    uint64_t address = address_of(file, symbol), offset, vaddr, size;
    char command[256], line[256];

    snprintf(command, sizeof command, "readelf -lW %s | awk '$1==\"LOAD\"{print $2,$3,$5}'", file);
    FILE *output = popen(command, "r");
    uint64_t result = 0;
    while (fgets(line, sizeof line, output) != NULL)
        if (sscanf(line, "%lx %lx %lx", &offset, &vaddr, &size) == 3 && address >= vaddr && address < vaddr + size)
            result = address - vaddr + offset;
    pclose(output);
    return result;
}

UNUSED static uint64_t section_offset(const char *file, const char *section)
{
    return number_from("readelf -SW %s | sed -n 's/^ *\\[ *[0-9]*\\] %s  *[A-Z]* *[0-9a-f]* "
                       "\\([0-9a-f]*\\).*/\\1/p'",
                       file, section);
}

/* --- a look-up ------------------------------------------------------------------------------ */

struct answer {
    char name[256], system_name[256], file[256];
    uint32_t line, defined;
    const char *problem; /* valid until the next look-up */
};

static char problem_text[256];

UNUSED static struct answer look_up_in(struct profile_object *object, const char *path, uint64_t address)
{
    struct profile *profile = profile_new();
    struct symbolizer *symbolizer = symbolizer_new(profile);
    struct answer answer = {0};
    uint32_t index, location;

    object->kind = object->kind ? object->kind : PROFILE_OBJECT_FILE;
    cr_assert_eq(profile_string(profile, path, &object->path), 0);
    cr_assert_eq(profile_object(profile, object, &index), 0);
    cr_assert_eq(profile_location(profile, index, address, &location), 0);
    cr_assert_eq(symbolizer_look_up(symbolizer, location, PROFILE_LOOKED_LINE), 0);
    cr_assert_eq(symbolizer_define(symbolizer, location), 0);
    const struct profile_line *line = &profile->locations[location].lines[0];
    snprintf(answer.name, sizeof answer.name, "%s", profile->strings[profile->functions[line->function].name]);
    snprintf(answer.system_name, sizeof answer.system_name, "%s",
             profile->strings[profile->functions[line->function].system_name]);
    snprintf(answer.file, sizeof answer.file, "%s", profile->strings[line->file]);
    answer.line = line->line;
    answer.defined = profile->functions[line->function].line;
    const char *problem = symbolizer_problem(symbolizer, index);
    if (problem != NULL) /* the text is borrowed, so it is copied */
        snprintf(problem_text, sizeof problem_text, "%s", problem);
    answer.problem = problem == NULL ? NULL : problem_text;
    symbolizer_free(symbolizer);
    object->fd = -1;
    profile_free(profile);
    return answer;
}

UNUSED static struct answer look_up(const char *name, uint64_t address)
{
    struct profile_object object = {.fd = -1};
    char path[256];

    snprintf(path, sizeof path, "%s%s%s", name[0] == '/' ? "" : directory, name[0] == '/' ? "" : "/", name);
    return look_up_in(&object, path, address);
}

UNUSED static void expect_both(const char *file, const char *with_symbols, bool lines)
{
    struct answer quiet = look_up(file, offset_of(with_symbols, "quiet_one") + 2);
    struct answer loud = look_up(file, offset_of(with_symbols, "loud_one") + 2);

    cr_expect_str_eq(quiet.name, "quiet_one", "%s: %s", file, quiet.name);
    cr_expect_str_eq(loud.name, "loud_one", "%s: %s", file, loud.name);
    if (lines) {
        cr_expect_eq(quiet.line, 2, "%s: %u", file, quiet.line);
        cr_expect_eq(loud.defined, 3, "%s: %u", file, loud.defined);
        cr_expect_not_null(strstr(quiet.file, "/prog.c"));
    }
    cr_expect_null(loud.problem);
}

/* --- the code of a function ------------------------------------------------------------------ */

struct reading {
    struct profile *profile;
    struct symbolizer *symbolizer;
    struct symbol_code *code;
    int error;
    const char *problem;
};

UNUSED static struct reading read_object(struct profile_object *object, const char *path, uint64_t place)
{
    struct reading reading = {.profile = profile_new()};
    uint32_t index, location;

    reading.symbolizer = symbolizer_new(reading.profile);
    cr_assert_eq(profile_string(reading.profile, path, &object->path), 0);
    cr_assert_eq(profile_object(reading.profile, object, &index), 0);
    cr_assert_eq(profile_location(reading.profile, index, place, &location), 0);
    reading.error = symbolizer_code(reading.symbolizer, location, &reading.code, &reading.problem);
    cr_assert_eq(reading.error == 0, reading.code != NULL);
    cr_assert_eq(reading.error == PPROFIL_ERROR_NO_CODE, reading.problem != NULL);
    return reading;
}

UNUSED static struct reading read_file(const char *path, uint64_t place)
{
    struct profile_object object = {.kind = PROFILE_OBJECT_FILE, .fd = -1};
    char absolute[256];

    snprintf(absolute, sizeof absolute, "%s%s%s", path[0] == '/' ? "" : directory, path[0] == '/' ? "" : "/", path);
    return read_object(&object, absolute, place);
}

UNUSED static void end_reading(struct reading *reading)
{
    symbol_code_free(reading->code);
    symbolizer_free(reading->symbolizer);
    profile_free(reading->profile);
}

UNUSED static uint64_t end_of(const struct symbol_code *code)
{
    const struct symbol_instruction *last = &code->instructions[code->instruction_count - 1];

    return last->address + last->size;
}

/* Expects that the instructions follow each other without gaps, in memory and in the file, and that each has a text. */
UNUSED static void expect_whole(const struct symbol_code *code)
{
    cr_assert_not_null(code);
    cr_assert_gt(code->instruction_count, 0);
    cr_assert_str_eq(code->files[0], "");
    for (uint32_t i = 0; i < code->instruction_count; i++) {
        const struct symbol_instruction *at = &code->instructions[i];
        cr_assert_gt(at->size, 0);
        cr_assert_gt(strlen(at->text), 0);
        cr_assert_lt(at->file, code->file_count);
        cr_assert_eq(at->file == 0, at->line == 0);
        if (i > 0) {
            cr_assert_eq(at->address, at[-1].address + at[-1].size);
            cr_assert_eq(at->place, at[-1].place + at[-1].size);
        }
    }
}

UNUSED static const struct symbol_instruction *find_place(const struct symbol_code *code, uint64_t place)
{
    for (uint32_t i = 0; i < code->instruction_count; i++)
        if (code->instructions[i].place == place)
            return &code->instructions[i];
    return NULL;
}

UNUSED static bool has_text(const struct symbol_code *code, const char *text)
{
    for (uint32_t i = 0; i < code->instruction_count; i++)
        if (strstr(code->instructions[i].text, text) != NULL)
            return true;
    return false;
}

UNUSED static bool has_line(const struct symbol_code *code, const char *file, int line)
{
    for (uint32_t i = 0; i < code->instruction_count; i++)
        if (code->instructions[i].line == (uint32_t)line &&
            strstr(code->files[code->instructions[i].file], file) != NULL)
            return true;
    return false;
}

/* Reads a symbol from the file's own table, and returns the offset of its code in the file. */
UNUSED static uint64_t find_symbol(const char *path, const char *name, struct symbol *symbol)
{
    struct symbol_table table;
    struct symbol_text text;
    uint64_t offset = 0;
    int fd = open(path, O_RDONLY);

    cr_assert_eq(symbol_text_of_file(fd, path, &text), 0);
    cr_assert_eq(symbol_table_read(fd, &table), 0);
    close(fd);
    for (size_t i = 0; i < table.count; i++)
        if (strcmp(table.symbols[i].name, name) == 0) {
            *symbol = table.symbols[i];
            cr_assert(symbol_text_offset(&text, symbol->address, &offset));
        }
    symbol_table_clear(&table);
    return offset;
}

UNUSED static void need_disassembler(void)
{
#ifndef HAVE_CAPSTONE
    cr_skip_test("built without libcapstone");
#endif
}

/* Expects that the instructions begin at the addresses that objdump prints. */
UNUSED static void expect_as_objdump(const char *objdump, const char *path, const struct symbol_code *code)
{
    char command[512], line[1024];
    uint32_t i = 0;

    expect_whole(code);
    snprintf(command, sizeof command, "%s -d -w --no-show-raw-insn --start-address=%#lx --stop-address=%#lx %s",
             objdump, (unsigned long)code->instructions[0].address, (unsigned long)end_of(code), path);
    FILE *output = popen(command, "r");
    while (fgets(line, sizeof line, output) != NULL) {
        char *end;
        uint64_t address = strtoull(line, &end, 16);
        if (line[0] != ' ' || *end != ':')
            continue;
        cr_assert_lt(i, code->instruction_count, "%s: objdump has more: %s", path, line);
        cr_assert_eq(code->instructions[i].address, address, "%s: %lx %s, but %s", path,
                     (unsigned long)code->instructions[i].address, code->instructions[i].text, line);
        i++;
    }
    pclose(output);
    cr_assert_eq(i, code->instruction_count);
}

#endif
