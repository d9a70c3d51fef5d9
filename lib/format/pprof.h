/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pprof: what the writer and the reader of profile.proto must agree on.
 *
 * What the messages have no field for goes into comments, one line each, which other tools
 * show or ignore:
 *
 *   pprofil: totals KEY=NUMBER ...
 *   pprofil: command TEXT
 *   pprofil: process pid=N ppid=N generation=N start=N end=N status=N cpu_ns=N comm=TEXT
 *   pprofil: object mapping=N kind=N device=N inode=N pid=N generation=N deleted=N
 *
 * Samples carry the labels pid, tid, generation (of the process image, if not 0), comm (the
 * thread's), syscall, and state ("sleeping").
 */
#ifndef PPROFIL_PPROF_H
#define PPROFIL_PPROF_H

#include "format/format.h"
#include "format/profile.pb-c.h"

typedef Perftools__Profiles__Profile PbProfile;
typedef Perftools__Profiles__ValueType PbValueType;
typedef Perftools__Profiles__Sample PbSample;
typedef Perftools__Profiles__Label PbLabel;
typedef Perftools__Profiles__Mapping PbMapping;
typedef Perftools__Profiles__Location PbLocation;
typedef Perftools__Profiles__Line PbLine;
typedef Perftools__Profiles__Function PbFunction;

#define PPROF_COMMENT "pprofil: "
#define PPROF_LARGEST (1u << 30) /* bytes when unpacked; more is an attack, or a mistake */

/* A total by name: all are written and read through this table. */
struct pprof_total {
    const char *name;
    size_t offset; /* in struct profile_totals, uint64_t */
};
extern const struct pprof_total pprof_totals[];

int pprof_read(const char *path, struct profile *profile);
int pprof_write(int fd, const struct profile *profile);

#endif
