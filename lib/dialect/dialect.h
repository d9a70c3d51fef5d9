/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * dialect: the rules of the profil family, as tables and pure functions. Nothing here knows
 * of processes; the supervisor counts by these rules while a target runs, and the client turns
 * a profile into any of these histograms afterwards.
 *
 * The rules and where they are from: pprofil-dialects(7). In short, a histogram covers a region
 * of text from offset on; a pc at distance d from it falls into byte d x scale / 65536 of the
 * buffer, and what differs between systems is the rest.
 */
#ifndef PPROFIL_DIALECT_H
#define PPROFIL_DIALECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dialect_arithmetic {
    DIALECT_BYTES,   /* full product, >> 16: a byte offset into the buffer */
    DIALECT_HALVES,  /* the same with d halved first, so that it rounds: glibc */
    DIALECT_ROUNDED, /* d and scale halved, the result rounded to a counter: V7 */
    DIALECT_WORDS,   /* a counter for each 4 bytes of text, no scale: Nintendo 64 */
    DIALECT_CELLS,   /* a counter for each 8 bytes of text, no scale: Inferno, Plan 9 */
    DIALECT_RAW,     /* no counters: the pc itself is kept */
};

enum dialect_overflow {
    DIALECT_WRAPS,     /* past the largest value comes 0 */
    DIALECT_SATURATES, /* the largest value stays */
    DIALECT_STOPS,     /* what would pass 32767 is not counted and ends all counting */
};

enum dialect_fork {
    DIALECT_CHILD_COUNTS, /* in a copy of the counts */
    DIALECT_CHILD_STOPS,
};

enum dialect_fault {
    DIALECT_FAULT_STOPS,        /* a buffer that cannot be written ends all counting, silently */
    DIALECT_FAULT_STOPS_REGION, /* ... ends counting into it */
    DIALECT_FAULT_NONE,         /* it cannot happen: the kernel's own buffer */
};

/* Whose prof(1) a report looks like. */
enum dialect_prof {
    DIALECT_PROF_BSD,
    DIALECT_PROF_SYSTEM_V,
    DIALECT_PROF_V7,
    DIALECT_PROF_VERSIONED, /* of Solaris, for a mon.out with a version */
};

struct dialect {
    const char *name;
    const char *system; /* whose rules they are, for people */
    enum dialect_arithmetic arithmetic;
    enum dialect_overflow overflow;
    enum dialect_fork fork;
    enum dialect_fault fault;
    uint8_t counter_size;   /* bytes; 0 with DIALECT_RAW: the target's pointer size */
    uint8_t off_scale;      /* scales 0..off_scale turn counting off; NEVER_OFF: none does */
    bool two_is_all;        /* scale 2: everything into the first counter */
    bool two_needs_no_room; /* ... even where the buffer is empty */
    bool two_has_no_offset; /* ... even what lies below the offset */
    bool refuses_large;     /* scales above 65536: EINVAL */
    bool system_time;       /* time in system calls counts too, at the pc that made the call */
    bool below_wraps;       /* no test for pc < offset */
    bool narrow;            /* the byte offset is cut to 32 bits */
    bool bounded_ranges;    /* its regions have bounds of their own, and do not overlap */
    bool overlaid_cells;    /* the first cells are those of text, too; else text begins behind them */
    enum dialect_prof prof;
    const char *format;     /* of lib/format: what its own programs read */
    const char *file;       /* the usual name of such a file */
    uint64_t period_ns;     /* of the system's tick, where the caller cannot say */
};

#define DIALECT_NEVER_OFF UINT8_MAX
#define DIALECT_ONE_TO_ONE 0x10000u /* the scale at which a byte of text has a byte of buffer */

/* By its name; NULL: no such dialect. */
const struct dialect *dialect_find(const char *name);
/* The dialects in the order of the manual page, NULL after the last. */
const struct dialect *dialect_at(size_t index);

/* A buffer and the text that it is for. */
struct dialect_region {
    uint64_t offset;    /* lowest address, where low and high are 0 */
    uint64_t size;      /* of the buffer, bytes */
    uint64_t low, high; /* addresses [low, high) only, where high is not 0 */
    uint32_t scale;
};

/* May a histogram be asked for with these arguments? 0, or -EINVAL. */
int dialect_check(const struct dialect *dialect, const struct dialect_region *region);

/* Does the scale turn counting off? */
bool dialect_is_off(const struct dialect *dialect, uint32_t scale);

/* exact: as that system's own code computed it, with its half counters at the end of an odd
 * buffer and its 32-bit arithmetic; else in full width, the whole counter inside the buffer.
 * Returns whether the pc counts, and then *index is its counter's. */
bool dialect_index(const struct dialect *dialect, const struct dialect_region *region,
                   unsigned counter_size, uint64_t pc, bool exact, uint64_t *index);

/* The lowest distance from the offset that reaches a counter; UINT64_MAX: none does. */
uint64_t dialect_lowest(const struct dialect *dialect, uint32_t scale, unsigned counter_size,
                        uint64_t index);

/* Bytes of buffer that so many bytes of text need. */
uint64_t dialect_room(const struct dialect *dialect, uint32_t scale, unsigned counter_size,
                      uint64_t text);

/* What became of ticks added to a counter. */
enum dialect_added {
    DIALECT_ADDED,
    DIALECT_OVERFLOWED, /* wrapped, or stayed at the largest value */
    DIALECT_STOPPED,    /* nothing was added, and counting has ended */
};

/* The counter's new value, of a counter of so many bytes. *full: how many of the ticks found it
 * full, or were refused, as if they had come one by one. */
