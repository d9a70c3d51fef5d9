/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* command-fixture: in place of src/output-stream.c and src/main.c, for the tests of src/. */
#ifndef PPROFIL_COMMAND_FIXTURE_H
#define PPROFIL_COMMAND_FIXTURE_H

#include "src/command.h"

/* Calls act(argument) in a child process, which must end as pprofil does after a complaint. Returns the message; the
 * next call overwrites it. */
const char *complaint_of(void (*act)(const char *argument), const char *argument);

#endif
