/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds and adds locations by names. */
#include "config.h"

#include <string.h>

#include "base/hash.h"
#include "pprofil/error.h"
#include "profile/named-locations.h"

/* limit for the addresses that are tried for one location; it never happens by chance that all of them are taken */
#define PROBES_MAX 1000
#define HASHED_MAX 4096 /* at most this number of bytes of a name are hashed */

int profile_named_object(struct profile *profile, const char *path, uint32_t *object)
{
    struct profile_object made = {.kind = PROFILE_OBJECT_FILE, .invented = true, .fd = -1};

    if (strcmp(path, "[vdso]") == 0)
        made.kind = PROFILE_OBJECT_VDSO;
    if (path[0] == '\0' || strcmp(path, "[unknown]") == 0) {
        made.kind = PROFILE_OBJECT_UNKNOWN;
        path = "[unknown]";
    }
    int error = profile_string(profile, path, &made.path);
    return error == 0 ? profile_object(profile, &made, object) : error;
}

int profile_named_function(struct profile *profile, uint32_t object, const char *name, const char *file, uint32_t line,
                           uint32_t *function)
{
    struct profile_function made = {.object = object + 1, .line = line};

    int error = profile_string(profile, name[0] != '\0' ? name : "[unknown]", &made.name);
    if (error == 0)
        error = profile_string(profile, file, &made.file);
    made.system_name = made.name;
    return error == 0 ? profile_function(profile, &made, function) : error;
}

/* Hashes a text with its NUL, but at most HASHED_MAX bytes. Without this limit, a name of several megabytes would be
 * hashed whole for each line of its function. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
    return hash_fnv(hash, text, strnlen(text, HASHED_MAX - 1) + 1);
}

/* The addresses of a function's lines follow each other, in the order of the lines. */
#define LINE_BITS 16

static uint64_t hash_function(const struct profile *profile, uint64_t hash, uint32_t index)
{
    const struct profile_function *function = &profile->functions[index];

    hash = hash_text(hash, profile->strings[function->name]);
    hash = hash_text(hash, profile->strings[function->file]);
    return (hash ^ (uint64_t)function->line << 32) * UINT64_C(0x9e3779b97f4a7c15);
}

/* Invents the address of a location. It has 47 bits, like the addresses of real programs: a hash of all names and line
 * numbers in `lines`, except the first line number, and in its lowest bits that line number. */
static uint64_t make_address(const struct profile *profile, const struct profile_line *lines, uint32_t count)
{
    uint64_t hash = HASH_FNV_START;
    uint32_t line = lines[0].line - profile->functions[lines[0].function].line;

    for (uint32_t i = 0; i < count; i++) {
        hash = hash_function(profile, hash, lines[i].function);
        hash = hash_text(hash, profile->strings[lines[i].file]);
        if (i > 0)
            hash = (hash ^ lines[i].line) * UINT64_C(0x9e3779b97f4a7c15);
    }
    hash ^= hash >> 29;
    return (hash >> (17 + LINE_BITS) | 1) << LINE_BITS | (line & ((1u << LINE_BITS) - 1));
}

static bool has_lines(const struct profile_location *place, const struct profile_line *lines, uint32_t count)
{
    if (place->line_count != count)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (place->lines[i].function != lines[i].function || place->lines[i].file != lines[i].file ||
            place->lines[i].line != lines[i].line)
            return false;
    return true;
}

int profile_named_location(struct profile *profile, uint32_t object, const struct profile_line *lines, uint32_t count,
                           uint32_t *location)
{
    uint64_t address = make_address(profile, lines, count);

    for (unsigned probe = 0; probe < PROBES_MAX; probe++) {
        uint32_t before = profile->location_count;
        int error = profile_location(profile, object, address, location);
        if (error != 0)
            return error;
        if (profile->location_count != before)
            return profile_set_lines(profile, *location, lines, count, PROFILE_LOOKED_NAME | PROFILE_LOOKED_LINE);
        if (has_lines(&profile->locations[*location], lines, count))
            return 0;
        address = (address * UINT64_C(0x9e3779b97f4a7c15) + probe) >> 17 | 1;
    }
    return PPROFIL_ERROR_DAMAGED;
}
