/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* arguments: converts arguments of options to numbers, times, frequencies and sizes. A wrong argument ends pprofil with
 * a message that says what the option takes. */
#ifndef PPROFIL_ARGUMENTS_H
#define PPROFIL_ARGUMENTS_H

#include <stddef.h>
#include <stdint.h>

/* Returns a number from `lowest` to `highest`. */
double number_option(const char *option, const char *text, double lowest, double highest);
/* Returns a share of 0 to 1 for a number of percent from `lowest` to `highest`, with or without a percent sign. */
double percent_option(const char *option, const char *text, double lowest, double highest);
/* Returns a whole number from 0 to 10^9, for options that give a number of rows or levels. */
uint32_t count_option(const char *option, const char *text);
/* Returns a whole number from 0 to 2^32 - 1, which may also be octal or hexadecimal, as in C. */
uint32_t integer_option(const char *option, const char *text);
/* Returns seconds, from `lowest` to `highest`. The text is a number of seconds, or one or more numbers with units:
 * "500ms", "10s", "1h30m". The units are us, ms, s, sec, m, min, h and d. */
double duration_option(const char *option, const char *text, double lowest, double highest);
/* Returns Hz, from `lowest` to `highest`. The text is a number, which k multiplies by 1000, with or without Hz behind
 * it, or "max". */
double frequency_option(const char *option, const char *text, double lowest, double highest);
/* Returns bytes, from `lowest` to `highest`. The text is a number, or a number with k (1024) or M (1024 * 1024). */
size_t size_option(const char *option, const char *text, size_t lowest, size_t highest);

#endif
