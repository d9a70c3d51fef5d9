/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* jitdump: the names and lines that a JIT writes to jit-PID.dump, with its code. */
#ifndef PPROFIL_JITDUMP_H
#define PPROFIL_JITDUMP_H

#include "symbol/jit-names.h"

/* Is this the beginning of one, of this byte order? */
bool jitdump_is(const unsigned char head[4]);

/* Reads what is whole of it. False: no memory. */
bool jitdump_read(int fd, size_t size, struct code_names *names);

#endif
