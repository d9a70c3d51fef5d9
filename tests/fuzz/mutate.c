/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How libFuzzer changes files that are made of records which say how long they are: bytes that
 * come or go anywhere would leave nothing behind them readable. So mostly one record is taken
 * out, copied, moved or changed inside, and what its length is told by is put right. Sometimes
 * bytes are changed anywhere all the same. The lines of a text are records, too. Formats that are
 * not in the table here have no records.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MOST_RECORDS 4096
#define LARGEST (1u << 16)

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *two,
                                 size_t two_size, uint8_t *result, size_t most, unsigned seed);

struct record {
    const uint8_t *at;
    size_t head, size; /* size: without the head */
};

struct out {
    uint8_t bytes[LARGEST];
    size_t size, most;
};

struct frame {
    const char *target;
    bool nested; /* records may be made of records */
    /* Where the records of a file are. */
    void (*bounds)(const uint8_t *file, size_t size, size_t *start, size_t *end);
    /* The record at the start of some bytes; false: there is none. */
    bool (*next)(const uint8_t *at, size_t left, struct record *record);
    /* Its head, for a body of so many bytes. */
    size_t (*head)(const struct record *record, size_t size, uint8_t head[32]);
    /* Puts the rest of a file right whose records took old bytes from start and take now new. */
    void (*finish)(uint8_t *file, size_t size, size_t start, size_t old, size_t new);
};

static uint64_t get(const uint8_t *at, size_t width)
{
    uint64_t number = 0;

    memcpy(&number, at, width);
    return number;
}

static void put(uint8_t *at, uint64_t number, size_t width)
{
    memcpy(at, &number, width);
}

/* --- records with a head of so many bytes, in which their size is told with it ------------- */

static bool next_plain(const uint8_t *at, size_t left, struct record *record, size_t head,
                       size_t size_at, size_t width)
{
    uint64_t size = left < head ? 0 : get(at + size_at, width);

    *record = (struct record){at, head, (size_t)size - head};
    return size >= head && size <= left;
}

static bool perf_next(const uint8_t *at, size_t left, struct record *record)
{
    return next_plain(at, left, record, 8, 6, 2);
}

static size_t perf_head(const struct record *record, size_t size, uint8_t head[32])
{
    memcpy(head, record->at, 8);
    put(head + 6, size + 8, 2);
    return 8;
}

/* linux/tools/perf/Documentation/perf.data-file-format.txt */
#define PERF_DATA 40 /* offset and size of the records */
#define PERF_FEATURES 72

static void perf_bounds(const uint8_t *file, size_t size, size_t *start, size_t *end)
{
    uint64_t at = size < 104 ? size : get(file + PERF_DATA, 8);
    uint64_t room = size < 104 ? 0 : get(file + PERF_DATA + 8, 8);

    *start = at < size ? at : size;
    *end = room < size - *start ? *start + room : size;
}

static void perf_finish(uint8_t *file, size_t size, size_t start, size_t old, size_t new)
{
    size_t at = start + new;

    if (size < 104)
        return;
    put(file + PERF_DATA + 8, new, 8);
    for (uint64_t left = get(file + PERF_FEATURES, 8); left != 0 && at + 16 <= size;
         left &= left - 1) {
        uint64_t offset = get(file + at, 8);
        if (offset >= start + old)
            put(file + at, offset - old + new, 8);
        at += 16;
    }
}

static bool jitdump_next(const uint8_t *at, size_t left, struct record *record)
{
    return next_plain(at, left, record, 16, 4, 4);
}

static size_t jitdump_head(const struct record *record, size_t size, uint8_t head[32])
{
    memcpy(head, record->at, 16);
    put(head + 4, size + 16, 4);
    return 16;
}

static void jitdump_bounds(const uint8_t *file, size_t size, size_t *start, size_t *end)
{
    uint64_t at = size < 12 ? size : get(file + 8, 4);

    *start = at < size ? at : size;
    *end = size;
}

static bool events_next(const uint8_t *at, size_t left, struct record *record)
{
    return next_plain(at, left, record, 8, 4, 4);
}