enum dialect_added dialect_add(enum dialect_overflow overflow, unsigned counter_size,
                               uint64_t *counter, uint64_t ticks, uint64_t *full);

/* --- several regions ------------------------------------------------------------------- */

#define DIALECT_OVERFLOW_BIN SIZE_MAX /* a choice: no region, the bin for all others */
#define DIALECT_NO_REGION (SIZE_MAX - 1)

/* sprofil(2): which of the regions takes the pc. The one with the largest offset not above it
 * wins; where that does not reach the pc, the next lower one. A region with offset 0 and scale 2
 * is the overflow bin and takes, in its first counter, what no other does. Returns the
 * region's place in the array or DIALECT_NO_REGION. */
size_t dialect_choose(const struct dialect *dialect, const struct dialect_region *regions,
                      size_t count, unsigned counter_size, uint64_t pc, uint64_t *index);

/* The extended profil of OSF/1 refuses what its page forbids: more than 64 ranges, ranges that
 * overlap or do not descend. 0 or -EINVAL. */
int dialect_check_ranges(const struct dialect_region *regions, size_t count);
#define DIALECT_RANGES_MAX 64u

/* --- the Nintendo 64 ------------------------------------------------------------------- */

struct dialect_segment {
    uint32_t text_start, text_end; /* [start, end) */
    uint32_t counters;             /* that its histogram has */
};

/* The segment that takes the pc, first match, or DIALECT_OVERFLOW_BIN. A histogram that is too
 * short for its text loses to the bin what lies past its end (exact: *index may lie there). */
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

/* The debug library's text, a printf format; NULL for other codes. */
const char *dialect_n64_error(int code);

/* --- kprof ----------------------------------------------------------------------------- */

/* kpdata: 4-byte cells, the first of which hold totals. */
struct dialect_kernel {
    uint64_t low, high; /* text [low, high) */
    uint64_t cells;     /* of kpdata */
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

/* The cell for a pc besides the total: a bucket's, or DIALECT_CELL_OUTSIDE. */
uint64_t dialect_cell(const struct dialect *dialect, const struct dialect_kernel *kernel,
                      uint64_t pc);

enum dialect_kpctl {
    DIALECT_KPCTL_BAD,
    DIALECT_KPCTL_START,
    DIALECT_KPCTL_STOP,
    DIALECT_KPCTL_STARTCLR
};

/* What a write to kpctl asks for: by prefix, the longest first. */
enum dialect_kpctl dialect_kpctl(const char *text, size_t size);

/* --- pcsample -------------------------------------------------------------------------- */

/* The state of one process; all zero at first. */
struct dialect_pcsample {
    uint64_t room;  /* samples that still fit */
    uint64_t count; /* since the last call */
    bool on;
};

/* pcsample(samples, n): -EINVAL and no change where n < 0, else what the last array got. */
int64_t dialect_pcsample_call(struct dialect_pcsample *state, int64_t n);
/* Ticks at one pc: how many of them are to be stored, at the place count had before. */
uint64_t dialect_pcsample_tick(struct dialect_pcsample *state, uint64_t ticks);
/* The array could not be written: so many of what tick told to store are not. */
void dialect_pcsample_fault(struct dialect_pcsample *state, uint64_t unstored);
/* exec, or profil() was called. */
void dialect_pcsample_reset(struct dialect_pcsample *state);

/* --- counting while a target runs -------------------------------------------------------- */

/* Where counters are: in our own memory, or in another process. Both return 0 or -errno. */
struct dialect_memory {
    int (*read)(void *context, uint64_t address, void *to, size_t size);
    int (*write)(void *context, uint64_t address, const void *from, size_t size);
    void *context;
};

/* The calling process's own memory; addresses must be good. */
extern const struct dialect_memory dialect_own_memory;

/* What one process has asked for. Made by dialect_count_new. */
struct dialect_count {
    const struct dialect *dialect;
    unsigned counter_size; /* bytes; of a pc where the dialect keeps pcs */
    bool on;
    uint64_t period_ns;
    uint64_t owed_ns;  /* CPU time that is no whole tick yet */
    uint64_t overflow; /* address of a 4-byte counter for what no region takes; 0: none */
    uint64_t array;    /* pcsample: address */
    uint64_t told;     /* address of an 8-byte sum of the ticks that found a counter full; 0: none */
    struct dialect_pcsample pcsample;
    uint64_t ticks;     /* all */
    uint64_t outside;   /* ticks that no region took */
    uint64_t overflows; /* ticks that found a counter full, or were refused and ended counting */
    size_t region_count;
    struct dialect_buffer {
        uint64_t address; /* of the first counter */
        bool off;
    } *buffers;                     /* one for each region */
    struct dialect_region regions[]; /* the buffers follow them */
};

/* Copies regions and the addresses of their buffers. counter_size 0: the dialect's own. NULL: no
 * memory. To be freed with free. */
struct dialect_count *dialect_count_new(const struct dialect *dialect, unsigned counter_size,
                                        const struct dialect_region *regions,
                                        const uint64_t *addresses, size_t count);
/* A copy with the same state, or NULL. */
struct dialect_count *dialect_count_copy(const struct dialect_count *count);

/* The process used so much CPU time and was found at pc, in_system: in a system call, and pc
 * is where that returns to. Whole ticks are counted there, the rest is kept. */
void dialect_count_cpu(struct dialect_count *count, const struct dialect_memory *memory,
                       uint64_t pc, bool in_system, uint64_t cpu_ns);

#endif
