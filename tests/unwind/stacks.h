/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads what stacks.py wrote: for each stop of a program, its registers, stack and mappings, and the frames that gdb
 * saw. Numbers are little-endian and unaligned:
 *
 *   "STK1", u32 machine, u64 registers[33]
 *   twice (the stack, and the stack that a signal interrupted): u64 start, u32 size, bytes
 *   u32 number of mappings; each: u64 start, end, offset, u32 size, path
 *   u32 number of frames; each, innermost first: u64 program counter, u32 size, name
 *   u32 size, text: the reason why gdb's list of frames ends
 *
 * The callbacks give unwind_walk the mappings and files of a record. The number of an object is the index of its path.
 */
#ifndef PPROFIL_TEST_STACKS_H
#define PPROFIL_TEST_STACKS_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unwind/unwind.h"

#define STACKS_PATHS_MAX 4096u

struct stacks_text {
    const char *bytes; /* borrowed, not NUL-terminated */
    uint32_t size;
};

struct stacks_mapping {
    uint64_t start, end, offset;
    struct stacks_text path;
};

struct stacks_frame {
    uint64_t pc;
    struct stacks_text name;
};

struct stacks_record {
    struct unwind_input input;
    struct stacks_mapping *mappings; /* owned */
    struct stacks_frame *frames;     /* owned */
    uint32_t mapping_count, frame_count;
    struct stacks_text reason;
};

struct stacks {
    const char *path; /* borrowed */
    char *bytes;      /* owned; the bytes of the file */
    size_t size;
    struct stacks_record *records; /* owned */
    uint32_t count;
    char *paths[STACKS_PATHS_MAX]; /* owned; the index is the number of an object, the element is its path */
    int fds[STACKS_PATHS_MAX];
    uint32_t path_count;
    const struct stacks_record *current; /* the record whose stack unwind_walk walks */
};

struct stacks_reader {
    const char *at, *end;
};

static inline void stacks_take(struct stacks_reader *reader, void *to, size_t size)
{
    if ((size_t)(reader->end - reader->at) < size) {
        fprintf(stderr, "the file of stacks is cut off\n");
        exit(1);
    }
    memcpy(to, reader->at, size);
    reader->at += size;
}

static inline struct stacks_text stacks_take_text(struct stacks_reader *reader)
{
    struct stacks_text text;

    stacks_take(reader, &text.size, sizeof text.size);
    text.bytes = reader->at;
    if ((size_t)(reader->end - reader->at) < text.size)
        text.size = 0;
    reader->at += text.size;
    return text;
}

static inline void stacks_take_record(struct stacks_reader *reader, struct stacks_record *record)
{
    char magic[4];
    uint32_t machine;
    uint64_t start;

    memset(record, 0, sizeof *record);
    stacks_take(reader, magic, sizeof magic);
    stacks_take(reader, &machine, sizeof machine);
    record->input.registers.machine = machine;
    stacks_take(reader, record->input.registers.values, sizeof record->input.registers.values);
    for (uint32_t i = 0; i < UNWIND_PIECES_MAX; i++) {
        stacks_take(reader, &start, sizeof start);
        struct stacks_text stack = stacks_take_text(reader);
        record->input.pieces[i] = (struct unwind_piece){start, (const void *)stack.bytes, stack.size};
    }
    record->input.piece_count = UNWIND_PIECES_MAX;
    stacks_take(reader, &record->mapping_count, sizeof record->mapping_count);
    record->mappings = calloc(record->mapping_count + 1, sizeof *record->mappings);
    for (uint32_t i = 0; i < record->mapping_count; i++) {
        stacks_take(reader, &record->mappings[i], 3 * sizeof(uint64_t));
        record->mappings[i].path = stacks_take_text(reader);
    }
    stacks_take(reader, &record->frame_count, sizeof record->frame_count);
    record->frames = calloc(record->frame_count + 1, sizeof *record->frames);
    for (uint32_t i = 0; i < record->frame_count; i++) {
        stacks_take(reader, &record->frames[i].pc, sizeof record->frames[i].pc);
        record->frames[i].name = stacks_take_text(reader);
    }
    record->reason = stacks_take_text(reader);
}

