/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fuzz: tries one hostile input. A target is the name of an archive of tests/fuzz/corpus: a format of lib/format, or
 * elf, jitdump, perf-map, symbol-name, unwind. libFuzzer makes new inputs (run.sh), and make check tries the inputs
 * in the archives (tests/unit/test-corpus.c).
 */
#ifndef PPROFIL_FUZZ_H
#define PPROFIL_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns whatever the input is, and has freed all memory. False: there is no such target. */
bool fuzz(const char *target, const uint8_t *data, size_t size);

/* False: there is no such format, or it cannot be read. */
bool fuzz_read(const char *format, const uint8_t *data, size_t size);
/* A file that a target maps; a file that names code made at run time. */
void fuzz_elf(const uint8_t *data, size_t size);
void fuzz_jit(const uint8_t *data, size_t size);
void fuzz_symbol_name(const uint8_t *data, size_t size);
void fuzz_unwind(const uint8_t *data, size_t size);

#endif
