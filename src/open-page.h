/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* open-page: gives a page a file of its own, and opens it in the user's browser. */
#ifndef PPROFIL_OPEN_PAGE_H
#define PPROFIL_OPEN_PAGE_H

#include <limits.h>
#include <stdbool.h>

/* Makes a new directory that only the user can enter, in $XDG_RUNTIME_DIR, $TMPDIR or /tmp, and stores the path of a
 * file in it that does not exist yet. Its name is that of the last part of `source`, and ends with ".html". Returns 0,
 * or -errno of the last directory that was tried. */
int open_page_path(const char *source, char path[PATH_MAX]);
/* Removes the file, if it exists, and the directory that open_page_path has made for it. */
void open_page_remove(const char *path);

/* Opens a file with xdg-open, which finds the user's browser. Returns false if there is no graphical session or no
 * xdg-open, or if it fails within OPEN_PAGE_WAIT_MS. */
bool open_page_in_browser(const char *path);

#define OPEN_PAGE_WAIT_MS 2000

#endif
