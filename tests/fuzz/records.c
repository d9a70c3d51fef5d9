/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The formats that have records. A line of text is a record without a head. */
#include <stdlib.h>
#include <string.h>

#include "records.h"

/* A plain record begins with a head of `head` bytes. A number of `width` bytes at offset `size_at` of the head is the
 * size of the whole record. If `head` is 0, the format has records of another kind. */
struct plain {
    uint8_t head, size_at, width;
};

struct frame {
    const char *target;
    bool nested;
    struct plain plain;
    /* The functions frame_... of records.h call these. If `next` and `head` are NULL, the records are plain. If
     * `finish` is NULL, nothing needs correction after a change. */
    void (*bounds)(const uint8_t *file, size_t size, size_t *start, size_t *end);
    bool (*next)(const uint8_t *at, size_t left, struct record *record);
    size_t (*head)(const struct record *record, size_t size, uint8_t head[RECORD_HEAD]);
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

/* --- plain records --------------------------------------------------------------------------- */

static bool plain_next(const struct plain *plain, const uint8_t *at, size_t left, struct record *record)
{
    uint64_t size = left < plain->head ? 0 : get(at + plain->size_at, plain->width);

    *record = (struct record){at, plain->head, (size_t)size - plain->head};
    return size >= plain->head && size <= left;
}

static size_t plain_head(const struct plain *plain, const struct record *record, size_t size, uint8_t head[RECORD_HEAD])
{
    memcpy(head, record->at, plain->head);
    put(head + plain->size_at, size + plain->head, plain->width);
    return plain->head;
}

/* --- where they are -------------------------------------------------------------------------- */

/* linux/tools/perf/Documentation/perf.data-file-format.txt */
#define PERF_DATA 40 /* where the file header contains the offset and the size of the records */
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
    for (uint64_t left = get(file + PERF_FEATURES, 8); left != 0 && at + 16 <= size; left &= left - 1) {
        uint64_t offset = get(file + at, 8);
        if (offset >= start + old)
            put(file + at, offset - old + new, 8);
        at += 16;
    }
}

static void jitdump_bounds(const uint8_t *file, size_t size, size_t *start, size_t *end)
{
    uint64_t at = size < 12 ? size : get(file + 8, 4);

    *start = at < size ? at : size;
    *end = size;
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

static size_t field_head(const struct record *record, size_t size, uint8_t head[RECORD_HEAD])
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

static size_t line_head(const struct record *record, size_t size, uint8_t head[RECORD_HEAD])
{
    (void)record;
    (void)size;
    (void)head;
    return 0;
}

/* --- formats --------------------------------------------------------------------------------- */

static const struct frame frames[] = {
    {"perf.data", false, {8, 6, 2}, perf_bounds, NULL, NULL, perf_finish},
    {"jitdump", false, {16, 4, 4}, jitdump_bounds, NULL, NULL, NULL},
    {"events", false, {8, 4, 4}, events_bounds, NULL, NULL, NULL},
    {"pprof", true, {0}, all_bounds, field_next, field_head, NULL},
    {"perf-script", false, {0}, all_bounds, line_next, line_head, NULL},
    {"perf-map", false, {0}, all_bounds, line_next, line_head, NULL},
    {"folded", false, {0}, all_bounds, line_next, line_head, NULL},
    {"csv", false, {0}, all_bounds, line_next, line_head, NULL},
};

const char *target(void)
{
    const char *name = getenv("PPROFIL_FUZZ_TARGET");

    return name == NULL ? "" : name;
}

const struct frame *frame_of_target(void)
{
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++)
        if (strcmp(frames[i].target, target()) == 0)
            return &frames[i];
    return NULL;
}

bool frame_nested(const struct frame *frame)
{
    return frame->nested;
}

void frame_bounds(const struct frame *frame, const uint8_t *file, size_t size, size_t *start, size_t *end)
{
    frame->bounds(file, size, start, end);
}

bool frame_next(const struct frame *frame, const uint8_t *at, size_t left, struct record *record)
{
    return frame->next != NULL ? frame->next(at, left, record) : plain_next(&frame->plain, at, left, record);
}

size_t frame_head(const struct frame *frame, const struct record *record, size_t size, uint8_t head[RECORD_HEAD])
{
    return frame->head != NULL ? frame->head(record, size, head) : plain_head(&frame->plain, record, size, head);
}

void frame_finish(const struct frame *frame, uint8_t *file, size_t size, size_t start, size_t old, size_t new)
{
    if (frame->finish != NULL)
        frame->finish(file, size, start, old, new);
}
