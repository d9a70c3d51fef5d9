/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DEMO_WORK_H
#define DEMO_WORK_H

#include <stddef.h>
#include <stdint.h>

uint64_t mix(uint64_t seed, size_t rounds);

#endif