static size_t events_head(const struct record *record, size_t size, uint8_t head[32])
{
    memcpy(head, record->at, 8);
    put(head + 4, size + 8, 4);
    return 8;
}

static void events_bounds(const uint8_t *file, size_t size, size_t *start, size_t *end)
{
    (void)file;
    *start = size < 16 ? size : 16;
    *end = size;
}

static void all_bounds(const uint8_t *file, size_t size, size_t *start, size_t *end)
{
    (void)file;
    *start = 0;
    *end = size;
}

/* --- fields of protocol buffers (without gzip) --------------------------------------------- */

static size_t get_varint(const uint8_t *at, size_t left, uint64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < left && i < 10; i++) {
        *number |= (uint64_t)(at[i] & 0x7f) << (7 * i);
        if ((at[i] & 0x80) == 0)
            return i + 1;
    }
    return 0;
}

static size_t put_varint(uint8_t *at, uint64_t number)
{
    size_t size = 0;

    for (; number > 0x7f; number >>= 7)
        at[size++] = (uint8_t)(number | 0x80);
    at[size++] = (uint8_t)number;
    return size;
}

enum { VARINT, FIXED64, BYTES, FIXED32 = 5 };

static bool field_next(const uint8_t *at, size_t left, struct record *record)
{
    uint64_t tag, size = 0;
    size_t head = get_varint(at, left, &tag), more = 0;

    if (head == 0)
        return false;
    if ((tag & 7) == VARINT)
        size = get_varint(at + head, left - head, &(uint64_t){0});
    else if ((tag & 7) == BYTES)
        more = get_varint(at + head, left - head, &size);
    else if ((tag & 7) == FIXED64 || (tag & 7) == FIXED32)
        size = (tag & 7) == FIXED64 ? 8 : 4;
    if ((tag & 7) == BYTES ? more == 0 : size == 0)
        return false;
    *record = (struct record){at, head + more, size};
    return size <= left - head - more;
}

static size_t field_head(const struct record *record, size_t size, uint8_t head[32])
{
    uint64_t tag;
    size_t used = get_varint(record->at, record->head, &tag);

    memcpy(head, record->at, used);
    return (tag & 7) == BYTES ? used + put_varint(head + used, size) : used;
}

/* --- lines of text --------------------------------------------------------------------------- */

static bool line_next(const uint8_t *at, size_t left, struct record *record)
{
    const uint8_t *end = memchr(at, '\n', left);

    if (end != NULL)
        *record = (struct record){at, 0, (size_t)(end + 1 - at)};
    return end != NULL;
}

static size_t line_head(const struct record *record, size_t size, uint8_t head[32])
{
    (void)record;
    (void)size;
    (void)head;
    return 0;
}

static const struct frame frames[] = {
    {"perf.data", false, perf_bounds, perf_next, perf_head, perf_finish},
    {"jitdump", false, jitdump_bounds, jitdump_next, jitdump_head, NULL},
    {"events", false, events_bounds, events_next, events_head, NULL},
    {"pprof", true, all_bounds, field_next, field_head, NULL},
    {"callgrind", false, all_bounds, line_next, line_head, NULL},
    {"perf-script", false, all_bounds, line_next, line_head, NULL},
    {"perf-map", false, all_bounds, line_next, line_head, NULL},
    {"folded", false, all_bounds, line_next, line_head, NULL},
    {"csv", false, all_bounds, line_next, line_head, NULL},
};

static const char *target(void)
{
    const char *name = getenv("PPROFIL_FUZZ_TARGET");

    return name == NULL ? "" : name;
}

static const struct frame *find_frame(void)
{
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++)
        if (strcmp(frames[i].target, target()) == 0)
            return &frames[i];
    return NULL;
}

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
    uint8_t head[32];
    size_t used = frame->head(record, size, head);

    if (used + size > out->most - out->size)
        return;
    put_bytes(out, head, used);
    put_bytes(out, body, size);
}

static size_t split(const struct frame *frame, const uint8_t *at, const uint8_t *end,
                    struct record records[MOST_RECORDS])
{
    size_t count = 0;

