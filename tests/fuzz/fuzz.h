/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fuzz: tries one hostile input on a target. Targets are the formats of lib/format, and elf, jitdump, perf-map,
 * python, symbol-name and unwind. tests/unit/test-corpus.c tries the archive of inputs that each target has in
 * tests/fuzz/corpus. libFuzzer makes new inputs (run.sh).
 */
#ifndef PPROFIL_FUZZ_H
#define PPROFIL_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Tries the input, and frees all memory. Returns false if there is no such target. */
bool fuzz(const char *target, const uint8_t *data, size_t size);

/* Reads the input as a file of this format. Returns false if there is no such format, or if pprofil cannot read files
 * of this format. */
bool fuzz_read(const char *format, const uint8_t *data, size_t size);
/* For fuzz_elf, the input is a file that a profiled program maps. For fuzz_jit, it is a file with names of JIT code. */
void fuzz_elf(const uint8_t *data, size_t size);
void fuzz_jit(const uint8_t *data, size_t size);
void fuzz_symbol_name(const uint8_t *data, size_t size);
void fuzz_python(const uint8_t *data, size_t size);
void fuzz_unwind(const uint8_t *data, size_t size);

#endif
