/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The arena that a message is built in, and its strings. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "format/pprof/pprof.h"
#include "format/text.h"

#define ARENA_BLOCK (1u << 20)

struct pprof_block {
    struct pprof_block *next;
    size_t used, size;
    _Alignas(16) unsigned char bytes[];
};

void *pprof_allocate(struct pprof_writer *writer, size_t size)
{
    struct pprof_block *block = writer->blocks;

    size = (size + 15) / 16 * 16;
    if (block == NULL || block->size - block->used < size) {
        size_t room = size > ARENA_BLOCK ? size : ARENA_BLOCK;
        block = malloc(sizeof *block + room);
        if (block == NULL) {
            writer->out_of_memory = true;
            return size <= sizeof writer->nowhere ? writer->nowhere : NULL;
        }
        *block = (struct pprof_block){.next = writer->blocks, .size = room};
        writer->blocks = block;
    }
    void *bytes = block->bytes + block->used;
    block->used += size;
    memset(bytes, 0, size);
    return bytes;
}

void *pprof_allocate_table(struct pprof_writer *writer, size_t count, size_t entry, void *pointers)
{
    char *table = pprof_allocate(writer, count * entry + 1);
    void **array = pprof_allocate(writer, (count + 1) * sizeof *array);

    if (table == NULL || array == NULL || writer->out_of_memory)
        return NULL;
    for (size_t i = 0; i < count; i++)
        array[i] = table + i * entry;
    *(void ***)pointers = array;
    return table;
}

bool pprof_grow(struct pprof_writer *writer, void *array, size_t count, size_t element)
{
    if (array_grow(array, count, element) != 0)
        writer->out_of_memory = true;
    return !writer->out_of_memory;
}

/* --- strings ------------------------------------------------------------------------- */

/* Copies text as valid UTF-8 and returns the length of the copy. to NULL: only the length. */
static size_t copy_utf8(const char *text, char *to)
{
    size_t length = 0, size;

    for (const char *at = text; *at != '\0'; length += size) {
        const char *character = text_character(&at, &size);
        if (to != NULL)
            memcpy(to + length, character, size);
    }
    return length;
}

int64_t pprof_add_string(struct pprof_writer *writer, const char *text)
{
    PbProfile *message = &writer->message;

    if (!pprof_grow(writer, &message->string_table, message->n_string_table,
                    sizeof *message->string_table))
        return 0;
    char *copy = pprof_allocate(writer, copy_utf8(text, NULL) + 1);
    if (writer->out_of_memory)
        return 0;
    copy_utf8(text, copy);
    message->string_table[message->n_string_table] = copy;
    return (int64_t)message->n_string_table++;
}

int64_t pprof_string_index(struct pprof_writer *writer, uint32_t index)
{
    if (index == 0)
        return 0;
    if (writer->string_ids[index] == 0)
        writer->string_ids[index] = pprof_add_string(writer, writer->profile->strings[index]);
    return writer->string_ids[index];
}

void pprof_add_comment(struct pprof_writer *writer, char *text)
{
    PbProfile *message = &writer->message;

    if (text == NULL)
        writer->out_of_memory = true;
    else if (pprof_grow(writer, &message->comment, message->n_comment, sizeof *message->comment))
        message->comment[message->n_comment++] = pprof_add_string(writer, text);
    free(text);
}

/* --- the whole ----------------------------------------------------------------------- */

int pprof_writer_begin(struct pprof_writer *writer, const struct profile *profile)
{
    writer->profile = profile;
    writer->message = (PbProfile)PERFTOOLS__PROFILES__PROFILE__INIT;
    writer->string_ids = calloc(profile->string_count + 1u, sizeof *writer->string_ids);
    return writer->string_ids == NULL ? -ENOMEM : 0;
}

void pprof_writer_clear(struct pprof_writer *writer)
{
    for (struct pprof_block *block = writer->blocks, *next; block != NULL; block = next) {
        next = block->next;
        free(block);
    }
    free(writer->message.string_table);
    free(writer->message.comment);
    free(writer->message.function);
    memo_free(&writer->elsewhere);
    free(writer->string_ids);
}
