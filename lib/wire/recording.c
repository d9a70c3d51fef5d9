/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Recordings: events in a file. A recording is a header of 16 bytes, and then events byte for byte as they are in the
 * ring. Tests replay recordings to get the same events without ptrace.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/output-path.h"
#include "wire/wire.h"

struct recording_header {
    char magic[8];
    uint32_t version;
    uint32_t byte_order;
};

static const struct recording_header own_header = {
    .magic = "pprofil", .version = 3, .byte_order = 0x01020304};

struct wire_recording {
    FILE *file;
    int error;
    _Alignas(8) unsigned char event[WIRE_SAMPLE_MAX];
};

/* Opens a recording, and takes over fd. If fd is negative, it is an error code, and is returned. */
static int open_recording(int fd, const char *mode, struct wire_recording **result)
{
    struct wire_recording *recording;

    if (fd < 0)
        return fd;
    recording = calloc(1, sizeof *recording);
    if (recording != NULL)
        recording->file = fdopen(fd, mode);
    if (recording == NULL || recording->file == NULL) {
        free(recording);
        close(fd);
        return -ENOMEM;
    }
    *result = recording;
    return 0;
}

int wire_record_create(const char *path, struct wire_recording **recording)
{
    int error = open_recording(output_path_open(path), "wb", recording);
    if (error == 0 && fwrite(&own_header, sizeof own_header, 1, (*recording)->file) != 1)
        (*recording)->error = -EIO;
    return error;
}

void wire_record_event(struct wire_recording *recording, const struct wire_header *event)
{
    if (recording->error == 0 && fwrite(event, event->size, 1, recording->file) != 1)
        recording->error = errno != 0 ? -errno : -EIO;
}

int wire_record_close(struct wire_recording *recording)
{
    int error = recording->error;

    if (fclose(recording->file) != 0 && error == 0)
        error = -errno;
    free(recording);
    return error;
}

int wire_replay_open(const char *path, struct wire_recording **recording)
{
    struct recording_header header;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int error = open_recording(fd < 0 ? -errno : fd, "rb", recording);

    if (error != 0)
        return error;
    if (fread(&header, sizeof header, 1, (*recording)->file) != 1 || memcmp(&header, &own_header, sizeof header) != 0) {
        wire_replay_close(*recording);
        *recording = NULL;
        return -EPROTO;
    }
    return 0;
}

const struct wire_header *wire_replay_next(struct wire_recording *recording, int *error)
{
    struct wire_header header;

    *error = 0;
    size_t got = fread(&header, 1, sizeof header, recording->file);
    if (got == 0 && feof(recording->file))
        return NULL;
    *error = -EPROTO;
    if (got != sizeof header || header.size < sizeof header || header.size > WIRE_SAMPLE_MAX)
        return NULL;
    memcpy(recording->event, &header, sizeof header);
    size_t rest = header.size - sizeof header;
    if (rest > 0 && fread(recording->event + sizeof header, rest, 1, recording->file) != 1)
        return NULL;
    const void *event = recording->event;
    if (!wire_event_valid(event, header.size))
        return NULL;
    *error = 0;
    return event;
}

void wire_replay_close(struct wire_recording *recording)
{
    if (recording == NULL)
        return;
    fclose(recording->file);
    free(recording);
}
