/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The arena that a message is built in, and its strings. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "format/pprof/pprof-write.h"

#define ARENA_BLOCK (1u << 20)

void *pprof_take(struct pprof_writer *writer, size_t size)
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

void *pprof_take_table(struct pprof_writer *writer, size_t count, size_t entry, void *pointers)
{
    char *table = pprof_take(writer, count * entry + 1);
    void **array = pprof_take(writer, (count + 1) * sizeof *array);

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

int64_t pprof_add_string(struct pprof_writer *writer, const char *text)
{
    PbProfile *message = &writer->message;

    if (!pprof_grow(writer, &message->string_table, message->n_string_table,
                    sizeof *message->string_table))
        return 0;
    char *copy = pprof_take(writer, pprof_clean(text, NULL) + 1);
    if (writer->out_of_memory)
        return 0;
    pprof_clean(text, copy);
    message->string_table[message->n_string_table] = copy;
    return (int64_t)message->n_string_table++;
}

int64_t pprof_put_string(struct pprof_writer *writer, uint32_t index)
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
