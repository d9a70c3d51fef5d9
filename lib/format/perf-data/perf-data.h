/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * perf-data: constants of the file format perf.data, which its reader and its writer share. Names and numbers are those
 * of perf_event_open(2) and of tools/perf/Documentation/perf.data-file-format.txt in the kernel. They are defined here
 * because old kernel headers do not have all of them.
 */
#ifndef PPROFIL_PERF_DATA_H
#define PPROFIL_PERF_DATA_H

#include "format/format.h"

#define PERF_MAGIC "PERFILE2"
#define PERF_HEADER_SIZE 104u
#define PERF_PIPE_HEADER_SIZE 16u
#define PERF_ATTR_SIZE 64u /* bytes of the first version of perf_event_attr, which all readers know */
#define PERF_BUILD_ID_SIZE_MAX 20u

enum perf_record {
    PERF_MMAP = 1,
    PERF_COMM = 3,
    PERF_EXIT = 4,
    PERF_FORK = 7,
    PERF_SAMPLE = 9,
    PERF_MMAP2 = 10,
    PERF_AUXTRACE = 71, /* this and all higher numbers are defined by perf, not by the kernel */
    PERF_COMPRESSED = 81,
    PERF_COMPRESSED2 = 83,
};

enum perf_misc {
    /* mask of the bits that contain the CPU mode. The next two constants are modes, and there are others */
    PERF_MISC_MODE = 7,
    PERF_MISC_KERNEL = 1,
    PERF_MISC_USER = 2,
    PERF_MISC_DATA = 1 << 13, /* in an MMAP record: the mapping is not executable */
    PERF_MISC_EXEC = 1 << 13, /* in a COMM record: an exec caused it; in a FORK record: mappings are not inherited */
    PERF_MISC_BUILD_ID = 1 << 14,      /* in an MMAP2 record: the record has a build-id */
    /* in an entry of the feature "build-ids": the entry contains the size of its build-id */
    PERF_MISC_BUILD_ID_SIZE = 1 << 15,
};

/* Bits of attr.sample_type, which show what fields a sample has. */
enum perf_has {
    PERF_HAS_IP = 1 << 0,
    PERF_HAS_TID = 1 << 1,
    PERF_HAS_TIME = 1 << 2,
    PERF_HAS_ADDR = 1 << 3,
    PERF_HAS_READ = 1 << 4,
    PERF_HAS_CALLCHAIN = 1 << 5,
    PERF_HAS_ID = 1 << 6,
    PERF_HAS_CPU = 1 << 7,
    PERF_HAS_PERIOD = 1 << 8,
    PERF_HAS_STREAM_ID = 1 << 9,
    PERF_HAS_STACK_USER = 1 << 13,
    PERF_HAS_IDENTIFIER = 1 << 16,
};

/* Bits of the flags that follow attr.read_format. */
enum perf_flag {
    PERF_FLAG_EXCLUDE_KERNEL = 1 << 5,
    PERF_FLAG_EXCLUDE_HV = 1 << 6,
    PERF_FLAG_MMAP = 1 << 8,
    PERF_FLAG_COMM = 1 << 9,
    PERF_FLAG_FREQ = 1 << 10,
    PERF_FLAG_TASK = 1 << 13,
    PERF_FLAG_SAMPLE_ID_ALL = 1 << 18,
    PERF_FLAG_MMAP2 = 1 << 23,
    PERF_FLAG_COMM_EXEC = 1 << 24,
};

enum perf_feature {
    PERF_FEATURE_BUILD_ID = 2,
    PERF_FEATURE_HOSTNAME = 3,
    PERF_FEATURE_OSRELEASE = 4,
    PERF_FEATURE_VERSION = 5,
    PERF_FEATURE_ARCH = 6,
    PERF_FEATURE_NRCPUS = 7,
    PERF_FEATURE_CPUDESC = 8,
    PERF_FEATURE_CMDLINE = 11,
    PERF_FEATURE_EVENT_DESC = 12,
    PERF_FEATURE_SAMPLE_TIME = 21,
    PERF_FEATURE_COMPRESSED = 27,
};

/* Markers in a stack. The addresses after PERF_CONTEXT_KERNEL are in the kernel, and those after PERF_CONTEXT_USER are
 * in user code. */
#define PERF_CONTEXT_KERNEL ((uint64_t)-128)
#define PERF_CONTEXT_USER ((uint64_t)-512)
#define PERF_CONTEXT_MIN ((uint64_t)-4095) /* all numbers from this one upwards are markers, not addresses */

#define PERF_TYPE_SOFTWARE 1u
#define PERF_CPU_CLOCK 0u  /* the periods of this clock and of the next one are in ns */
#define PERF_TASK_CLOCK 1u

#define PERF_WALL_EVENT "wall-clock" /* name of the event in a profile of elapsed time */
#define PERF_OWN_VERSION "pprofil "  /* how the version begins in files that pprofil wrote */
#define PERF_OWN_COMMAND "pprofil"   /* first word of the command line in files that pprofil wrote */

/* The field `write` of format_perf_data points to this function. */
int perf_data_write(int fd, const struct profile *profile);

#endif
