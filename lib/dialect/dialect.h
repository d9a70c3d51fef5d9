/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * dialect: the rules by which profil(2) and its relatives count, as a table and as functions. This code knows nothing
 * about processes. The supervisor uses it while a target runs. The client uses it to make histograms from samples.
 *
 * pprofil-dialects(7) has the rules and their sources. In short, a region is a range of text (code), which begins at an
 * address called its offset. The histogram of a region is a buffer of counters. A pc at distance d from the offset
 * falls into byte d x scale / 65536 of the buffer. The systems differ in the details.
 */
#ifndef PPROFIL_DIALECT_H
#define PPROFIL_DIALECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How the counter of a pc is found. byte: index of a byte in the buffer; d: distance of the pc from the offset. */
enum dialect_arithmetic {
    DIALECT_BYTES,   /* byte = d * scale >> 16 */
    DIALECT_HALVES,  /* byte = (d / 2 * scale >> 16) * 2: glibc */
    DIALECT_ROUNDED, /* byte = (((d >> 1) * (scale >> 1) >> 14) + 1) & ~1: V7 */
    DIALECT_WORDS,   /* one counter for each 4 bytes of text, no scale: Nintendo 64 */
    DIALECT_CELLS,   /* one counter for each 8 bytes of text, no scale: Inferno, Plan 9 */
    DIALECT_RAW,     /* no counters: the pcs are stored */
};

enum dialect_overflow {
    DIALECT_WRAPS,     /* the counter becomes 0 after its largest value */
    DIALECT_SATURATES, /* the counter stays at its largest value */
    /* a tick that would raise a counter above half of its range (with 16 bits: above 32767) is not counted, and ends
     * all counting */
    DIALECT_STOPS,
};

enum dialect_fork {
    DIALECT_CHILD_COUNTS, /* a forked child counts in its own copy of the buffer */
    DIALECT_CHILD_STOPS,  /* a forked child does not count */
};

enum dialect_fault {
    DIALECT_FAULT_STOPS,        /* a buffer that cannot be written ends all counting, without any error */
    DIALECT_FAULT_STOPS_REGION, /* a buffer that cannot be written ends the counting in this buffer only */
    DIALECT_FAULT_NONE,         /* no such fault is possible: the buffer belongs to the kernel */
};

/* The prof(1) whose output a report imitates. */
enum dialect_prof {
    DIALECT_PROF_BSD,
    DIALECT_PROF_SYSTEM_V,
    DIALECT_PROF_V7,
    DIALECT_PROF_VERSIONED, /* prof(1) of Solaris, for a mon.out that contains a version number */
};

struct dialect {
    const char *name;
    const char *system; /* name of the system and of its function, as text for users */
    enum dialect_arithmetic arithmetic;
    enum dialect_overflow overflow;
    enum dialect_fork fork;
    enum dialect_fault fault;
    /* size of a counter, bytes; with DIALECT_RAW it is 0, which means the pointer size of the target */
    uint8_t counter_size;
    uint8_t off_scale;      /* scales 0..off_scale turn counting off; DIALECT_NEVER_OFF: no scale does */
    bool two_is_all;        /* at scale 2 all ticks go into the first counter */
    bool two_needs_no_room; /* at scale 2 ticks count even if the buffer has 0 bytes */
    bool two_has_no_offset; /* at scale 2 pcs below the offset count too */
    bool refuses_large;     /* scales above 65536 fail with EINVAL */
    bool system_time;       /* time in a system call is also counted, at the pc to which the call returns */
    bool below_wraps;       /* there is no test for pc < offset, so for such a pc the distance wraps */
    bool narrow;            /* the computed index of the byte in the buffer is cut to 32 bits */
    bool bounded_ranges;    /* each region has its own bounds, and regions do not overlap */
    /* the first cells are for totals, although they also belong to the first text. true (Inferno): 6 cells hold only
     * totals, and ticks in the first 48 bytes of text go to DIALECT_CELL_OUTSIDE. false (Plan 9): 2 cells hold totals,
     * to which the ticks in the first 16 bytes of text are added */
    bool overlaid_cells;
    enum dialect_prof prof;
    const char *format;     /* name of the format (lib/format) that the programs of the system read */
    const char *file;       /* usual name of a file in this format */
    uint64_t period_ns;     /* CPU time that one tick of the system represents; callers may choose another time */
};

#define DIALECT_NEVER_OFF UINT8_MAX
#define DIALECT_ONE_TO_ONE 0x10000u /* the scale at which each byte of text has one byte of buffer */

/* Returns the dialect with this name; NULL: there is none. */
const struct dialect *dialect_find(const char *name);
/* Returns the dialect at an index. Dialects are in the order of pprofil-dialects(7). NULL: the index is too large. */
const struct dialect *dialect_at(size_t index);

