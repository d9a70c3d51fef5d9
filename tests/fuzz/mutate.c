/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How libFuzzer changes files that consist of records, each of which contains its length. After a record whose length
 * is wrong, nothing can be read. So three times in four, one record is removed, copied, moved or changed, and its
 * length is corrected. One time in four, any bytes of the file are changed.
 */
#include <stdlib.h>
#include <string.h>

#include "records.h"

#define RECORDS_MAX 4096
#define INPUT_SIZE_MAX (1u << 16)

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *two,
                                 size_t two_size, uint8_t *result, size_t most, unsigned seed);

struct out {
    uint8_t bytes[INPUT_SIZE_MAX];
    size_t size, most;
};

/* --- the changes --------------------------------------------------------------------------- */

static uint32_t roll(uint32_t *seed, uint32_t sides)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed % sides;
}

static void put_bytes(struct out *out, const uint8_t *bytes, size_t size)
{
    if (size > out->most - out->size)
        size = out->most - out->size;
    memcpy(out->bytes + out->size, bytes, size);
    out->size += size;
}

static void put_record(struct out *out, const struct frame *frame, const struct record *record,
                       const uint8_t *body, size_t size)
{
    uint8_t head[RECORD_HEAD];
    size_t used = frame_head(frame, record, size, head);

    if (used + size > out->most - out->size)
        return;
    put_bytes(out, head, used);
    put_bytes(out, body, size);
}

static size_t split(const struct frame *frame, const uint8_t *at, const uint8_t *end,
                    struct record records[RECORDS_MAX])
{
    size_t count = 0;

    while (count < RECORDS_MAX && at < end && frame_next(frame, at, (size_t)(end - at), &records[count])) {
        at += records[count].head + records[count].size;
        count++;
    }
    return count;
}

static void change_all(struct out *out, const struct frame *frame, const uint8_t *at, size_t size,
                       uint32_t *seed, unsigned depth);

/* Writes a record with changed contents. If records are nested, half of the changes are to records inside it. */
static void put_changed(struct out *out, const struct frame *frame, const struct record *record,
                        uint32_t *seed, unsigned depth)
{
    struct out *body = malloc(sizeof *body);

    if (body == NULL)
        abort();
    body->size = 0;
    body->most = record->size + 64 < INPUT_SIZE_MAX ? record->size + 64 : INPUT_SIZE_MAX;
    if (frame_nested(frame) && depth < 2 && roll(seed, 2) == 0) {
        change_all(body, frame, record->at + record->head, record->size, seed, depth + 1);
    } else {
        put_bytes(body, record->at + record->head, record->size);
        body->size = LLVMFuzzerMutate(body->bytes, body->size, body->most);
    }
    put_record(out, frame, record, body->bytes, body->size);
    free(body);
}

enum change { CHANGE_INSIDE, CHANGE_INSIDE_TOO, TAKE_OUT, COPY, MOVE, CHANGES };

/* Changes, removes, copies or moves one of the records. Then writes all records, and the bytes after them. */
static void change_all(struct out *out, const struct frame *frame, const uint8_t *at, size_t size,
                       uint32_t *seed, unsigned depth)
{
    struct record *records = calloc(RECORDS_MAX, sizeof *records);
    const uint8_t *end = at + size;

    if (records == NULL)
        abort();
    size_t count = split(frame, at, end, records);
    uint32_t which = roll(seed, (uint32_t)count + 1), to = roll(seed, (uint32_t)count + 1);
    enum change change = roll(seed, CHANGES);
    for (uint32_t i = 0; i < count; i++) {
        const struct record *record = &records[i];
        if (i == to && which < count && (change == COPY || change == MOVE))
            put_record(out, frame, &records[which], records[which].at + records[which].head, records[which].size);
        if (i == which && change <= CHANGE_INSIDE_TOO)
            put_changed(out, frame, record, seed, depth);
        else if (i != which || change == COPY)
            put_record(out, frame, record, record->at + record->head, record->size);
    }
    if (count > 0)
        at = records[count - 1].at + records[count - 1].head + records[count - 1].size;
    put_bytes(out, at, (size_t)(end - at));
    free(records);
}

static struct out *begin(size_t most)
{
    struct out *out = malloc(sizeof *out);

    if (out == NULL)
        abort();
    out->size = 0;
    out->most = most < INPUT_SIZE_MAX ? most : INPUT_SIZE_MAX;
    return out;
}

static size_t finish(struct out *out, uint8_t *result)
{
    size_t size = out->size;

    memcpy(result, out->bytes, size);
    free(out);
    return size;
}

/* Changes a file but keeps its size, because the reader accepts no other size. */
static size_t mutate_in_place(uint8_t *data, size_t size, size_t most)
{
    size_t changed = LLVMFuzzerMutate(data, size, most);

    if (changed < size)
        memset(data + changed, 0, size - changed);
    return size > 0 ? size : changed;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    const struct frame *frame = frame_of_target();
    uint32_t dice = seed | 1u;
    size_t start, end;

    if (frame == NULL && strcmp(target(), "sprof") == 0)
        return mutate_in_place(data, size, most);
    if (frame == NULL || roll(&dice, 4) == 0)
        return LLVMFuzzerMutate(data, size, most);
    frame_bounds(frame, data, size, &start, &end);
    struct out *out = begin(most);
    put_bytes(out, data, start);
    change_all(out, frame, data + start, end - start, &dice, 0);
    size_t records = out->size - start;
    put_bytes(out, data + end, size - end);
    frame_finish(frame, out->bytes, out->size, start, end - start, records);
    return finish(out, data);
}

/* Writes the first records of one file and the last records of the other. Chance decides how many of each. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *two,
                                 size_t two_size, uint8_t *result, size_t most, unsigned seed)
{
    static struct record firsts[RECORDS_MAX], seconds[RECORDS_MAX];
    const struct frame *frame = frame_of_target();
    uint32_t dice = seed | 1u;
    size_t start, end, second_start, second_end;

    if (frame == NULL)
        return 0;
    frame_bounds(frame, one, one_size, &start, &end);
    frame_bounds(frame, two, two_size, &second_start, &second_end);
    size_t count = split(frame, one + start, one + end, firsts);
    size_t others = split(frame, two + second_start, two + second_end, seconds);
    uint32_t until = roll(&dice, (uint32_t)count + 1), from = roll(&dice, (uint32_t)others + 1);
    struct out *out = begin(most);
    put_bytes(out, one, start);
    for (size_t i = 0; i < until; i++)
        put_record(out, frame, &firsts[i], firsts[i].at + firsts[i].head, firsts[i].size);
    for (size_t i = from; i < others; i++)
        put_record(out, frame, &seconds[i], seconds[i].at + seconds[i].head, seconds[i].size);
    size_t records = out->size - start;
    put_bytes(out, one + end, one_size - end);
    frame_finish(frame, out->bytes, out->size, start, end - start, records);
    return finish(out, result);
}
