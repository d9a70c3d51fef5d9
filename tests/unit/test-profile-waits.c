/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What threads wait for: the names that are made of events, and the samples that refer to them. */
#include "config.h"

#include <stdio.h>

#include "build-events.h"

#include "report/report.h"

/* Feeds an event with these texts, which are separated by newlines. Returns its id. */
static uint32_t feed_wait_event(struct profile *profile, const struct wire_wait *wait, const char *texts)
{
    _Alignas(8) unsigned char bytes[sizeof(struct wire_wait) + 512] = {0};
    struct wire_wait *event = (void *)bytes;

    *event = *wait;
    event->header = (struct wire_header){WIRE_WAIT, sizeof bytes};
    event->pid = 10;
    event->id = wait->id != 0 ? wait->id : 1;
    memcpy(event->files, texts, strlen(texts));
    for (char *at = event->files; *texts != '\0'; texts++, at++) {
        *at = *texts == '\n' ? '\0' : *texts;
        event->file_count += texts[1] == '\0' || texts[1] == '\n';
    }
    feed(profile, &event->header);
    return event->id;
}

/* Feeds an event, and then a sample that refers to it. Returns the wait of the sample. */
static const struct profile_wait *feed_wait(struct profile *profile, const struct wire_wait *wait, const char *texts)
{
    struct wire_sample sample = {
        .header = {WIRE_SAMPLE, sizeof sample}, .pid = 10, .tid = 10, .wall_ns = 5, .flags = WIRE_SAMPLE_SLEEPING};

    sample.wait = feed_wait_event(profile, wait, texts);
    feed(profile, &sample.header);
    return &profile->waits[profile->samples[profile->sample_count - 1].wait];
}

static const char *name_of(const struct wire_wait *wait, const char *texts)
{
    static char name[600];
    struct profile *profile = profile_new();

    feed_fork(profile, 10, 0);
    feed_comm(profile, 10, 12, "worker");
    const struct profile_wait *made = feed_wait(profile, wait, texts);
    snprintf(name, sizeof name, "%s", profile->strings[made->name]);
    profile_free(profile);
    return name;
}
#define NAME(name, texts, ...) cr_expect_str_eq(name_of(&(struct wire_wait){__VA_ARGS__}, texts), name)

Test(waits, names)
{
    NAME("/var/log/x y", "7 /var/log/x y", .kind = WIRE_WAIT_FILE, .number = 7);
    NAME("pipe 4711", "7 pipe:[4711]", .kind = WIRE_WAIT_FILE, .number = 7);
    NAME("pipe from cat 12", "7 pipe from cat 12", .kind = WIRE_WAIT_FILE, .number = 7);
    NAME("eventfd, descriptor 7", "7 anon_inode:[eventfd]", .kind = WIRE_WAIT_FILE, .number = 7);
    NAME("inotify, descriptor 8", "8 anon_inode:inotify", .kind = WIRE_WAIT_FILE, .number = 8);
    NAME("one of 3 files: /a, socket 5, ...", "7 /a\n8 socket:[5]", .kind = WIRE_WAIT_FILES, .number = 3);
    NAME("one of 2 files: /a, socket 5", "7 /a\n8 socket:[5]", .kind = WIRE_WAIT_FILES, .number = 2);
    NAME("epoll of 0 files", "", .kind = WIRE_WAIT_EPOLL, .number = 0);
    NAME("epoll of 1 file: /a", "7 /a", .kind = WIRE_WAIT_EPOLL, .number = 1);
    NAME("epoll of 9 files, the last event from /a", "7 /a", .kind = WIRE_WAIT_EPOLL, .number = 9);
    NAME("eventpoll, descriptor 7", "7 anon_inode:[eventpoll]", .kind = WIRE_WAIT_FILE, .number = 7);
    NAME("epoll of 3 files: /a, /b, ...", "7 /a\n8 /b", .kind = WIRE_WAIT_EPOLL, .number = 3);
    NAME("/etc/passwd", "/etc/passwd", .kind = WIRE_WAIT_PATH);
    NAME("lock 0xabc, held by worker 12", "", .kind = WIRE_WAIT_LOCK, .address = 0xabc, .holder = 12);
    NAME("lock 0xabc", "", .kind = WIRE_WAIT_LOCK, .address = 0xabc);
    NAME("lock 0xabc, held by 99", "", .kind = WIRE_WAIT_LOCK, .address = 0xabc, .holder = 99);
    NAME("lock bank in pay, held by worker 12", "bank in pay", .kind = WIRE_WAIT_LOCK, .address = 0xabc, .holder = 12);
    NAME("futex 0xabc", "", .kind = WIRE_WAIT_FUTEX, .address = 0xabc);
    NAME("end of thread worker 12", "", .kind = WIRE_WAIT_THREAD, .holder = 12);
    NAME("end of child 30", "", .kind = WIRE_WAIT_CHILD, .number = 30);
    NAME("end of a child", "", .kind = WIRE_WAIT_CHILD);
    NAME("a timer", "", .kind = WIRE_WAIT_TIME);
    NAME("a signal", "", .kind = WIRE_WAIT_SIGNAL);
    NAME("System V object 65", "", .kind = WIRE_WAIT_IPC, .number = 65);
    NAME("a page of memory", "", .kind = WIRE_WAIT_PAGE);
}

