/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The header <ultra64.h> of the Nintendo 64, as far as osProfile(3P) needs it. A program can define these macros:
 *
 *   PPROFIL_N64_DEBUG         the functions report errors, as the debug library did
 *   PPROFIL_N64_STRICT        the functions also refuse two things that the manual page forbids, although no library of
 *                             the console refused them: histograms that are too short, and segments that overlap.
 *                             text_end is then the last instruction, as in the manual page
 *   PPROFIL_N64_COUNTERS=32   counters are u32
 */
#ifndef PPROFIL_N64_ULTRA64_H
#define PPROFIL_N64_ULTRA64_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef float f32;
typedef double f64;

#define PROF_MIN_INTERVAL 50 /* microseconds */

#define ERR_OSPROFILEINIT_STR 61
#define ERR_OSPROFILEINIT_CNT 62
#define ERR_OSPROFILEINIT_ALN 63
#define ERR_OSPROFILEINIT_ORD 64
#define ERR_OSPROFILEINIT_SIZ 65
#define ERR_OSPROFILESTART_TIME 66
#define ERR_OSPROFILESTART_FLAG 67
#define ERR_OSPROFILESTOP_FLAG 68
#define ERR_OSPROFILESTOP_TIMER 69

#if defined PPROFIL_N64_COUNTERS && PPROFIL_N64_COUNTERS == 32
typedef u32 pprofil_n64_counter;
#else
typedef u16 pprofil_n64_counter;
#endif

typedef struct {
    pprofil_n64_counter *histo_base; /* array of counters, one for each 32-bit word of text */
    u32 histo_size;                  /* number of counters */
    u32 *text_start;                 /* first instruction */
    u32 *text_end; /* first address that is not counted; with PPROFIL_N64_STRICT: the last instruction */
} OSProf;

#define PPROFIL_N64_IS_DEBUG 1
#define PPROFIL_N64_IS_STRICT 2

#if defined PPROFIL_N64_STRICT
#define PPROFIL_N64_MODE (PPROFIL_N64_IS_DEBUG | PPROFIL_N64_IS_STRICT)
#elif defined PPROFIL_N64_DEBUG
#define PPROFIL_N64_MODE PPROFIL_N64_IS_DEBUG
#else
#define PPROFIL_N64_MODE 0
#endif

extern void pprofil_n64_init(const void *profp, u32 profcnt, u32 counter_size, int mode);
extern void pprofil_n64_start(u32 microseconds, int mode);
extern void pprofil_n64_stop(int mode);
extern void pprofil_n64_flush(void);

#ifndef PPROFIL_N64_NO_INLINE
static __inline__ void osProfileInit(OSProf *profp, u32 profcnt)
{
    pprofil_n64_init(profp, profcnt, sizeof(pprofil_n64_counter), PPROFIL_N64_MODE);
}

static __inline__ void osProfileStart(u32 microseconds)
{
    pprofil_n64_start(microseconds, PPROFIL_N64_MODE);
}

static __inline__ void osProfileStop(void)
{
    pprofil_n64_stop(PPROFIL_N64_MODE);
}

/* Sends the profile to a running "pprofil gperf -s". If no such server runs, writes the profile to a file.
 * PPROFIL_N64_OUTPUT contains the path of the file; if it is not set, the path is osprofile.out. */
static __inline__ void osProfileFlush(void)
{
    pprofil_n64_flush();
}

#else
extern void osProfileInit(OSProf *profp, u32 profcnt);
extern void osProfileStart(u32 microseconds);
extern void osProfileStop(void);
extern void osProfileFlush(void);
#endif

#ifdef __cplusplus
}
#endif

#endif
