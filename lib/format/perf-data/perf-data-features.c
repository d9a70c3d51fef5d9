/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes the header of a perf.data, its event, and the features after the data: machine, command, build-ids. This file
 * also has the functions that write numbers and texts into features and records.
 */
#include "config.h"

#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include "format/address-layout.h"
#include "format/perf-data/perf-data-write.h"

#define TEXT_LENGTH_MAX 4095u /* bytes of a name */

/* --- numbers and texts ---------------------------------------------------------------- */

void perf_put4(struct perf_writer *writer, uint64_t number)
{
    bytes_put(writer->out, number & UINT32_MAX, 4);
}

void perf_put8(struct perf_writer *writer, uint64_t number)
{
    bytes_put(writer->out, number, 8);
}

void perf_put_head(struct perf_writer *writer, enum perf_record type, unsigned misc, size_t size)
{
    bytes_put(writer->out, type, 4);
    bytes_put(writer->out, misc, 2);
    bytes_put(writer->out, size, 2);
}

static size_t text_length(const char *text)
{
    size_t length = strlen(text);
    return length < TEXT_LENGTH_MAX ? length : TEXT_LENGTH_MAX;
}

size_t perf_text_room(const char *text, size_t align)
{
    return (text_length(text) + align) / align * align;
}

void perf_put_text(struct perf_writer *writer, const char *text, size_t align)
{
    size_t length = text_length(text);

    bytes_put_all(writer->out, text, length);
    bytes_put_zeros(writer->out, perf_text_room(text, align) - length);
}

/* --- header and features ---------------------------------------------------------------- */

static bool has_kernel(const struct profile *profile)
{
    for (uint32_t i = 0; i < profile->object_count; i++)
        if (profile_is_kernel(profile, i))
            return true;
    return false;
}

static void put_attr(struct perf_writer *writer)
{
    double hz = writer->profile->totals.asked_hz;
    uint64_t flags = PERF_FLAG_EXCLUDE_HV | PERF_FLAG_MMAP | PERF_FLAG_COMM | PERF_FLAG_TASK | PERF_FLAG_SAMPLE_ID_ALL |
                     PERF_FLAG_MMAP2 | PERF_FLAG_COMM_EXEC | PERF_FLAG_FREQ;

    if (!has_kernel(writer->profile))
        flags |= PERF_FLAG_EXCLUDE_KERNEL;
    perf_put4(writer, PERF_TYPE_SOFTWARE);
    perf_put4(writer, PERF_ATTR_SIZE);
    perf_put8(writer, PERF_CPU_CLOCK);
    perf_put8(writer, hz >= 1 && hz <= 1e9 ? (uint64_t)(hz + 0.5) : 1);
    perf_put8(writer, writer->has);
    perf_put8(writer, 0);
    perf_put8(writer, flags);
    bytes_put_zeros(writer->out, 16);
}

/* Writes the size of a text including its padding, and then the text and the padding. */
static void put_string(struct perf_writer *writer, const char *text)
{
    perf_put4(writer, perf_text_room(text, 64));
    perf_put_text(writer, text, 64);
}

static void put_build_ids(struct perf_writer *writer)
{
    const struct profile *profile = writer->profile;

    for (uint32_t i = 0; i < profile->object_count; i++) {
        const struct profile_object *object = &profile->objects[i];
        const char *path = profile->strings[object->path];
        if (object->build_id_size == 0 || object->build_id_size > PERF_BUILD_ID_SIZE_MAX)
            continue;
        perf_put_head(writer, 0, PERF_MISC_USER | PERF_MISC_BUILD_ID_SIZE, 36 + perf_text_room(path, 64));
        perf_put4(writer, UINT32_MAX); /* the pid -1 shows that the object belongs to the host, not to a guest */
        bytes_put_all(writer->out, object->build_id, object->build_id_size);
        bytes_put_zeros(writer->out, PERF_BUILD_ID_SIZE_MAX - object->build_id_size);
        bytes_put(writer->out, object->build_id_size, 1);
        bytes_put_zeros(writer->out, 3);
        perf_put_text(writer, path, 64);
    }
}

static void put_event(struct perf_writer *writer)
{
    perf_put4(writer, 1);
    perf_put4(writer, PERF_ATTR_SIZE);
    put_attr(writer);
    perf_put4(writer, 1);
    put_string(writer, writer->profile->totals.wall ? PERF_WALL_EVENT : "cpu-clock");
    perf_put8(writer, PERF_EVENT_ID);
}

