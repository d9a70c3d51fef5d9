/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Decodes the line tables of CPython's code objects. There are three formats:
 *   3.8, 3.9  co_lnotab: Objects/lnotab_notes.txt of these versions
 *   3.10      co_linetable: PEP 626, and Objects/lnotab_notes.txt
 *   3.11 on   co_linetable: PEP 657, and Objects/locations.md (InternalDocs/code_objects.md)
 *
 * A table comes from the memory of a target, so it may contain anything.
 */
#include "config.h"

#include "script/script.h"

struct table_reader {
    const uint8_t *at, *end;
};

static uint8_t table_byte(struct table_reader *reader)
{
    return reader->at < reader->end ? *reader->at++ : 0;
}

/* Each pair of bytes is a step: how many bytes of code, and how many lines. */
static uint32_t lnotab_line(struct table_reader *table, uint32_t first_line, uint32_t instruction)
{
    uint32_t line = first_line, address = 0;

    while (table->end - table->at >= 2) {
        address += table_byte(table);
        if (address > instruction)
            break;
        line = (uint32_t)((int64_t)line + (int8_t)table_byte(table));
    }
    return line;
}

/* Each pair of bytes is a range of code: its size, and how many lines after the line of the range before it. -128: the
 * range belongs to no line. */
static uint32_t ranges_line(struct table_reader *table, uint32_t first_line, uint32_t instruction)
{
    uint32_t line = first_line, end = 0;

    while (table->end - table->at >= 2) {
        end += table_byte(table);
        int8_t lines = (int8_t)table_byte(table);
        if (lines != -128)
            line = (uint32_t)((int64_t)line + lines);
        if (instruction < end)
            return lines == -128 ? 0 : line;
    }
    return 0;
}

/* --- 3.11 and later --------------------------------------------------------------------------------- */

#define ENTRY_MARK 0x80 /* set in the first byte of each entry only */
#define UNIT 2u         /* size of a code unit, bytes */

enum entry_kind { /* _PyCodeLocationInfoKind of pycore_code.h */
                  ENTRY_SHORT_LAST = 9,
                  ENTRY_ONE_LINE = 10,
                  ENTRY_ONE_LINE_LAST = 12,
                  ENTRY_NO_COLUMNS = 13,
                  ENTRY_LONG = 14,
                  ENTRY_NONE = 15,
};

/* Reads a number of several bytes. Each has six bits of it, the lowest first; a set bit 6 means that more follow. */
static uint32_t table_number(struct table_reader *table)
{
    uint32_t number = 0;

    for (unsigned shift = 0; table->at < table->end; shift += 6) {
        uint8_t byte = table_byte(table);
        if (shift < 32)
            number |= (uint32_t)(byte & 63) << shift;
        if ((byte & 64) == 0)
            break;
    }
    return number;
}

/* Reads a number whose lowest bit is the sign. */
static uint32_t table_signed(struct table_reader *table)
{
    uint32_t number = table_number(table);

    return (number & 1) != 0 ? 0u - (number >> 1) : number >> 1;
}

/* Each entry is a range of code: its size, and how many lines after the range before it. Columns are skipped: they are
 * in bytes without ENTRY_MARK. */
static uint32_t entries_line(struct table_reader *table, uint32_t first_line, uint32_t instruction)
{
    uint32_t line = first_line, end = 0;

    while (table->at < table->end) {
        uint8_t first = table_byte(table);
        unsigned kind = first >> 3 & 15;
        end += ((first & 7u) + 1) * UNIT;
        if (kind == ENTRY_LONG || kind == ENTRY_NO_COLUMNS)
            line += table_signed(table);
        else if (kind >= ENTRY_ONE_LINE && kind <= ENTRY_ONE_LINE_LAST)
            line += kind - ENTRY_ONE_LINE;
        if (instruction < end)
            return kind == ENTRY_NONE ? 0 : line;
        while (table->at < table->end && (*table->at & ENTRY_MARK) == 0)
            table->at++;
    }
    return 0;
}

uint32_t script_line(uint32_t version, const uint8_t *table, uint32_t size, uint32_t first_line, uint32_t instruction)
{
    struct table_reader reader = {table, table + size};
    unsigned minor = version >> 16 & 0xff;

    if (instruction == WIRE_PYTHON_NO_INSTRUCTION)
        return first_line;
    if (minor < 10)
        return lnotab_line(&reader, first_line, instruction);
    return minor == 10 ? ranges_line(&reader, first_line, instruction) : entries_line(&reader, first_line, instruction);
}
