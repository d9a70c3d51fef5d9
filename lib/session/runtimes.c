/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds language runtimes in the files that targets map, and tells the supervisor: Python interpreters, whose stacks it
 * then reads, and Go code, whose threads have several stacks. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "script/script.h"
#include "session/session.h"
#include "unwind/unwind.h"

/* A mapping of a file that may have a runtime. */
struct mapping_to_check {
    uint32_t pid;
    uint32_t object; /* index in the profile's table */
    uint32_t file;   /* the supervisor's id of the file; 0: none */
    uint64_t start, offset;
};

int runtimes_note_mapping(struct pprofil_session *session, const struct wire_map *map)
{
    struct mapping_to_check mapping = {.pid = map->pid, .file = map->object};

    if (map->kind != WIRE_MAP_FILE || !profile_find_mapping(session->profile->profile, map->pid, map->start,
                                                            &mapping.object, &mapping.start, &mapping.offset))
        return 0;
    int error = array_grow(&session->mappings_to_check, session->mappings_to_check_count,
                           sizeof *session->mappings_to_check);
    if (error == 0)
        session->mappings_to_check[session->mappings_to_check_count++] = mapping;
    return error;
}

static void python_tell(struct pprofil_session *session, const struct mapping_to_check *mapping,
                        const struct script_interpreter *interpreter)
{
    struct wire_message message = {.op = WIRE_OP_PYTHON,
                                   .pid = (int32_t)mapping->pid,
                                   .flags = interpreter->version,
                                   .object = mapping->file,
                                   .offset = mapping->offset};

    if (!script_runtime_address(interpreter, mapping->start, mapping->offset, &message.value))
        return;
    message.distance = message.value - mapping->start;
    wire_send(session->socket, &message, -1);
}

static int runtimes_look_at(struct pprofil_session *session, const struct mapping_to_check *mapping)
{
    struct profile *profile = session->profile->profile;
    const struct wire_message go = {.op = WIRE_OP_GO, .pid = (int32_t)mapping->pid, .object = mapping->file};
    const struct script_interpreter *interpreter;

    int error = unwind_find_interpreter(session->unwinder, profile, mapping->object, &interpreter);
    if (error == 0 && (session->options.flags & PPROFIL_NO_PYTHON) == 0)
        python_tell(session, mapping, interpreter);
    if (error == 0 || error == -ENOENT)
        error = unwind_find_go(session->unwinder, profile, mapping->object);
    if (error == 0)
        wire_send(session->socket, &go, -1);
    return error;
}

int runtimes_look(struct pprofil_session *session)
{
    uint32_t left = 0;
    int error = 0;

    for (uint32_t i = 0; error != -ENOMEM && i < session->mappings_to_check_count; i++) {
        error = runtimes_look_at(session, &session->mappings_to_check[i]);
        if (error == -EAGAIN)
            session->mappings_to_check[left++] = session->mappings_to_check[i];
    }
    session->mappings_to_check_count = left;
    return error == -ENOMEM ? error : 0;
}

void runtimes_end_period(struct pprofil_session *session, const struct profile_moves *moves)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < session->mappings_to_check_count; i++) {
        struct mapping_to_check mapping = session->mappings_to_check[i];
        if (moves->objects[mapping.object] == 0)
            continue;
        mapping.object = moves->objects[mapping.object] - 1;
        session->mappings_to_check[left++] = mapping;
    }
    session->mappings_to_check_count = left;
}

void python_note_refusal(struct pprofil_session *session, const struct wire_message *message)
{
    snprintf(session->notice, sizeof session->notice,
             "process %d: its memory is not that of a Python %u.%u as it is known; stacks show the interpreter's own "
             "functions",
             (int)message->pid, message->flags >> 24, message->flags >> 16 & 0xff);
}

const char *pprofil_session_notice(const pprofil_session *session)
{
    return session->notice;
}
