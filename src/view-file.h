/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* view-file: shows a saved profile, or what differs between two, on the screen of pprofil top. */
#ifndef PPROFIL_VIEW_FILE_H
#define PPROFIL_VIEW_FILE_H

#include "options.h"
#include "tui/top.h"

/* Returns true if a word of the command line is a file, and no program that could be started: neither the file itself,
 * nor, if the word has no slash, one that PATH has. */
bool view_file_is(const char *word);

/* Opens the profile at `path`, or the requested part of it, and shows it until the user leaves it. `request` says how
 * many rows a frame has, and whether there is a screen; the rest of it is ignored. Complains about failures. Returns
 * the exit status. */
int view_file_show(const struct top_request *request, const struct selection_request *selection, const char *path);

/* Opens the profiles at both paths, the older one first, or the requested part of each, and shows what differs between
 * them, as view_file_show does. */
int view_files_compare(const struct top_request *request, const struct selection_request *selection,
                       const char *const paths[2]);

#endif
