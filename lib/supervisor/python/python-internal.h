/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Declarations for the files of lib/supervisor/python only: the reader, and reads of many pieces of memory at once. */
#ifndef PPROFIL_PYTHON_INTERNAL_H
#define PPROFIL_PYTHON_INTERNAL_H

#include <sys/uio.h>

#include "supervisor/python/python.h"

/* --- reads of many pieces: python-gather.c --- */

/* A list of pieces of a target's memory, which one system call reads. A system call takes much longer than a piece. */
#define GATHER_MAX (2u * WIRE_PYTHON_FRAMES_MAX + 64u)

struct gather {
    unsigned count;
    struct iovec here[GATHER_MAX], there[GATHER_MAX];
    bool done[GATHER_MAX]; /* set by gather_read: the piece was read */
};

/* Adds a piece to the list: `size` bytes at an address of the target are to be copied to `to`. Returns the number of
 * the piece in the list. The caller does not add more than GATHER_MAX pieces. */
unsigned gather_add(struct gather *gather, uint64_t address, void *to, size_t size);
/* Reads the pieces. If many pieces are not mapped, those after them are not read either. */
void gather_read(struct gather *gather, pid_t tid);

/* --- the reader: python-reader.c, python-frames.c, python-code.c --- */

#define BLOCK_PAGES_BEFORE 3u /* so many pages before a frame are read with it */
#define NEW_CODES_MAX 32u     /* so many code objects are read at a stop */
#define CODES_BYTES_MAX (NEW_CODES_MAX * 4096u + WIRE_PYTHON_CODE_MAX)

/* A frame, as far as it has been read at this stop. */
struct read_frame {
    uint64_t address;
    uint64_t code;             /* address of the code object; 0: the frame only marks a C call */
    uint64_t instruction;      /* as in the frame's memory */
    uint64_t stack;            /* as in struct wire_python_frame */
    const uint8_t *code_bytes; /* a part of the code object (code_low, code_size of the layout); NULL: not read yet */
    unsigned piece; /* if code_bytes is set: number of the piece in the reader's list, plus 1; 0: it was read before */
};

/* A code object that has an id. */
struct known_code {
    uint64_t address; /* 0: the entry is free */
    uint32_t runtime; /* number of the runtime */
    uint32_t id;
    uint64_t print; /* hash of the fields that tell it from another code object at the same address */
    bool sent;      /* its names were read and sent to the client */
    uint32_t used;  /* the value of python_reader.takes when it was last met */
};

struct python_reader {
    struct gather gather;
    /* Copies of the frames of the last sample, and of their code objects: pointers into frame_area and code_area, in
     * the order of python_thread.frames. NULL: the frame or code object could not be read */
    const uint8_t *frame_at[WIRE_PYTHON_FRAMES_MAX], *code_at[WIRE_PYTHON_FRAMES_MAX];
    uint16_t frame_piece[WIRE_PYTHON_FRAMES_MAX], code_piece[WIRE_PYTHON_FRAMES_MAX]; /* numbers in `gather` */
    uint8_t frame_area[WIRE_PYTHON_FRAMES_MAX * PYTHON_FRAME_BYTES];
    uint8_t code_area[WIRE_PYTHON_FRAMES_MAX][PYTHON_CODE_BYTES];
    /* copies of further code objects */
    uint8_t more_code_bytes[WIRE_PYTHON_FRAMES_MAX][PYTHON_CODE_BYTES];
    unsigned singles_left; /* so many more frames may be read one by one */
    struct read_frame walked[WIRE_PYTHON_FRAMES_MAX];
    uint32_t walked_count;
    bool truncated;
    /* a copy of the memory at and before the last frame that was read by itself */
    uint64_t block_start;       /* its address in the target */
    uint32_t block_size;        /* bytes; 0: there is no copy */
    const uint8_t *block_first; /* the copy: a part of `block` */
    uint8_t block[(BLOCK_PAGES_BEFORE + 1) * 4096 + PYTHON_FRAME_BYTES];

    struct known_code *known; /* owned; hash table with open addressing */
    uint32_t known_size;      /* number of entries, a power of two */
    uint32_t known_count;
    uint32_t number, last_id;
    uint32_t takes; /* number of stacks that were read; may overflow */
    size_t codes_size; /* bytes used in `codes` */
    _Alignas(8) uint8_t codes[CODES_BYTES_MAX];
    uint32_t unsent[NEW_CODES_MAX]; /* the entries of `known` whose events are in `codes` */
    uint32_t unsent_count;

    struct wire_python *taken; /* the frames that were read: taken_area */
    _Alignas(8) uint8_t taken_area[sizeof(struct wire_python) +
                                   WIRE_PYTHON_FRAMES_MAX * sizeof(struct wire_python_frame)];
};

/* Reads the frames of a thread in one interpreter, and adds them to the walked frames. first: the thread state's field
 * state_frame. Copies of the frames of the last sample, which `thread` has, are used if there are any. */
void python_frames_walk(struct python_reader *reader, const struct python_layout *layout,
                        const struct python_thread *thread, pid_t tid, uint64_t first);

/* Finds or makes the ids of the code objects of the walked frames, and reads the names of some of those that are new.
 * Puts the frames into reader->taken. */
void python_code_identify(struct python_reader *reader, struct python_runtime *runtime, pid_t tid);

#endif
