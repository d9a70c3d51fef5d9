/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * dialect: the rules of the profil family, as a table and pure functions. Nothing here knows processes. The supervisor
 * counts by these rules while a target runs, and the client makes any of these histograms from a profile afterwards.
 *
 * pprofil-dialects(7) has the rules and their sources. In short, a histogram covers a region of text from an offset on,
 * and a pc at distance d from the offset falls into byte d x scale / 65536 of the buffer. Systems differ in the rest.
 */
#ifndef PPROFIL_DIALECT_H
#define PPROFIL_DIALECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dialect_arithmetic {
    DIALECT_BYTES,   /* full product, >> 16: a byte offset into the buffer */
    DIALECT_HALVES,  /* the same, but d is halved first, which rounds it: glibc */
    DIALECT_ROUNDED, /* d and scale halved, the result rounded to a counter: V7 */
    DIALECT_WORDS,   /* a counter for each 4 bytes of text, no scale: Nintendo 64 */
    DIALECT_CELLS,   /* a counter for each 8 bytes of text, no scale: Inferno, Plan 9 */
    DIALECT_RAW,     /* no counters: the pc itself is kept */
};

enum dialect_overflow {
    DIALECT_WRAPS,     /* after the largest value comes 0 */
    DIALECT_SATURATES, /* a counter stays at the largest value */
    DIALECT_STOPS,     /* a tick that would make it larger than 32767 is not counted and ends all counting */
};

enum dialect_fork {
    DIALECT_CHILD_COUNTS, /* into its own copy of the buffer */
    DIALECT_CHILD_STOPS,
};

enum dialect_fault {
    DIALECT_FAULT_STOPS,        /* a buffer that cannot be written ends all counting, silently */
    DIALECT_FAULT_STOPS_REGION, /* a buffer that cannot be written ends counting into this buffer only */
    DIALECT_FAULT_NONE,         /* this cannot happen: the buffer is the kernel's own */
};

/* Which prof(1) a report looks like. */
enum dialect_prof {
    DIALECT_PROF_BSD,
    DIALECT_PROF_SYSTEM_V,
    DIALECT_PROF_V7,
    DIALECT_PROF_VERSIONED, /* Solaris, for a mon.out with a version */
};

struct dialect {
    const char *name;
    const char *system; /* the system and call, for people */
    enum dialect_arithmetic arithmetic;
    enum dialect_overflow overflow;
    enum dialect_fork fork;
    enum dialect_fault fault;
    uint8_t counter_size;   /* bytes; 0 with DIALECT_RAW: the target's pointer size */
    uint8_t off_scale;      /* scales 0..off_scale turn counting off; DIALECT_NEVER_OFF: none does */
    bool two_is_all;        /* at scale 2 all ticks go into the first counter */
    bool two_needs_no_room; /* at scale 2 ticks count even if the buffer is empty */
    bool two_has_no_offset; /* at scale 2 pcs below the offset count too */
    bool refuses_large;     /* scales above 65536 fail with EINVAL */
    bool system_time;       /* time in a system call counts too, at the pc of the call */
    bool below_wraps;       /* no test for pc < offset */
    bool narrow;            /* the byte offset is cut to 32 bits */
    bool bounded_ranges;    /* each region has bounds of its own, and regions do not overlap */
    bool overlaid_cells;    /* the special cells are cells of text too; else text begins behind them */
    enum dialect_prof prof;
    const char *format;     /* name in lib/format of the files that the system's own programs read */
    const char *file;       /* the usual name of this file */
    uint64_t period_ns;     /* of the system's tick, if the caller cannot choose it */
};

#define DIALECT_NEVER_OFF UINT8_MAX
#define DIALECT_ONE_TO_ONE 0x10000u /* the scale of one byte of buffer for each byte of text */

/* Returns the dialect of this name, or NULL. */
const struct dialect *dialect_find(const char *name);
/* Returns the dialects in the order of the manual page, and NULL after the last. */
const struct dialect *dialect_at(size_t index);

/* A buffer and the text that it covers. */
struct dialect_region {
    uint64_t offset;    /* lowest address of the text, if low and high are 0 */
    uint64_t size;      /* of the buffer, bytes */
    uint64_t low, high; /* if high is not 0: only addresses [low, high) */
    uint32_t scale;
};