/* A buffer and the text that it covers. */
struct dialect_region {
    uint64_t offset;    /* lowest address of the text. A pc at this address counts in the first counter */
    uint64_t size;      /* size of the buffer, bytes */
    uint64_t low, high; /* only addresses in [low, high) are counted; if `high` is 0, there is no such limit */
    uint32_t scale;
};

/* Checks the scale that a program requests. Returns 0, or -EINVAL if the system refuses this scale. */
int dialect_check(const struct dialect *dialect, const struct dialect_region *region);

/* Returns true if the scale turns counting off. */
bool dialect_is_off(const struct dialect *dialect, uint32_t scale);

/* If the region counts the pc, stores the index of the counter in *index and returns true. If `exact` is true, computes
 * as the old system does: with 32-bit arithmetic, and with a last counter that may be only partly inside the buffer. If
 * `exact` is false, computes with all bits, and uses only counters that are completely inside the buffer. */
bool dialect_index(const struct dialect *dialect, const struct dialect_region *region,
                   unsigned counter_size, uint64_t pc, bool exact, uint64_t *index);

/* Returns the smallest distance between a pc and the offset for which the pc falls into the counter with this index;
 * UINT64_MAX: there is no such distance. */
uint64_t dialect_lowest(const struct dialect *dialect, uint32_t scale, unsigned counter_size, uint64_t index);

/* Returns how many bytes of buffer a text of `text` bytes needs. */
uint64_t dialect_room(const struct dialect *dialect, uint32_t scale, unsigned counter_size, uint64_t text);

/* The result of adding ticks to a counter. */
enum dialect_added {
    DIALECT_ADDED,
    DIALECT_OVERFLOWED, /* the counter has wrapped, or was kept at its largest value */
    DIALECT_STOPPED,    /* nothing was added, and counting has ended */
};

/* Adds `ticks` to *counter, which has counter_size bytes. Stores in *full how many of these ticks would find the
 * counter full, that is, at its largest value, if they were added one by one. If the result is DIALECT_STOPPED, *full
 * is the number of all ticks. */
enum dialect_added dialect_add(enum dialect_overflow overflow, unsigned counter_size,
                               uint64_t *counter, uint64_t ticks, uint64_t *full);

/* --- several regions ------------------------------------------------------------------- */

#define DIALECT_OVERFLOW_BIN SIZE_MAX /* returned instead of a region's index: the overflow bin counts the pc */
#define DIALECT_NO_REGION (SIZE_MAX - 1) /* returned instead of a region's index: nothing counts the pc */

/* Chooses the region that counts a pc, as sprofil(2) does. If several regions contain the pc, chooses the region with
 * the largest offset. If no region contains the pc, chooses the first counter of the overflow bin, which is a region
 * with offset 0 and scale 2. Returns the index of the chosen region, and stores the index of the counter in *index.
 * Returns DIALECT_NO_REGION if no region contains the pc and there is no overflow bin. */
size_t dialect_choose(const struct dialect *dialect, const struct dialect_region *regions,
                      size_t count, unsigned counter_size, uint64_t pc, uint64_t *index);

/* Checks the ranges of OSF/1's extended profil by the rules of OSF/1's manual page. There may be at most 64 ranges. No
 * range may be empty. Each range must be below the range before it. Returns 0 or -EINVAL. */
int dialect_check_ranges(const struct dialect_region *regions, size_t count);
#define DIALECT_RANGES_MAX 64u

/* --- the Nintendo 64 ------------------------------------------------------------------- */

struct dialect_segment {
    uint32_t text_start, text_end; /* addresses [text_start, text_end) */
    uint32_t counters;             /* how many counters the histogram of the segment has */
};

/* Returns the index of the first segment that contains the pc, and stores the index of the counter in *index. Returns
 * DIALECT_OVERFLOW_BIN if no segment contains the pc. A histogram may have too few counters for its text. If it has no
 * counter for this pc, the result is also DIALECT_OVERFLOW_BIN, unless `exact` is true. */
size_t dialect_segment_of(const struct dialect_segment *segments, size_t count, uint32_t pc,
                          bool exact, uint64_t *index);

/* Error codes of osProfileInit, osProfileStart and osProfileStop in the debug library. */
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
#define DIALECT_N64_US_MIN 50u /* shortest period, microseconds: PROF_MIN_INTERVAL of <ultra64.h> */

/* Returns the debug library's message for an error code, in the form of a printf format; NULL: there is no such
 * code. */
const char *dialect_n64_error(int code);

/* --- kprof ----------------------------------------------------------------------------- */

/* A kernel that the kprof device profiles. The device has a file, kpdata, which consists of cells of 4 bytes. The first
 * cells have special meanings: see the enum below. */
