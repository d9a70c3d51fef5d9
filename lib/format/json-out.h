/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * json-out: pieces of JSON that are written as they come. Numbers have a point whatever the
 * locale, texts are UTF-8 whatever a name was.
 */
#ifndef PPROFIL_JSON_OUT_H
#define PPROFIL_JSON_OUT_H

#include <stdint.h>
#include <stdio.h>

/* A text in quotation marks; what is no UTF-8 becomes U+FFFD. */
void json_put_text(FILE *out, const char *text);
/* Nanoseconds as a number of units of so many nanoseconds, a power of ten, to the last digit. */
void json_put_time(FILE *out, uint64_t ns, uint64_t unit);

/* A stream to a descriptor that stays open, or NULL and errno. Closing it is told by
 * json_close: 0 or -errno. */
FILE *json_open(int fd);
int json_close(FILE *out);

#endif
