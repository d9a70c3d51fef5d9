/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* polling: awaiting stops without sleeping. */
#ifndef PPROFIL_POLLING_H
#define PPROFIL_POLLING_H

struct tracer;

/* Without the lock. Polls for the stops of this tick. A thread whose stop does not come is asleep by now, deep
 * in the kernel, or waiting for the very CPU that we poll on: then we leave it that CPU. */
void polling_await(struct tracer *tracer);

#endif