static void put_feature(struct perf_writer *writer, enum perf_feature feature)
{
    const char *command = writer->profile->command;
    struct utsname machine = {0};

    uname(&machine);
    switch (feature) {
    case PERF_FEATURE_BUILD_ID:
        put_build_ids(writer);
        break;
    case PERF_FEATURE_HOSTNAME:
        put_string(writer, machine.nodename);
        break;
    case PERF_FEATURE_OSRELEASE:
        put_string(writer, machine.release);
        break;
    case PERF_FEATURE_VERSION:
        put_string(writer, PERF_OWN_VERSION PACKAGE_VERSION);
        break;
    case PERF_FEATURE_ARCH:
        put_string(writer, machine.machine);
        break;
    case PERF_FEATURE_NRCPUS:
        perf_put4(writer, (uint64_t)get_nprocs());
        perf_put4(writer, (uint64_t)get_nprocs_conf());
        break;
    case PERF_FEATURE_CPUDESC:
        put_string(writer, machine.machine);
        break;
    case PERF_FEATURE_CMDLINE:
        /* readers take the first word of the command line as the name of perf, so PERF_OWN_COMMAND comes first */
        perf_put4(writer, 2);
        put_string(writer, PERF_OWN_COMMAND);
        put_string(writer, command != NULL ? command : "");
        break;
    case PERF_FEATURE_EVENT_DESC:
        put_event(writer);
        break;
    case PERF_FEATURE_SAMPLE_TIME:
        perf_put8(writer, writer->plan.timestamps.begin);
        perf_put8(writer, writer->plan.timestamps.end);
        break;
    default:
        break;
    }
}

/* The features that are written, in the order of their bits. The command `perf data convert` refuses a file if one of
 * the first eight is missing. */
static const enum perf_feature features[PERF_FEATURES] = {
    PERF_FEATURE_BUILD_ID,   PERF_FEATURE_HOSTNAME,    PERF_FEATURE_OSRELEASE, PERF_FEATURE_VERSION,
    PERF_FEATURE_ARCH,       PERF_FEATURE_NRCPUS,      PERF_FEATURE_CPUDESC,   PERF_FEATURE_CMDLINE,
    PERF_FEATURE_EVENT_DESC, PERF_FEATURE_SAMPLE_TIME,
};

/* Where the data begins in the file. Before it come the header, the id of the event, and the perf_event_attr of the
 * event with the offset and size of its list of ids. */
#define DATA_AT (PERF_HEADER_SIZE + 8u + PERF_ATTR_SIZE + 16u)

void perf_put_header(struct perf_writer *writer)
{
    uint64_t bits = 0;

    for (size_t i = 0; i < PERF_FEATURES; i++)
        bits |= UINT64_C(1) << features[i];
    bytes_put_all(writer->out, PERF_MAGIC, 8);
    perf_put8(writer, PERF_HEADER_SIZE);
    perf_put8(writer, PERF_ATTR_SIZE + 16u);
    perf_put8(writer, PERF_HEADER_SIZE + 8u);
    perf_put8(writer, PERF_ATTR_SIZE + 16u);
    perf_put8(writer, DATA_AT);
    perf_put8(writer, writer->data_size);
    bytes_put_zeros(writer->out, 16);
    perf_put8(writer, bits);
    bytes_put_zeros(writer->out, 24);
    perf_put8(writer, PERF_EVENT_ID);
    put_attr(writer);
    perf_put8(writer, PERF_HEADER_SIZE);
    perf_put8(writer, 8);
}

/* Writes the table of the features' offsets and sizes, and then the features. */
void perf_put_features(struct perf_writer *writer, const uint64_t sizes[PERF_FEATURES])
{
    uint64_t at = DATA_AT + writer->data_size + 16 * PERF_FEATURES;

    for (size_t i = 0; i < PERF_FEATURES; i++) {
        perf_put8(writer, at);
        perf_put8(writer, sizes[i]);
        at += sizes[i];
    }
    for (size_t i = 0; i < PERF_FEATURES; i++)
        put_feature(writer, features[i]);
}

void perf_measure_features(struct perf_writer *writer, uint64_t sizes[PERF_FEATURES])
{
    for (size_t i = 0; i < PERF_FEATURES; i++) {
        uint64_t before = bytes_put_so_far(writer->out);
        put_feature(writer, features[i]);
        sizes[i] = bytes_put_so_far(writer->out) - before;
    }
}
