/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of formats, and which of them a name means. */
#include "config.h"

#include <ctype.h>
#include <string.h>

#include "format/format.h"
#include "format/profil/codec.h"

/* Those with a magic number first: the others look at numbers that might be anything. */
static const struct format *const formats[] = {
    &format_pprof,
    &format_events,
    &format_perf_data,
    &format_speedscope,
    &format_firefox,
    &format_json,
    &format_callgrind,
    &format_perf_script,
    &format_csv,
    &format_folded,
    &format_gperftools,
    &format_gmon,
    &format_sprof,
    &format_mon_solaris,
    &format_gmon_bsd,
    &format_kpdata,
    &format_n64,
    &format_mon,
    &format_pcsample,
    &format_flame_svg,
    &format_flame_html,
    &format_icicle_svg,
    &format_heat_svg,
    &format_chrome_trace,
};

const struct format *format_at(unsigned i)
{
    return i < sizeof formats / sizeof *formats ? formats[i] : NULL;
}

const struct format *format_by_name(const char *name)
{
    for (unsigned i = 0; format_at(i) != NULL; i++)
        if (strcmp(format_at(i)->name, name) == 0)
            return format_at(i);
    return NULL;
}

/* What begins without a dot has to be a word: "gmon.out" is in "my.gmon.out", not in "xgmon.out". */
static bool begins_there(const char *path, const char *end)
{
    return *end == '.' || end == path || !isalnum((unsigned char)end[-1]);
}

/* The length of the longest of the extensions that the path ends with; 0: none. */
static size_t longest_ending(const char *path, const char *extensions)
{
    size_t length = strlen(path), longest = 0;

    while (*extensions != '\0') {
        size_t size = strcspn(extensions, " ");
        bool whole = length == size && *extensions != '.';
        if ((length > size || whole) && size > longest &&
            strncmp(path + length - size, extensions, size) == 0 &&
            begins_there(path, path + length - size))
            longest = size;
        extensions += size + (extensions[size] == ' ');
    }
    return longest;
}

/* The longest: ".speedscope.json" says more than ".json". */
const struct format *format_by_path(const char *path)
{
    const struct format *best = NULL;
    size_t longest = 0;

    for (unsigned i = 0; format_at(i) != NULL; i++) {
        size_t ending = longest_ending(path, format_at(i)->extensions);
        if (ending > longest) {
            longest = ending;
            best = format_at(i);
        }
    }
    return best;
}

bool format_readable(const struct format *format)
{
    return format->read != NULL || format->read_with != NULL || format->codec != NULL;
}

bool format_writable(const struct format *format)
{
    return format->write != NULL || format->write_with != NULL || format->codec != NULL;
}
