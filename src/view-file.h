/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* view-file: shows a saved profile on the screen of pprofil top. */
#ifndef PPROFIL_VIEW_FILE_H
#define PPROFIL_VIEW_FILE_H

#include "options.h"
#include "tui/top.h"

/* Returns true if a word of the command line is a file that is no program, so that pprofil top shows it. */
bool view_is_file(const char *word);

/* Opens the profile at `path`, or the requested part of it, and shows it until the user leaves it. `input_format`: name
 * of the file's format; NULL: pprofil recognizes the format. Of `request`, only what concerns the screen is used.
 * Complains about failures. Returns the exit status. */
int view_show(const struct top_request *request, const struct selection_request *selection, const char *path,
              const char *input_format);

#endif