Test(waits, long_texts_are_cut)
{
    char text[500];

    memset(text, 'a', sizeof text);
    text[0] = '7';
    text[1] = ' ';
    text[2] = '/';
    text[sizeof text - 1] = '\0';
    cr_expect_str_eq(name_of(&(struct wire_wait){.kind = WIRE_WAIT_FILE}, text), text + 2);
}

Test(waits, samples_have_the_last_wait_of_their_id)
{
    struct profile *profile = profile_new();

    feed_fork(profile, 10, 0);
    feed_wait(profile, &(struct wire_wait){.kind = WIRE_WAIT_TIME}, "");
    feed_wait(profile, &(struct wire_wait){.kind = WIRE_WAIT_SIGNAL}, "");
    feed_wait(profile, &(struct wire_wait){.kind = WIRE_WAIT_TIME, .id = WIRE_WAITS_MAX}, "");
    cr_assert_eq(profile->wait_count, 3, "none, a timer, a signal");
    cr_assert_eq(profile->sample_count, 2, "two samples wait for a timer");
    cr_assert_eq(profile->samples[0].count, 2);
    cr_assert_neq(profile->samples[0].wait, profile->samples[1].wait);
    profile_free(profile);
}

Test(waits, a_holder_gets_its_new_name)
{
    struct profile *profile = profile_new();
    const struct wire_wait lock = {.kind = WIRE_WAIT_LOCK, .address = 0xabc, .holder = 12};
    const struct wire_wait end = {.kind = WIRE_WAIT_THREAD, .holder = 12};

    feed_fork(profile, 10, 0);
    feed_wait(profile, &lock, "");
    feed_wait(profile, &end, "");
    feed_comm(profile, 10, 12, "worker");
    cr_expect_str_eq(profile->strings[profile->waits[1].name], "lock 0xabc, held by worker 12");
    cr_expect_str_eq(profile->strings[profile->waits[2].name], "end of thread worker 12");
    feed_wait(profile, &lock, "");
    cr_expect_eq(profile->wait_count, 3, "it is found again");
    cr_expect_eq(profile->sample_count, 2);
    profile_free(profile);
}

/* --- what the holder of a lock does meanwhile ------------------------------------------------ */

#define PERIOD_MS 100u /* longer than a slot of the history */

/* A sleep of a thread, from begin_ms for PERIOD_MS. id: of the wait. */
static void feed_sleep(struct profile *profile, uint32_t tid, uint32_t id, uint64_t begin_ms)
{
    struct wire_sample event = {.header = {WIRE_SAMPLE, sizeof event},
                                .time = (begin_ms + PERIOD_MS) * 1000000u,
                                .pid = 10,
                                .tid = tid,
                                .wall_ns = PERIOD_MS * 1000000u,
                                .syscall = WIRE_NO_SYSCALL,
                                .wait = id,
                                .flags = WIRE_SAMPLE_SLEEPING};

    feed(profile, &event.header);
}

/* Threads 11 and 12 have a lock in turn, and sleep meanwhile. Thread 13 waits for it all the time. */
Test(waits, a_holder_that_waits_for_the_lock_does_not_hold_it)
{
    struct profile *profile = profile_new();
    struct pprofil_holder holder;

    feed_fork(profile, 10, 0);
    feed_wait_event(profile, &(struct wire_wait){.kind = WIRE_WAIT_LOCK, .address = 0xabc, .holder = 11, .id = 1}, "");
    feed_wait_event(profile, &(struct wire_wait){.kind = WIRE_WAIT_LOCK, .address = 0xabc, .holder = 12, .id = 2}, "");
    feed_wait_event(profile, &(struct wire_wait){.kind = WIRE_WAIT_TIME, .id = 3}, "");
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t turn = i % 2;
        feed_sleep(profile, 11 + turn, 3, i * PERIOD_MS);
        /* half a turn late, so that slots of both turns have it */
        feed_sleep(profile, 12 - turn, 1 + turn, i * PERIOD_MS + PERIOD_MS / 2);
        feed_sleep(profile, 13, 1 + turn, i * PERIOD_MS + PERIOD_MS / 2);
    }
    cr_assert_eq(report_holder(profile, NULL, 1 + PROFILE_STATES + 1, &holder), 0);
    cr_expect_eq(holder.tid, 11);
    cr_expect_str_eq(holder.waits_for, "a timer");
    cr_expect_float_eq(holder.waits_share, 1, 1e-9, "%f", holder.waits_share);
    profile_free(profile);
}