struct dialect_kernel {
    uint64_t low, high; /* the text of the kernel is at [low, high) */
    uint64_t cells;     /* number of cells in the file kpdata */
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

/* A tick at a pc counts in two cells: in the cell for the total, and in a second cell. Returns the index of the second
 * cell. This is the cell for the text at the pc, or DIALECT_CELL_OUTSIDE. */
uint64_t dialect_cell(const struct dialect *dialect, const struct dialect_kernel *kernel, uint64_t pc);

enum dialect_kpctl { DIALECT_KPCTL_BAD, DIALECT_KPCTL_START, DIALECT_KPCTL_STOP, DIALECT_KPCTL_STARTCLR };

/* Returns the command in a text that was written to the file kpctl: the longest command with which the text begins. */
enum dialect_kpctl dialect_kpctl(const char *text, size_t size);

/* --- pcsample -------------------------------------------------------------------------- */

/* The state of pcsample in one process. At first all fields are 0. */
struct dialect_pcsample {
    uint64_t room;  /* how many more samples fit into the array */
    uint64_t count; /* how many samples were stored since the last call of pcsample */
    bool on;
};

/* Changes the state as a call of pcsample(samples, n) does. Returns how many samples were stored in the former array.
 * If n < 0, returns -EINVAL and does not change the state. */
int64_t dialect_pcsample_call(struct dialect_pcsample *state, int64_t n);
/* Counts ticks at one pc. Returns how many samples the caller must now store in the array. The first of them belongs at
 * the index that was in state->count before this call. */
uint64_t dialect_pcsample_tick(struct dialect_pcsample *state, uint64_t ticks);
/* Takes back samples that dialect_pcsample_tick has counted, but that the caller could not store, because the array
 * cannot be written. Ends the counting. */
void dialect_pcsample_fault(struct dialect_pcsample *state, uint64_t unstored);
/* Resets the state of pcsample, as an exec or a call of profil does. */
void dialect_pcsample_reset(struct dialect_pcsample *state);

/* --- counting while a target runs -------------------------------------------------------- */

/* The memory that contains the counters, in this process or in another one. The functions `read` and `write` return 0
 * or a negative errno. */
struct dialect_memory {
    int (*read)(void *context, uint64_t address, void *to, size_t size);
    int (*write)(void *context, uint64_t address, const void *from, size_t size);
    void *context;
};

/* Memory of the calling process. A bad address kills the process. */
extern const struct dialect_memory dialect_own_memory;

/* A request to count CPU time in histograms, and the state of the counting. */
struct dialect_count {
    const struct dialect *dialect;
    unsigned counter_size; /* size of a counter, or of a stored pc, bytes */
    bool on;
    uint64_t period_ns;
    uint64_t owed_ns;  /* CPU time that was not counted yet, because it is less than a tick */
    uint64_t overflow; /* address of a 4-byte counter for pcs in no region; 0: none */
    uint64_t array;    /* pcsample: address of the array in which the pcs are stored */
    uint64_t told;     /* address of a uint64_t that tells the program how many ticks found a full counter; 0: none */
    struct dialect_pcsample pcsample;
    uint64_t ticks;     /* number of all ticks */
    uint64_t outside;   /* number of ticks whose pc is in no region */
    /* number of ticks that found a full counter or a full array of pcsample, or for which the counting ended */
    uint64_t overflows;
    size_t region_count;
    struct dialect_buffer {
        uint64_t address; /* address of the first counter */
        bool off;         /* the buffer could not be read or written, so it gets no more ticks */
    } *buffers;                     /* one for each region, in the order of `regions` */
    struct dialect_region regions[]; /* the array `buffers` follows in the same block of memory */
};

/* Creates a dialect_count. Copies the arrays `regions` and `addresses`, which have `count` elements each. addresses[i]
 * is the address of the buffer of regions[i]. If counter_size is 0, counters have the size that is usual in the
 * dialect. The caller frees the result with free(3). NULL: no memory. */
struct dialect_count *dialect_count_new(const struct dialect *dialect, unsigned counter_size,
                                        const struct dialect_region *regions, const uint64_t *addresses, size_t count);
/* Returns a copy of a dialect_count and of its state. The caller frees the copy with free(3). NULL: no memory. */
struct dialect_count *dialect_count_copy(const struct dialect_count *count);

/* Counts CPU time that a process used at a pc. in_system: the process was in a system call that returns to this pc.
 * Only complete ticks are counted. The rest, which is less than a tick, stays in count->owed_ns for the next call. */
void dialect_count_cpu(struct dialect_count *count, const struct dialect_memory *memory,
                       uint64_t pc, bool in_system, uint64_t cpu_ns);

#endif
