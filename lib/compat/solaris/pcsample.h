/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The header <pcsample.h> of Solaris: declares pcsample(2). */
#ifndef PPROFIL_SOLARIS_PCSAMPLE_H
#define PPROFIL_SOLARIS_PCSAMPLE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

extern long pcsample(uintptr_t samples[], long nsamples);

#ifdef __cplusplus
}
#endif

#endif