static inline struct stacks *stacks_read(const char *path)
{
    struct stacks *stacks = calloc(1, sizeof *stacks);
    FILE *file = fopen(path, "rb");

    if (file == NULL || stacks == NULL) {
        perror(path);
        exit(1);
    }
    stacks->path = path;
    fseek(file, 0, SEEK_END);
    stacks->size = (size_t)ftell(file);
    rewind(file);
    stacks->bytes = malloc(stacks->size + 1);
    if (fread(stacks->bytes, 1, stacks->size, file) != stacks->size)
        exit(1);
    fclose(file);
    struct stacks_reader reader = {stacks->bytes, stacks->bytes + stacks->size};
    while (reader.at < reader.end) {
        stacks->records = realloc(stacks->records, (stacks->count + 1) * sizeof *stacks->records);
        stacks_take_record(&reader, &stacks->records[stacks->count++]);
    }
    return stacks;
}

static inline void stacks_free(struct stacks *stacks)
{
    for (uint32_t i = 0; i < stacks->count; i++) {
        free(stacks->records[i].mappings);
        free(stacks->records[i].frames);
    }
    for (uint32_t i = 0; i < stacks->path_count; i++)
        free(stacks->paths[i]);
    free(stacks->records);
    free(stacks->bytes);
    free(stacks);
}

/* --- callbacks of unwind_walk ------------------------------------------------------------ */

/* The vDSO is in the file FILE.vdso beside the file of stacks. */
static inline int stacks_open_path(const struct stacks *stacks, const char *path)
{
    char vdso[4096];

    snprintf(vdso, sizeof vdso, "%s.vdso", stacks->path);
    if (strcmp(path, "[vdso]") == 0)
        return open(vdso, O_RDONLY | O_CLOEXEC);
    return path[0] == '/' ? open(path, O_RDONLY | O_CLOEXEC) : -1;
}

static inline uint32_t stacks_object(struct stacks *stacks, struct stacks_text path)
{
    uint32_t i;

    for (i = 0; i < stacks->path_count; i++)
        if (strlen(stacks->paths[i]) == path.size && memcmp(stacks->paths[i], path.bytes, path.size) == 0)
            return i;
    if (i == STACKS_PATHS_MAX)
        exit(1);
    stacks->paths[i] = strndup(path.bytes, path.size);
    stacks->fds[i] = stacks_open_path(stacks, stacks->paths[i]);
    return stacks->path_count++;
}

static inline bool stacks_find(void *context, uint64_t address, struct unwind_mapping *found)
{
    struct stacks *stacks = context;

    for (uint32_t i = 0; i < stacks->current->mapping_count; i++) {
        const struct stacks_mapping *mapping = &stacks->current->mappings[i];
        if (address < mapping->start || address >= mapping->end)
            continue;
        *found = (struct unwind_mapping){.start = mapping->start,
                                         .end = mapping->end,
                                         .offset = mapping->offset,
                                         .object = stacks_object(stacks, mapping->path)};
        return true;
    }
    return false;
}

static inline int stacks_open(void *context, uint32_t object)
{
    const struct stacks *stacks = context;
    return stacks->fds[object] < 0 ? -ENOENT : stacks->fds[object];
}

/* Returns the address in memory to which a frame's program counter points, as debuggers show it. */
static inline uint64_t stacks_pc(struct stacks *stacks, const struct unwind_frame *frame)
{
    uint64_t address = frame->address + (frame->exact ? 0 : 1);

    for (uint32_t i = 0; i < stacks->current->mapping_count; i++) {
        const struct stacks_mapping *mapping = &stacks->current->mappings[i];
        if (frame->object != UNWIND_NO_OBJECT && stacks_object(stacks, mapping->path) == frame->object &&
            frame->address - mapping->offset < mapping->end - mapping->start)
            return address - mapping->offset + mapping->start;
    }
    return address;
}

#endif
