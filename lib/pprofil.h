/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libpprofil: sampling profiles of other processes, taken from outside with ptrace. libpprofil(3) shows how the parts
 * belong together.
 *
 *   pprofil/error.h       what functions return that fail
 *   pprofil/session.h     runs: programs that are launched and processes that are attached to, while they are sampled
 *   pprofil/histogram.h   the profil(2) family, counted from outside during a run
 *   pprofil/profile.h     what was sampled: in memory, in files, and parts of it
 *   pprofil/report.h      rows, call trees, code and differences of profiles
 *   pprofil/live.h        the same of a run that goes on
 *
 * Functions return 0, a negative errno or an enum pprofil_error, unless their comment says otherwise. After an error
 * nothing is stored where a result would be. A function that "tells the i-th" of something numbers from 0, and returns
 * -ENOENT past the last.
 *
 * The library is not thread-safe: a session, and all that came from it, belong to one thread at a time.
 *
 * Structures may grow in later versions. One that the caller fills has its size as its first field. One that the
 * library fills is accompanied by its size in the call. Fields that are 0 or NULL have the meaning that their comment
 * gives to it, or none, so that {.size = sizeof options} asks for nothing special.
 */
#ifndef PPROFIL_H
#define PPROFIL_H

#include "pprofil/error.h"
#include "pprofil/histogram.h"
#include "pprofil/live.h"
#include "pprofil/profile.h"
#include "pprofil/report.h"
#include "pprofil/session.h"

#endif
