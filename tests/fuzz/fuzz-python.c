/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzzes the reader of Python stacks with the memory of a process that may only look like an interpreter.
 *
 * The input is the version, a change of the memory, and the memory: all that the process has, from MEMORY on. The
 * variable _PyRuntime is its first byte. Stacks are taken before and after the change. What the supervisor would send
 * goes to the client's code.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "profile/profile.h"
#include "script/script.h"
#include "supervisor/python/python.h"
#include "supervisor/target-memory.h"

#define MEMORY UINT64_C(0x57ac0000)
#define MEMORY_MAX 0x10000u
#define MIRRORS 0x10000000u /* from MEMORY + MIRRORS on, so many bytes have the same pages over and over: many pages */
#define PAGE 4096u
#define TID 1
#define SEARCH_MAX 4096u
#define TAKES 4u
/* limits for one stack. The reads are 256 frames, 32 code objects of up to ten reads, a search, and some more */
#define READS_MAX 1000u
#define READ_BYTES_MAX (16u << 20)

/* the memory of the process, and what was read since the last check */
static struct {
    uint8_t *bytes;
    size_t size;
    unsigned reads;
    size_t read_bytes;
} memory;

/* --- the memory, in the place of lib/supervisor/target-memory.c ---------------------------------------- */

/* Copies the part that is mapped. Returns its size, bytes. */
static size_t memory_copy(uint64_t address, void *to, size_t size)
{
    uint64_t offset = address - MEMORY;

    if (offset >= MIRRORS && offset < 2 * MIRRORS && memory.size >= PAGE)
        offset = (offset / PAGE % (memory.size / PAGE)) * PAGE + offset % PAGE;
    if (offset >= memory.size)
        return 0;
    if (size > memory.size - offset)
        size = memory.size - (size_t)offset;
    memcpy(to, memory.bytes + offset, size);
    memory.read_bytes += size;
    return size;
}

int target_memory_read(pid_t tid, uint64_t address, void *to, size_t size)
{
    (void)tid;
    memory.reads++;
    return memory_copy(address, to, size) == size ? 0 : -EFAULT;
}

ssize_t target_memory_read_pieces(pid_t tid, const struct iovec *here, const struct iovec *there, unsigned count)
{
    size_t got = 0;

    (void)tid;
    memory.reads++;
    for (unsigned i = 0; i < count; i++) {
        size_t copied = memory_copy((uintptr_t)there[i].iov_base, here[i].iov_base, here[i].iov_len);
        got += copied;
        if (copied < here[i].iov_len)
            break;
    }
    return got > 0 ? (ssize_t)got : -EFAULT;
}

/* Aborts if too much was read since the last call. */
static void memory_check_reads(void)
{
    if (memory.reads > READS_MAX || memory.read_bytes > READ_BYTES_MAX)
        abort();
    memory.reads = 0;
    memory.read_bytes = 0;
}

/* --- a client ------------------------------------------------------------------------------------------ */

static void client_add_codes(struct script_codes *codes, struct python_reader *reader)
{
    size_t size, at = 0;
    struct wire_python_code *first = python_reader_codes(reader, &size);

    while (at < size) {
        const struct wire_python_code *code = (const void *)((const uint8_t *)first + at);
        if (code->header.size < sizeof *code || code->header.size > size - at)
            abort();
        script_codes_add(codes, code);
        at += code->header.size;
    }
}

static void client_add_frames(struct script_codes *codes, const struct python_reader *reader)
{
    const struct wire_python *frames = python_reader_frames(reader);

    if (frames != NULL && frames->count > WIRE_PYTHON_FRAMES_MAX)
        abort();
    for (uint32_t i = 0; frames != NULL && i < frames->count; i++) {
        uint32_t location;
        script_codes_location(codes, &frames->frames[i], &location);
    }
}

/* --- the target ---------------------------------------------------------------------------------------- */

struct change {
    uint16_t at, size; /* bytes [at, at + size) of the memory are replaced by its last `size` bytes */
};

static void apply_change(struct change change)
{
    if (change.size <= memory.size && change.at <= memory.size - change.size)
        memmove(memory.bytes + change.at, memory.bytes + memory.size - change.size, change.size);
}

static void take_stacks(struct python_reader *reader, struct python_runtime *runtime, struct script_codes *codes,
                        struct change change)
{
    struct python_thread *thread = calloc(1, sizeof *thread);

    thread->inner_tid = TID;
    for (unsigned i = 0; i < TAKES; i++) {
        if (i == TAKES / 2)
            apply_change(change);
        memory_check_reads();
        python_reader_take(reader, runtime, thread, TID);
        memory_check_reads();
        client_add_codes(codes, reader);
        client_add_frames(codes, reader);
        python_reader_settle(reader, i == 0);
        python_runtime_check(runtime, TID);
        if (thread->runtime == runtime->number && !python_thread_is_searched(thread, runtime, TID))
            python_thread_search(thread, runtime, TID, SEARCH_MAX);
        memory.reads = 0; /* the thread runs during a long search */
    }
    free(thread);
}

void fuzz_python(const uint8_t *data, size_t size)
{
    struct {
        uint8_t minor, namespaced;
        struct change change;
    } head = {0};

    if (size < sizeof head)
        return;
    memcpy(&head, data, sizeof head);
    memory.size = size - sizeof head < MEMORY_MAX ? size - sizeof head : MEMORY_MAX;
    memory.bytes = malloc(memory.size + 1); /* a block of this size, so that sanitizers guard its end */
    memcpy(memory.bytes, data + sizeof head, memory.size);
    struct python_runtime *runtime = python_runtime_new(MEMORY, 3u << 24 | (8u + head.minor % 8u) << 16);
    struct python_reader *reader = python_reader_new(1);
    struct profile *profile = profile_new();
    struct script_codes *codes = script_codes_new(profile);
    runtime->is_namespaced = head.namespaced & 1;
    python_runtime_check(runtime, TID);
    take_stacks(reader, runtime, codes, head.change);
    script_codes_free(codes);
    profile_free(profile);
    python_reader_free(reader);
    python_runtime_free(runtime);
    free(memory.bytes);
}
