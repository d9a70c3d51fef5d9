/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* report-json: what all that print JSON need. */
#ifndef PPROFIL_VIEW_JSON_H
#define PPROFIL_VIEW_JSON_H

#include <jansson.h>

#include "command.h"

/* Makes a JSON text of bytes in any encoding; NULL: no memory. */
json_t *json_text(const char *bytes);
json_int_t json_uint(uint64_t number);

#endif
