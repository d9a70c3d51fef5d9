/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Declarations for the files of lib/supervisor/python only: the reader, and copies of a target's memory. */
#ifndef PPROFIL_PYTHON_INTERNAL_H
#define PPROFIL_PYTHON_INTERNAL_H

#include <sys/uio.h>

#include "supervisor/python/python.h"

#define PAGE_BYTES 4096u     /* no machine has smaller pages */
#define PAGE_COPIES_MAX 512u /* so many pages are copied for a sample */
#define PAGE_SLOTS (4u * PAGE_COPIES_MAX)

/* --- reads of many pieces: python-gather.c --- */

/* A list of pieces of a target's memory, which one system call reads. A system call takes much longer than a piece. */
#define GATHER_MAX PAGE_COPIES_MAX

struct gather {
    unsigned count;
    struct iovec here[GATHER_MAX], there[GATHER_MAX];
    bool done[GATHER_MAX]; /* set by gather_read: the piece was read */
};

/* Adds a piece to the list: `size` bytes at an address of the target are to be copied to `to`. Returns the number of
 * the piece in the list. The caller does not add more than GATHER_MAX pieces. */
unsigned gather_add(struct gather *gather, uint64_t address, void *to, size_t size);
/* Reads the pieces. After failures_max pieces that cannot be read, ends: each costs a further system call. */
void gather_read(struct gather *gather, pid_t tid, unsigned failures_max);

/* --- copies of pages: python-pages.c --- */

struct page_copies {
    pid_t tid;
    struct gather gather;
    unsigned count, misses_left;
    bool is_exhausted; /* a page was not copied, because too many others were */
    uint64_t addresses[PAGE_COPIES_MAX];
    bool is_copied[PAGE_COPIES_MAX];
    unsigned unused[PAGE_COPIES_MAX]; /* number of samples since the last one that used the page */
    uint16_t slots[PAGE_SLOTS]; /* hash table with open addressing: number of a page, plus 1; 0: the slot is free */
    uint8_t bytes[PAGE_COPIES_MAX][PAGE_BYTES];
};

/* Begins a sample of thread `tid`: copies the pages that its last samples used. */
void pages_begin(struct page_copies *pages, const struct python_thread *thread, pid_t tid);
/* Reads memory of the target from the copies. Copies pages that are missing, and with `before` also a few pages before
 * each of them. Returns false if a page cannot be read, or too many were copied. */
bool pages_read(struct page_copies *pages, uint64_t address, void *to, size_t size, bool before);
/* Notes in `thread` which pages were used. */
void pages_end(const struct page_copies *pages, struct python_thread *thread);

/* --- the reader: python-reader.c, python-frames.c, python-code.c --- */

#define NEW_CODES_MAX 32u /* so many code objects are read at a stop */
#define CODES_BYTES_MAX (NEW_CODES_MAX * 4096u + WIRE_PYTHON_CODE_MAX)

/* A code object that has an id. */
struct known_code {
    uint64_t address; /* 0: the entry is free */
    uint32_t runtime; /* number of the runtime */
    uint32_t id;
    uint64_t print; /* hash of the fields that tell it from another code object at the same address */
    bool sent;      /* its names were read and sent to the client */
    uint32_t used;  /* the value of python_reader.takes when it was last met */
};

/* A frame that was read at this stop. */
struct read_frame {
    uint64_t code;            /* address of the code object; 0: the frame only marks a C call */
    struct known_code *known; /* the code object; NULL: it is not known */
    uint64_t instruction;     /* as in the frame's memory */
    uint64_t stack;           /* as in struct wire_python_frame */
};

/* A code object whose names are to be read. */
struct new_code {
    struct known_code *known;
    uint32_t first_line;
    struct object {
        uint64_t address;
        uint8_t head[PYTHON_HEAD_BYTES];
        unsigned piece; /* number in the list of pieces */
        uint64_t data;  /* address of the characters or bytes */
        uint32_t size, width;
    } file, name, lines;
};

struct python_reader {
    struct page_copies pages;
    struct read_frame walked[WIRE_PYTHON_FRAMES_MAX];
    uint32_t walked_count;
    bool truncated;

    struct known_code *known; /* owned; hash table with open addressing */
    uint32_t known_size;      /* number of entries, a power of two */
    uint32_t known_count;
    struct new_code new_codes[NEW_CODES_MAX]; /* those of this sample */
    unsigned new_code_count;
    uint32_t number, last_id;
    uint32_t takes;    /* number of stacks that were read; may overflow */
    size_t codes_size; /* bytes used in `codes` */
    _Alignas(8) uint8_t codes[CODES_BYTES_MAX];
    uint32_t unsent[NEW_CODES_MAX]; /* the entries of `known` whose events are in `codes` */
    uint32_t unsent_count;

    struct wire_python *taken; /* the frames that were read: taken_area */
    _Alignas(8) uint8_t
        taken_area[sizeof(struct wire_python) + WIRE_PYTHON_FRAMES_MAX * sizeof(struct wire_python_frame)];
};

/* Reads memory of the thread from the copied pages, for the sample that is being taken. before: see pages_read. Returns
 * false if it cannot be read. */
bool python_reader_read(struct python_reader *reader, uint64_t address, void *to, size_t size, bool before);

/* Reads the frames of a thread in one interpreter and their code objects, and adds them to the walked frames. first:
 * the thread state's field state_frame. */
void python_frames_walk(struct python_reader *reader, struct python_runtime *runtime, uint64_t first);

/* Reads a code object. Finds or makes its entry. Returns NULL if it is no code object, cannot be read, or the table is
 * full. */
struct known_code *python_code_identify(struct python_reader *reader, struct python_runtime *runtime, uint64_t address);
/* Returns the offset of a frame's instruction in the bytecode, bytes; negative: the frame has executed none. */
int64_t python_code_instruction(const struct python_layout *layout, const struct read_frame *frame);
/* Reads the names of some of the code objects that are new. */
void python_code_read_names(struct python_reader *reader, struct python_runtime *runtime);

#endif
