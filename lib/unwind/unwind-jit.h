/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* unwind-jit: rules for code that is made at run time, from the frame descriptions that its compiler writes. */
#ifndef PPROFIL_UNWIND_JIT_H
#define PPROFIL_UNWIND_JIT_H

#include "unwind/unwind-internal.h"

/* Finds the rule of run-time code. object: the number of the object that contains the address. The rule is borrowed,
 * has no expressions, and is only valid until the next call. *rule becomes NULL if there is none. 0 or -ENOMEM. */
int unwind_jit_rule(struct walk *walk, uint32_t object, uint64_t address, const struct rule **rule);
void unwind_forget_jit(struct unwinder *unwinder);
/* Does for these rules what unwinder_end_period does. 0 or -ENOMEM. */
int unwind_move_jit(struct unwinder *unwinder, const struct profile_moves *moves);

#endif
