/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PPROFIL_DEMANGLE_H
#define PPROFIL_DEMANGLE_H

/* The name as its author wrote it: C++ and Rust (both manglings). NULL where it is not
 * mangled, or libiberty was left out. The caller frees it. */
char *demangle(const char *name);

#endif
