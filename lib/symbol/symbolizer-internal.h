/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a symbolizer shares with function-code.c: its files, opened once. */
#ifndef PPROFIL_SYMBOLIZER_INTERNAL_H
#define PPROFIL_SYMBOLIZER_INTERNAL_H

#include "pprofil/error.h"
#include "symbol/elf-object.h"
#include "symbol/symbol.h"

/* The file that has the code of a location. PPROFIL_ERROR_NO_CODE: none has, and *problem (borrowed) says why;
 * -ENOMEM. */
int symbolizer_elf(struct symbolizer *symbolizer, uint32_t location, struct elf_object **elf,
                   const char **problem);

/* The profile that it works on; borrowed. */
const struct profile *symbolizer_profile(const struct symbolizer *symbolizer);

#endif
