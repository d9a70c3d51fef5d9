/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fnv: a sum that tells one file's bytes from another's, where nobody means to deceive: FNV-1a of 64 bits. */
#ifndef PPROFIL_BASE_FNV_H
#define PPROFIL_BASE_FNV_H

#include <stddef.h>
#include <stdint.h>

#define FNV_START UINT64_C(0xcbf29ce484222325)

/* The sum of all bytes so far, of which sum is that of those before these. */
uint64_t fnv_add(uint64_t sum, const void *bytes, size_t size);

#endif