    while (count < MOST_RECORDS && at < end &&
           frame->next(at, (size_t)(end - at), &records[count])) {
        at += records[count].head + records[count].size;
        count++;
    }
    return count;
}

static void change_all(struct out *out, const struct frame *frame, const uint8_t *at, size_t size,
                       uint32_t *seed, unsigned depth);

/* Changes what is in a record, or in a record in it. */
static void put_changed(struct out *out, const struct frame *frame, const struct record *record,
                        uint32_t *seed, unsigned depth)
{
    struct out *body = malloc(sizeof *body);

    if (body == NULL)
        abort();
    body->size = 0;
    body->most = record->size + 64 < LARGEST ? record->size + 64 : LARGEST;
    if (frame->nested && depth < 2 && roll(seed, 2) == 0) {
        change_all(body, frame, record->at + record->head, record->size, seed, depth + 1);
    } else {
        put_bytes(body, record->at + record->head, record->size);
        body->size = LLVMFuzzerMutate(body->bytes, body->size, body->most);
    }
    put_record(out, frame, record, body->bytes, body->size);
    free(body);
}

enum change { CHANGE_INSIDE, CHANGE_INSIDE_TOO, TAKE_OUT, COPY, MOVE, CHANGES };

/* Writes records, and what is behind the last, with one of them changed. */
static void change_all(struct out *out, const struct frame *frame, const uint8_t *at, size_t size,
                       uint32_t *seed, unsigned depth)
{
    struct record *records = calloc(MOST_RECORDS, sizeof *records);
    const uint8_t *end = at + size;

    if (records == NULL)
        abort();
    size_t count = split(frame, at, end, records);
    uint32_t which = roll(seed, (uint32_t)count + 1), to = roll(seed, (uint32_t)count + 1);
    enum change change = roll(seed, CHANGES);
    for (uint32_t i = 0; i < count; i++) {
        const struct record *record = &records[i];
        if (i == to && which < count && (change == COPY || change == MOVE))
            put_record(out, frame, &records[which], records[which].at + records[which].head,
                       records[which].size);
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
    out->most = most < LARGEST ? most : LARGEST;
    return out;
}

static size_t finish(struct out *out, uint8_t *result)
{
    size_t size = out->size;

    memcpy(result, out->bytes, size);
    free(out);
    return size;
}

/* A file of which no other size than its own is believed. */
static size_t mutate_in_place(uint8_t *data, size_t size, size_t most)
{
    size_t changed = LLVMFuzzerMutate(data, size, most);

    if (changed < size)
        memset(data + changed, 0, size - changed);
    return size > 0 ? size : changed;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    const struct frame *frame = find_frame();
    uint32_t dice = seed | 1u;
    size_t start, end;

    if (frame == NULL && strcmp(target(), "sprof") == 0)
        return mutate_in_place(data, size, most);
    if (frame == NULL || roll(&dice, 4) == 0)
        return LLVMFuzzerMutate(data, size, most);
    frame->bounds(data, size, &start, &end);
    struct out *out = begin(most);
    put_bytes(out, data, start);
    change_all(out, frame, data + start, end - start, &dice, 0);
    size_t records = out->size - start;
    put_bytes(out, data + end, size - end);
    if (frame->finish != NULL)
        frame->finish(out->bytes, out->size, start, end - start, records);
    return finish(out, data);
}

/* The records of one file as far as one of them, then those of the other from one of them on. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *two,
                                 size_t two_size, uint8_t *result, size_t most, unsigned seed)
{
    static struct record firsts[MOST_RECORDS], seconds[MOST_RECORDS];
    const struct frame *frame = find_frame();
    uint32_t dice = seed | 1u;
    size_t start, end, second_start, second_end;

    if (frame == NULL)
        return 0;
    frame->bounds(one, one_size, &start, &end);
    frame->bounds(two, two_size, &second_start, &second_end);
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
    if (frame->finish != NULL)
        frame->finish(out->bytes, out->size, start, end - start, records);
    return finish(out, result);
}
