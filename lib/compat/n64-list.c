/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The segments of the last osProfileInit. */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "compat/compat.h"
#include "compat/n64-internal.h"

#define DEFAULT_US 10000 /* "a typical value": osProfile(3P). It holds until osProfileStart sets another one. */

struct n64_list n64_list = {.counter_size = sizeof(u16), .period_us = DEFAULT_US};

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;

static int list_make(struct n64_list *list, const OSProf *segments, u32 count)
{
    list->room = (count + 1u) * sizeof *segments;
    list->segments = compat_map(list->room);
    if (list->segments == NULL)
        return -ENOMEM;
    if (count > 0)
        memcpy(list->segments, segments, count * sizeof *segments);
    list->count = count;
    return 0;
}

int n64_list_replace(const OSProf *segments, u32 count, u32 counter_size)
{
    struct n64_list made = {.counter_size = counter_size, .period_us = n64_list.period_us};
    struct compat_guard guard;

    int error = list_make(&made, segments, count);
    if (error != 0)
        return error;
    compat_enter(&guard);
    pthread_mutex_lock(&list_lock);
    struct n64_list former = n64_list;
    n64_list = made;
    pthread_mutex_unlock(&list_lock);
    compat_leave(&guard);
    n64_list_free(&former);
    return 0;
}

int n64_list_copy(struct n64_list *copy)
{
    struct compat_guard guard;

    compat_enter(&guard);
    pthread_mutex_lock(&list_lock);
    *copy = n64_list;
    int error = list_make(copy, n64_list.segments, n64_list.count);
    pthread_mutex_unlock(&list_lock);
    compat_leave(&guard);
    return error;
}

void n64_list_free(struct n64_list *copy)
{
    if (copy->segments != NULL)
        compat_unmap(copy->segments, copy->room);
    copy->segments = NULL;
}

void n64_list_unlock_child(void)
{
    pthread_mutex_init(&list_lock, NULL);
}
