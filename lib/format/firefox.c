/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "format/firefox.h"
#include "format/format.h"
#include "format/text.h"

static bool firefox_matches(const unsigned char *head, size_t size, uint64_t all)
{
    (void)all;
    return size > 0 && head[0] == '{' && text_has(head, size, "\"preprocessedProfileVersion\"");
}

const struct format format_firefox = {
    .name = "firefox",
    .extensions = ".firefox.json .profile.json",
    .summary = "for the Firefox Profiler, version 47",
    .keeps = "stacks of addresses with inlined functions, names, lines, marks, processes and "
             "threads by name and number, objects with build-ids, sample counts (up to 1048576), "
             "times; system calls and states as categories",
    .loses = "names as the linker has them, addresses of the kernel, where objects were mapped, "
             "the time line, totals",
    .matches = firefox_matches,
    .read = firefox_read,
    .write = firefox_write,
};
