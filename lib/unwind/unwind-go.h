/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rules for Go code that has no frame descriptions. */
#ifndef PPROFIL_UNWIND_GO_H
#define PPROFIL_UNWIND_GO_H

#include "pclntab/pclntab.h"
#include "unwind/unwind-internal.h"

/* Makes the rule of the instruction at a link-time address. after_call: the byte at the address is the last one of a
 * call, so the frame is not the innermost one. False: no Go code is there, or a signal handler returns there. */
bool go_rule(const struct pclntab *table, const struct machine *machine, uint64_t address, bool after_call,
             struct rule_full *rule);

#endif
