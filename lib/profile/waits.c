/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What sleeping threads wait for: makes the names from the events of the supervisor.
 *
 *     lock 0x55d0c0de, held by worker 4712
 *     lock of /var/lock/journal
 *     epoll of 12 files, the last event from socket 10.0.0.1:443
 *     one of 3 files: /dev/tty, pipe 4711, socket 4712
 */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile-internal.h"
#include "profile/profile.h"
#include "wire/wire.h"

#define HELD_BY ", held by "
#define END_OF "end of thread "
#define WAIT_NAME_SIZE (WIRE_WAIT_FILES_MAX * WIRE_WAIT_FILE_SIZE + 256)

int profile_wait(struct profile *profile, const char *name, uint32_t holder, uint32_t *result)
{
    struct profile_wait wait = {.holder = holder};
    int error = profile_string(profile, name, &wait.name);
    if (error != 0)
        return error;

    uint32_t hash = hash_pair(wait.name, holder), at = hash, found;
    struct hash_index *index = &profile->index->waits;
    while ((found = hash_next(index, hash, &at)) != HASH_NONE)
        if (profile->waits[found].name == wait.name && profile->waits[found].holder == holder) {
            *result = found;
            return 0;
        }
    return profile_append(&profile->waits, &profile->wait_count, &wait, sizeof wait, index, hash, result);
}

size_t profile_wait_lock_length(const char *name)
{
    const char *holder = strstr(name, HELD_BY);

    return holder != NULL ? (size_t)(holder - name) : strlen(name);
}

/* Appends to a name, as snprintf does. */
__attribute__((format(printf, 3, 4))) static void wait_append(char name[WAIT_NAME_SIZE], size_t *used,
                                                              const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(name + *used, WAIT_NAME_SIZE - *used, format, arguments);
    va_end(arguments);
    *used += length > 0 ? (size_t)length : 0;
    *used = *used < WAIT_NAME_SIZE ? *used : WAIT_NAME_SIZE - 1;
}

/* Appends the name of an open file. text: as in wire_wait.files. */
static void wait_append_file(char name[WAIT_NAME_SIZE], size_t *used, const char *text)
{
    static const char anonymous[] = "anon_inode:";
    const char *target = strchr(text, ' ');
    int fd = atoi(text);

    target = target != NULL ? target + 1 : text;
    size_t kind = strcspn(target, ":[");
    if (strncmp(target, anonymous, sizeof anonymous - 1) == 0) { /* "anon_inode:[eventfd]", "anon_inode:inotify" */
        target += sizeof anonymous - 1;
        target += *target == '[';
        wait_append(name, used, "%.*s, descriptor %d", (int)strcspn(target, "]"), target, fd);
    } else if (*target != '/' && strncmp(target + kind, ":[", 2) == 0) /* "socket:[4711]" */
        wait_append(name, used, "%.*s %.*s", (int)kind, target, (int)strcspn(target + kind + 2, "]"),
                    target + kind + 2);
    else
        wait_append(name, used, "%s", target);
}

static void wait_append_files(char name[WAIT_NAME_SIZE], size_t *used, const struct wire_wait *event)
{
    const char *text = event->files;

    for (uint32_t i = 0; i < event->file_count; i++, text += strlen(text) + 1) {
        wait_append(name, used, i == 0 ? "" : ", ");
        wait_append_file(name, used, text);
    }
    bool several = event->kind == WIRE_WAIT_FILES || (event->kind == WIRE_WAIT_EPOLL && event->file_count > 1);
    if (several && event->number > event->file_count)
        wait_append(name, used, ", ...");
}

/* Appends the name and the number of a thread. */
static void wait_append_thread(char name[WAIT_NAME_SIZE], size_t *used, const char *comm, uint32_t tid)
{
    wait_append(name, used, "%s%s%u", comm, *comm != '\0' ? " " : "", tid);
}

/* Returns the name of a thread; "": not known. */
static const char *wait_thread_name(const struct profile *profile, const struct wire_wait *event)
{
    const struct live_process *live = profile_live(profile, event->pid);
    uint32_t thread;

    if (live == NULL || !profile_find_thread(profile, live->process, event->holder, &thread))
        return "";
    return profile->strings[profile->threads[thread].comm];
}

/* Appends where a futex is: in a variable, or else at an address. */
static void wait_append_place(char name[WAIT_NAME_SIZE], size_t *used, const char *what, const struct wire_wait *event)
{
    if (event->file_count > 0)
        wait_append(name, used, "%s %s", what, event->files);
    else
        wait_append(name, used, "%s 0x%llx", what, (unsigned long long)event->address);
}