/* Checks what a program asks for. Returns 0, or -EINVAL where the system refuses it. */
int dialect_check(const struct dialect *dialect, const struct dialect_region *region);

/* Does the scale turn counting off? */
bool dialect_is_off(const struct dialect *dialect, uint32_t scale);

/* Does the pc count? If so, *index is the index of its counter. exact: compute as the system's own code does, with its
 * arithmetic of 32 bits and its half counters at the end of an odd buffer. Else all bits are used, and only counters
 * that are wholly inside the buffer count. */
bool dialect_index(const struct dialect *dialect, const struct dialect_region *region,
                   unsigned counter_size, uint64_t pc, bool exact, uint64_t *index);

/* Returns the lowest distance from the offset that falls into a counter; UINT64_MAX: none does. */
uint64_t dialect_lowest(const struct dialect *dialect, uint32_t scale, unsigned counter_size,
                        uint64_t index);

/* Returns how many bytes of buffer a text of this size needs. */
uint64_t dialect_room(const struct dialect *dialect, uint32_t scale, unsigned counter_size,
                      uint64_t text);

/* What happened to ticks that were added to a counter. */
enum dialect_added {
    DIALECT_ADDED,
    DIALECT_OVERFLOWED, /* wrapped, or stayed at the largest value */
    DIALECT_STOPPED,    /* nothing was added, and counting has ended */
};

/* Adds ticks to *counter, which has counter_size bytes. *full: how many of the ticks would have found it full, or would
 * have been refused, if they had been added one by one. */
enum dialect_added dialect_add(enum dialect_overflow overflow, unsigned counter_size,
                               uint64_t *counter, uint64_t ticks, uint64_t *full);

/* --- several regions ------------------------------------------------------------------- */

#define DIALECT_OVERFLOW_BIN SIZE_MAX /* as an index of a region: none, but the bin for all other pcs */
#define DIALECT_NO_REGION (SIZE_MAX - 1)

/* sprofil(2): which of the regions takes the pc. The one with the largest offset not above it
 * wins; where that does not reach the pc, the next lower one. A region with offset 0 and scale 2
 * is the overflow bin and takes, in its first counter, what no other does. Returns the
 * region's place in the array or DIALECT_NO_REGION. */
size_t dialect_choose(const struct dialect *dialect, const struct dialect_region *regions,
                      size_t count, unsigned counter_size, uint64_t pc, uint64_t *index);

/* The extended profil of OSF/1 refuses what its page forbids: more than 64 ranges, and ranges that overlap or do not
 * descend. Returns 0 or -EINVAL. */
int dialect_check_ranges(const struct dialect_region *regions, size_t count);
#define DIALECT_RANGES_MAX 64u

/* --- the Nintendo 64 ------------------------------------------------------------------- */

struct dialect_segment {
    uint32_t text_start, text_end; /* [start, end) */
    uint32_t counters;             /* counters in its histogram */
};

/* Returns the first segment that has the pc, and the counter in *index, or DIALECT_OVERFLOW_BIN. A histogram may be too
 * short for its text: the bin gets the ticks past its end. exact: the segment gets them, and *index is past its end. */
size_t dialect_segment_of(const struct dialect_segment *segments, size_t count, uint32_t pc,
                          bool exact, uint64_t *index);

/* The errors of osProfileInit and its family, by their codes in the debug library. */
enum dialect_n64_error {
    DIALECT_N64_INIT_RUNNING = 61,
    DIALECT_N64_INIT_COUNT,
    DIALECT_N64_INIT_ALIGNMENT,
    DIALECT_N64_INIT_ORDER,
    DIALECT_N64_INIT_SIZE,
    DIALECT_N64_START_TIME,
    DIALECT_N64_START_RUNNING,
    DIALECT_N64_STOP_STOPPED,
    DIALECT_N64_STOP_TIMER,
};
#define DIALECT_N64_US_MIN 50u /* PROF_MIN_INTERVAL */

/* Returns the debug library's text, a printf format; NULL: there is no such code. */
const char *dialect_n64_error(int code);

/* --- kprof ----------------------------------------------------------------------------- */

