/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pprofil.h: the public interface of libpprofil. The library samples other processes from outside, with ptrace(2).
 * libpprofil(3) shows how the parts belong together.
 *
 *   pprofil/error.h       error codes and their texts
 *   pprofil/machine.h     what can be done on this machine: limits of tracing, a process's program, optional parts
 *   pprofil/session.h     sessions: launch programs or attach to processes, and sample them
 *   pprofil/histogram.h   the profil(2) family: counts program counters of other processes during a session
 *   pprofil/profile.h     profiles: read, save, merge and select samples
 *   pprofil/report.h      reports of a profile: rows, call trees, annotated code and comparisons
 *   pprofil/ranks.h       profiles of jobs: how unevenly the processes of a job spend their time
 *   pprofil/live.h        reports of a session that is still sampling
 *
 * Functions return 0, a negative errno or an enum pprofil_error, and functions that fail store no result. The comments
 * of functions tell the exceptions. Functions that store the i-th item of a list count from 0, and return -ENOENT after
 * the last item.
 *
 * The library is not thread-safe. Only one thread at a time may use a session and the objects that were made from the
 * session.
 *
 * Structures may grow in later versions. So a structure that the caller fills begins with its own size. If the library
 * fills a structure, the caller passes the size of the structure to the function. An option that is 0 or NULL has its
 * default value, unless the comment of the option says otherwise. So {.size = sizeof options} requests only defaults.
 */
#ifndef PPROFIL_H
#define PPROFIL_H

#include "pprofil/error.h"
#include "pprofil/histogram.h"
#include "pprofil/live.h"
#include "pprofil/machine.h"
#include "pprofil/profile.h"
#include "pprofil/ranks.h"
#include "pprofil/report.h"
#include "pprofil/session.h"

#endif