static void wait_append_number(char name[WAIT_NAME_SIZE], size_t *used, const struct wire_wait *event)
{
    switch (event->kind) {
    case WIRE_WAIT_FILES:
        wait_append(name, used, "one of %lld files: ", (long long)event->number);
        break;
    case WIRE_WAIT_EPOLL:
        wait_append(name, used, "epoll of %lld file%s", (long long)event->number, event->number == 1 ? "" : "s");
        if (event->file_count == 1 && event->number > 1)
            wait_append(name, used, ", the last event from ");
        else if (event->file_count > 0)
            wait_append(name, used, ": ");
        break;
    case WIRE_WAIT_LOCK:
        wait_append_place(name, used, "lock", event);
        wait_append(name, used, event->holder != 0 ? HELD_BY : "");
        break;
    case WIRE_WAIT_FILE_LOCK:
        wait_append(name, used, "lock of ");
        break;
    case WIRE_WAIT_FUTEX:
        wait_append_place(name, used, "futex", event);
        break;
    case WIRE_WAIT_CHILD:
        wait_append(name, used, event->number > 0 ? "end of child %lld" : "end of a child", (long long)event->number);
        break;
    case WIRE_WAIT_IPC:
        wait_append(name, used, "System V object %lld", (long long)event->number);
        break;
    }
}

static void wait_make_name(const struct profile *profile, const struct wire_wait *event, char name[WAIT_NAME_SIZE])
{
    static const char *const fixed[] = {
        [WIRE_WAIT_THREAD] = END_OF,
        [WIRE_WAIT_TIME] = "a timer",
        [WIRE_WAIT_SIGNAL] = "a signal",
        [WIRE_WAIT_PAGE] = "a page of memory",
    };
    const char *begin = event->kind < sizeof fixed / sizeof *fixed ? fixed[event->kind] : NULL;
    size_t used = 0;

    name[0] = '\0';
    if (begin != NULL)
        wait_append(name, &used, "%s", begin);
    wait_append_number(name, &used, event);
    if (event->holder != 0)
        wait_append_thread(name, &used, wait_thread_name(profile, event), event->holder);
    if (event->kind == WIRE_WAIT_PATH)
        wait_append(name, &used, "%s", event->files);
    else if (event->address == 0)
        wait_append_files(name, &used, event);
}

int profile_feed_wait(struct profile *profile, const struct wire_wait *event)
{
    uint32_t **ids = &profile->index->wait_ids, wait;
    char name[WAIT_NAME_SIZE];

    if (*ids == NULL)
        *ids = calloc(WIRE_WAITS_MAX + 1, sizeof **ids);
    if (*ids == NULL)
        return -ENOMEM;
    wait_make_name(profile, event, name);
    int error = profile_wait(profile, name, event->holder, &wait);
    if (error == 0)
        (*ids)[event->id] = wait;
    return error;
}

/* Renames one wait, whose name ends with that of the thread that holds the lock or is to end. */
static int wait_rename(struct profile *profile, uint32_t index, const char *comm)
{
    struct profile_wait *wait = &profile->waits[index];
    char name[WAIT_NAME_SIZE];
    size_t used = 0;
    const char *old = profile->strings[wait->name], *held = strstr(old, HELD_BY);

    if (held != NULL)
        wait_append(name, &used, "%.*s" HELD_BY, (int)(held - old), old);
    else
        wait_append(name, &used, END_OF);
    wait_append_thread(name, &used, comm, wait->holder);
    hash_remove(&profile->index->waits, hash_pair(wait->name, wait->holder), index);
    int error = profile_string(profile, name, &wait->name);
    return error == 0 ? hash_add(&profile->index->waits, hash_pair(wait->name, wait->holder), index) : error;
}

int profile_rename_holder(struct profile *profile, uint32_t tid, const char *comm)
{
    int error = 0;

    for (uint32_t i = 1; error == 0 && i < profile->wait_count; i++)
        if (profile->waits[i].holder == tid)
            error = wait_rename(profile, i, comm);
    return error;
}

uint32_t profile_wait_by_id(const struct profile *profile, uint32_t id)
{
    const uint32_t *ids = profile->index->wait_ids;

    return ids != NULL && id <= WIRE_WAITS_MAX ? ids[id] : PROFILE_NONE;
}