/* kpdata: cells of 4 bytes. The first cells are special. */
struct dialect_kernel {
    uint64_t low, high; /* text [low, high) */
    uint64_t cells;     /* in kpdata */
};
enum {
    DIALECT_CELL_TOTAL,
    DIALECT_CELL_OUTSIDE,
    DIALECT_CELL_PERIOD,
    DIALECT_CELL_COUNT,
    DIALECT_CELL_SIZE,
    DIALECT_CELL_SHIFT,
    DIALECT_CELL_SPECIALS
};

/* Returns the cell that a pc counts in, besides the total: a bucket or DIALECT_CELL_OUTSIDE. */
uint64_t dialect_cell(const struct dialect *dialect, const struct dialect_kernel *kernel,
                      uint64_t pc);

enum dialect_kpctl {
    DIALECT_KPCTL_BAD,
    DIALECT_KPCTL_START,
    DIALECT_KPCTL_STOP,
    DIALECT_KPCTL_STARTCLR
};

/* Returns what a write to kpctl asks for: the longest command that the text begins with. */
enum dialect_kpctl dialect_kpctl(const char *text, size_t size);

/* --- pcsample -------------------------------------------------------------------------- */

/* The state of one process. It begins as all 0. */
struct dialect_pcsample {
    uint64_t room;  /* samples that the array still has room for */
    uint64_t count; /* samples stored since the last call */
    bool on;
};

/* pcsample(samples, n). Returns how many samples the former array got; -EINVAL, and nothing has changed, if n < 0. */
int64_t dialect_pcsample_call(struct dialect_pcsample *state, int64_t n);
/* Counts ticks at one pc. Returns how many of them the caller is to store, from the index on that count was before. */
uint64_t dialect_pcsample_tick(struct dialect_pcsample *state, uint64_t ticks);
/* Takes back unstored samples of those that dialect_pcsample_tick returned: the array cannot be written. */
void dialect_pcsample_fault(struct dialect_pcsample *state, uint64_t unstored);
/* After an exec or a call of profil. */
void dialect_pcsample_reset(struct dialect_pcsample *state);

/* --- counting while a target runs -------------------------------------------------------- */

/* The memory that has the counters: our own or that of another process. read and write return 0 or -errno. */
struct dialect_memory {
    int (*read)(void *context, uint64_t address, void *to, size_t size);
    int (*write)(void *context, uint64_t address, const void *from, size_t size);
    void *context;
};

/* The calling process's own memory. A bad address ends the process. */
extern const struct dialect_memory dialect_own_memory;

/* What one process has asked for, and how far it has counted. */
struct dialect_count {
    const struct dialect *dialect;
    unsigned counter_size; /* bytes of a counter, or of a pc if the dialect keeps pcs */
    bool on;
    uint64_t period_ns;
    uint64_t owed_ns;  /* CPU time since the last tick */
    uint64_t overflow; /* address of a counter of 4 bytes for pcs in no region; 0: none */
    uint64_t array;    /* pcsample: address of the array */
    uint64_t told;     /* address of a sum of 8 bytes of the ticks that found their counter full; 0: none */
    struct dialect_pcsample pcsample;
    uint64_t ticks;     /* all */
    uint64_t outside;   /* ticks at pcs in no region */
    uint64_t overflows; /* ticks that found a counter full, or were refused and ended counting */
    size_t region_count;
    struct dialect_buffer {
        uint64_t address; /* of the first counter */
        bool off;
    } *buffers;                     /* by region */
    struct dialect_region regions[]; /* the buffers follow in the same memory */
};

/* Begins to count into these regions, whose buffers are at addresses; both arrays are copied. counter_size 0: the
 * dialect's own. The caller frees the result with free; NULL: no memory. */
struct dialect_count *dialect_count_new(const struct dialect *dialect, unsigned counter_size,
                                        const struct dialect_region *regions,
                                        const uint64_t *addresses, size_t count);
/* Returns a copy with the same state, which the caller frees; NULL: no memory. */
struct dialect_count *dialect_count_copy(const struct dialect_count *count);

/* Counts CPU time of the process at a pc. in_system: it was in a system call that returns to pc. Only whole ticks
 * count; the rest is kept for the next call. */
void dialect_count_cpu(struct dialect_count *count, const struct dialect_memory *memory,
                       uint64_t pc, bool in_system, uint64_t cpu_ns);

#endif
