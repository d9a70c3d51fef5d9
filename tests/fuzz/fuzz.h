/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fuzz: what is done with one hostile input. A target is an archive of tests/fuzz/corpus: a
 * format of lib/format, or elf, jitdump, perf-map, symbol-name, unwind. libFuzzer makes inputs
 * without end (run.sh), and make check goes through those that are kept (tests/unit/test-corpus).
 */
#ifndef PPROFIL_FUZZ_H
#define PPROFIL_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whatever the input is, this returns, with all memory freed. False: no such target. */
bool fuzz(const char *target, const uint8_t *data, size_t size);

/* False: no such format, or none that can be read. */
bool fuzz_read(const char *format, const uint8_t *data, size_t size);
/* A file that is mapped; a list of names of code that was made at run time. */
void fuzz_elf(const uint8_t *data, size_t size);
void fuzz_jit(const uint8_t *data, size_t size);
void fuzz_symbol_name(const uint8_t *data, size_t size);
void fuzz_unwind(const uint8_t *data, size_t size);

#endif
