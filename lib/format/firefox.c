/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "format/firefox.h"
#include "format/format.h"

const struct format format_firefox = {
    .name = "firefox",
    .extensions = ".firefox.json .profile.json",
    .summary = "for the Firefox Profiler, version 47",
    .keeps = "stacks with inlined functions, names, lines, marks, processes and "
             "threads, objects with build-ids, times; system calls and sleep as "
             "categories",
    .loses = "names as the linker has them, CPU time in a profile of elapsed time, "
             "totals; only written",
    .write = firefox_write,
};
