/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads the table: its header, its functions, and values by address.
 *
 * After the header come several parts: names, files by compilation unit, paths, values, and functions. The last one
 * begins with an index (address, offset of the entry), which is sorted by address, and ends with the address after the
 * last function. Before Go 1.16, offsets count from the start of the table, and an index of the paths follows that of
 * the functions.
 *
 * A value by address is a sequence of pairs of numbers: by how much the value changes, and for how much code it then
 * holds (runtime.step). Both are LEB128, the first one in zigzag order.
 */
#include "config.h"

#include <string.h>

#include "pclntab/pclntab-internal.h"

#define HEADER_SIZE 8u /* bytes before the first word: magic, two zeros, quantum, size of a word */
/* Largest number of ranges of one function that are read. Functions of real programs have some ten thousand. */
#define STEPS_MAX (1u << 20)
#define FRAME_SIZE_MAX (1 << 30) /* bytes; Go's stacks end at 1 GiB (runtime.maxstacksize) */

/* The magic numbers are those of internal/abi/symtab.go. inline_funcdata is 4 from Go 1.12, and 3 from Go 1.16 on. */
static const struct pclntab_version versions[] = {
    {.magic = 0xfffffffb, .inline_funcdata = 4}, /* Go 1.2 */
    {.magic = 0xfffffffa, .has_units = true, .inline_funcdata = 3},
    {.magic = 0xfffffff0, .relative = true, .has_units = true, .inline_funcdata = 3},                    /* 1.18 */
    {.magic = 0xfffffff1, .relative = true, .has_units = true, .has_lines = true, .inline_funcdata = 3}, /* 1.20 */
};

/* --- numbers and texts -------------------------------------------------------------------------- */

uint64_t pclntab_number(struct pclntab_memory memory, uint64_t offset, size_t size)
{
    uint64_t number = 0;

    /* the file has this machine's byte order: pclntab_open refuses others */
    if (offset <= memory.size && memory.size - offset >= size)
        memcpy(&number, memory.bytes + offset, size);
    return number;
}

struct pclntab_memory pclntab_whole(const struct pclntab *table)
{
    return (struct pclntab_memory){table->bytes, table->size};
}

const char *pclntab_text(const struct pclntab *table, uint64_t offset)
{
    if (offset >= table->size || table->bytes[offset] == '\0')
        return NULL;
    size_t room = table->size - offset < PCLNTAB_TEXT_MAX ? table->size - offset : PCLNTAB_TEXT_MAX;
    return memchr(table->bytes + offset, '\0', room) != NULL ? (const char *)table->bytes + offset : NULL;
}

/* --- the header --------------------------------------------------------------------------------- */

static uint64_t header_word(const struct pclntab *table, unsigned index)
{
    return pclntab_number(pclntab_whole(table), HEADER_SIZE + index * (uint64_t)table->word, table->word);
}

/* Returns how many bytes an address has in the index of functions. The offset after it has as many. */
static size_t index_size(const struct pclntab *table)
{
    return table->version->relative ? 4 : table->word;
}

static bool parts_are_sane(const struct pclntab *table, uint64_t count)
{
    return table->names < table->size && table->units <= table->size && table->files <= table->size &&
           table->values <= table->size && table->functions < table->size && count > 0 &&
           count < (table->size - table->functions) / (2 * index_size(table));
}

bool pclntab_read_header(struct pclntab *table)
{
    uint64_t magic = pclntab_number(pclntab_whole(table), 0, 4);

    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (versions[i].magic == magic)
            table->version = &versions[i];
    if (table->version == NULL || table->size < HEADER_SIZE || table->bytes[4] != 0 || table->bytes[5] != 0)
        return false;
    table->quantum = table->bytes[6];
    table->word = table->bytes[7];
    if ((table->quantum != 1 && table->quantum != 2 && table->quantum != 4) || (table->word != 4 && table->word != 8))
        return false;
    uint64_t count = header_word(table, 0);
    if (table->version->has_units) {
        unsigned first = table->version->relative ? 3 : 2;
        table->text = table->version->relative ? header_word(table, 2) : 0;
        table->names = header_word(table, first);
        table->units = header_word(table, first + 1);
        table->files = header_word(table, first + 2);
        table->values = header_word(table, first + 3);
        table->functions = table->entries = header_word(table, first + 4);
    } else {
        table->functions = HEADER_SIZE + table->word;
        uint64_t files = table->functions + (2 * count + 1) * index_size(table);
        table->files = count < table->size ? pclntab_number(pclntab_whole(table), files, 4) : table->size + 1;
    }
    table->count = (uint32_t)count;
    return count <= UINT32_MAX && parts_are_sane(table, count);
}

/* --- functions ---------------------------------------------------------------------------------- */

uint32_t pclntab_count(const struct pclntab *table)
{
    return table->count;
}

/* Returns the address at which a function begins. index: up to table->count, which has the end of the last one. */
static uint64_t function_start(const struct pclntab *table, uint32_t index)
{
    size_t size = index_size(table);

    return table->text + pclntab_number(pclntab_whole(table), table->functions + 2 * size * (uint64_t)index, size);
}

uint64_t pclntab_field(const struct pclntab *table, const struct pclntab_function *function, unsigned index)
{
    return function->entry + index_size(table) + 4 * (uint64_t)index;
}

unsigned pclntab_field_count(const struct pclntab *table)
{
    return FIELD_PCDATA_COUNT + 2u + (table->version->has_units ? 1u : 0) + (table->version->has_lines ? 1u : 0);
}

static uint64_t function_number(const struct pclntab *table, const struct pclntab_function *function, unsigned index)
{
    return pclntab_number(pclntab_whole(table), pclntab_field(table, function, index), 4);
}

bool pclntab_function(const struct pclntab *table, uint32_t index, struct pclntab_function *function)
{
    size_t size = index_size(table);

    if (index >= table->count)
        return false;
    uint64_t entry = table->entries +
                     pclntab_number(pclntab_whole(table), table->functions + 2 * size * (uint64_t)index + size, size);
    *function = (struct pclntab_function){
        .start = function_start(table, index), .end = function_start(table, index + 1), .entry = (uint32_t)entry};
    if (entry >= table->size || entry > UINT32_MAX || function->start >= function->end)
        return false;
    function->name = pclntab_text(table, table->names + function_number(table, function, FIELD_NAME));
    if (table->version->has_lines)
        function->line = (uint32_t)function_number(table, function, FIELD_START_LINE);
    return function->name != NULL;
}

bool pclntab_find(const struct pclntab *table, uint64_t address, struct pclntab_function *function)
{
    uint32_t low = 0, high = table->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (function_start(table, middle) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && pclntab_function(table, low - 1, function) && address >= function->start &&
           address < function->end;
}

/* --- values by address -------------------------------------------------------------------------- */

struct pclntab_values pclntab_values(const struct pclntab *table, const struct pclntab_function *function,
                                     uint64_t offset)
{
    return (struct pclntab_values){.table = table,
                                   .end = function->start,
                                   .value = -1, /* runtime.pcvalue begins with it */
                                   .limit = function->end,
                                   .at = offset == 0 ? table->size : table->values + offset};
}

static bool values_number(struct pclntab_values *values, uint32_t *number)
{
    *number = 0;
    for (unsigned shift = 0; shift < 32 && values->at < values->table->size; shift += 7) {
        uint8_t byte = values->table->bytes[values->at++];
        *number |= (uint32_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0)
            return true;
    }
    return false;
}

bool pclntab_values_next(struct pclntab_values *values)
{
    uint32_t change, length;

    if (values->end >= values->limit || values->steps == STEPS_MAX || !values_number(values, &change) ||
        (change == 0 && values->steps > 0) || !values_number(values, &length) || length == 0)
        return false;
    values->steps++;
    values->value = (int32_t)((uint32_t)values->value + (change >> 1 ^ -(change & 1)));
    values->start = values->end;
    values->end += (uint64_t)length * values->table->quantum;
    return true;
}

/* Finds the value at an address of a function. field: the number of the field that says where the values begin. */
static bool value_at(const struct pclntab *table, const struct pclntab_function *function, unsigned field,
                     uint64_t address, int32_t *value)
{
    struct pclntab_values values = pclntab_values(table, function, function_number(table, function, field));

    while (pclntab_values_next(&values))
        if (address < values.end) {
            *value = values.value;
            return true;
        }
    return false;
}

bool pclntab_frame_size(const struct pclntab *table, const struct pclntab_function *function, uint64_t address,
                        uint32_t *size)
{
    int32_t value;

    if (!value_at(table, function, FIELD_FRAME_SIZE, address, &value) || value < 0 || value > FRAME_SIZE_MAX)
        return false;
    *size = (uint32_t)value;
    return true;
}

/* Returns the path of a file. number: its number in the function's compilation unit. */
static const char *file_path(const struct pclntab *table, const struct pclntab_function *function, uint32_t number)
{
    if (!table->version->has_units)
        return pclntab_text(table, pclntab_number(pclntab_whole(table), table->files + 4 * (uint64_t)number, 4));
    uint64_t unit = function_number(table, function, FIELD_UNIT);
    uint64_t path = pclntab_number(pclntab_whole(table), table->units + 4 * (unit + number), 4);
    return path == UINT32_MAX ? NULL : pclntab_text(table, table->files + path);
}

bool pclntab_line(const struct pclntab *table, const struct pclntab_function *function, uint64_t address,
                  const char **file, uint32_t *line)
{
    int32_t number, in_file;

    if (!value_at(table, function, FIELD_FILE, address, &number) || number < 0 ||
        !value_at(table, function, FIELD_LINE, address, &in_file) || in_file < 0)
        return false;
    *file = file_path(table, function, (uint32_t)number);
    *line = (uint32_t)in_file;
    return *file != NULL;
}
