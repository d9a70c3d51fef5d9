/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "wire/wire.h"

static struct wire_sample make_sample(uint64_t number)
{
    return (struct wire_sample){.header = {WIRE_SAMPLE, sizeof(struct wire_sample)},
                                .time = number,
                                .pc = number * 3};
}

static bool put(struct ring *ring, uint64_t number)
{
    struct wire_sample sample = make_sample(number);
    void *room = ring_reserve(ring, sizeof sample);

    if (room == NULL)
        return false;
    memcpy(room, &sample, sizeof sample);
    ring_commit(ring);
    return true;
}

Test(ring, keeps_order_over_many_turns)
{
    struct ring *producer, *consumer;
    int fd;
    uint64_t written = 0, read = 0;

    cr_assert_eq(ring_create(4096, &producer, &fd), 0);
    cr_assert_eq(ring_open(fd, &consumer), 0);
    close(fd);
    srand(1);
    while (read < 100000) {
        for (int i = rand() % 60; i > 0; i--)
            written += put(producer, written);
        for (int i = rand() % 60; i > 0; i--) {
            const struct wire_header *event = ring_peek(consumer);
            if (event == NULL)
                break;
            const struct wire_sample *sample = (const void *)event;
            cr_assert_eq(sample->time, read);
            cr_assert_eq(sample->pc, read * 3);
            read++;
            ring_consume(consumer);
        }
    }
    cr_assert(!ring_broken(consumer));
    ring_close(producer);
    ring_close(consumer);
}

Test(ring, full_ring_drops_and_counts)
{
    struct ring *producer, *consumer;
    int fd;
    uint64_t fitted = 0;

    cr_assert_eq(ring_create(4096, &producer, &fd), 0);
    cr_assert_eq(ring_open(fd, &consumer), 0);
    while (put(producer, fitted))
        fitted++;
    cr_assert_eq(fitted, (4096 - 64) / sizeof(struct wire_sample));
    cr_assert(ring_half_full(producer));
    cr_assert(!put(producer, 0));
    cr_assert_eq(ring_lost(producer), 2);
    cr_assert_eq(ring_lost(producer), 0);
    cr_assert_not_null(ring_reserve_last(producer, 64));
    cr_assert_not_null(ring_peek(consumer));
    ring_consume(consumer);
    cr_assert(put(producer, 1));
    ring_close(producer);
    ring_close(consumer);
    close(fd);
}

Test(ring, nonsense_from_the_other_side_ends_the_stream)
{
    struct ring *producer, *consumer;
    int fd;

    cr_assert_eq(ring_create(4096, &producer, &fd), 0);
    cr_assert_eq(ring_open(fd, &consumer), 0);
    struct wire_header *room = ring_reserve(producer, 64);
    *room = (struct wire_header){WIRE_SAMPLE, 12}; /* the size is too small for a sample, and no multiple of 8 */
    ring_commit(producer);
    cr_assert_null(ring_peek(consumer));
    cr_assert(ring_broken(consumer));
    ring_close(producer);
    ring_close(consumer);
    close(fd);
}

Test(ring, other_memory_is_refused)
{
    struct ring *ring;
    int fd = memfd_create("other", 0);

    cr_assert_eq(ring_open(fd, &ring), -EINVAL);
    cr_assert_eq(ftruncate(fd, 8192), 0);
    cr_assert_eq(ring_open(fd, &ring), -EINVAL);
    close(fd);
}

Test(ring, one_of_another_version_is_refused)
{
    struct ring *producer, *consumer;
    int fd;

    cr_assert_eq(ring_create(4096, &producer, &fd), 0);
    uint64_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    cr_assert_neq(page, MAP_FAILED);
    cr_assert_eq(page[2], WIRE_VERSION); /* the version comes after the magic number and the size */
    page[2]++;
    cr_assert_eq(ring_open(fd, &consumer), -EPROTO);
    cr_assert_null(consumer);
    page[2] = 0; /* as in a ring of a build that writes no version */
    cr_assert_eq(ring_open(fd, &consumer), -EPROTO);
    page[2] = WIRE_VERSION;
    cr_assert_eq(ring_open(fd, &consumer), 0);
    ring_close(consumer);
    ring_close(producer);
    munmap(page, 4096);
    close(fd);
}

Test(event, every_short_size_is_invalid)
{
    _Alignas(8) unsigned char bytes[WIRE_EVENT_MAX] = {0};
    struct wire_header *event = (void *)bytes;
    static const size_t sizes[] = {
        [WIRE_SAMPLE] = sizeof(struct wire_sample), [WIRE_EXEC] = sizeof(struct wire_task),
        [WIRE_FORK] = sizeof(struct wire_fork),     [WIRE_COMM] = sizeof(struct wire_comm),
        [WIRE_EXIT] = sizeof(struct wire_exit),     [WIRE_LOST] = sizeof(struct wire_lost),
        [WIRE_STATS] = sizeof(struct wire_stats),   [WIRE_USAGE] = sizeof(struct wire_usage),
        [WIRE_CLOCK] = sizeof(struct wire_clock),
    };

    for (uint32_t type = 0; type < sizeof sizes / sizeof *sizes; type++)
        for (uint32_t size = 0; size < 256; size++) {
            *event = (struct wire_header){type, size};
            bool expected = sizes[type] != 0 && size >= sizes[type] && size % 8 == 0;
            if (type != WIRE_MAP && type != WIRE_THREAD && type != WIRE_THROTTLE)
                cr_expect_eq(wire_event_valid(event, sizeof bytes), expected, "type %u size %u", type, size);
        }
    *event = (struct wire_header){WIRE_SAMPLE, sizeof(struct wire_sample)};
    cr_assert(!wire_event_valid(event, sizeof(struct wire_sample) - 8));
    *event = (struct wire_header){999, 64};
    cr_assert(!wire_event_valid(event, sizeof bytes));
}

Test(event, name_of_a_usage_must_end)
{
    struct wire_usage usage = {.header = {WIRE_USAGE, sizeof usage}};

    memset(usage.comm, 'x', sizeof usage.comm);
    cr_assert_not(wire_event_valid(&usage.header, sizeof usage));
    usage.comm[sizeof usage.comm - 1] = '\0';
    cr_assert(wire_event_valid(&usage.header, sizeof usage));
}

Test(event, map_name_must_end)
{
    _Alignas(8) unsigned char bytes[sizeof(struct wire_map) + 16];
    struct wire_map *map = (void *)bytes;

    memset(bytes, 'x', sizeof bytes);
    map->header = (struct wire_header){WIRE_MAP, sizeof bytes};
    map->kind = WIRE_MAP_FILE;
    map->start = 4096;
    map->end = 8192;
    map->build_id_size = 20;
    cr_assert(!wire_event_valid(&map->header, sizeof bytes));
    bytes[sizeof bytes - 1] = '\0';
    cr_assert(wire_event_valid(&map->header, sizeof bytes));
    map->build_id_size = WIRE_BUILD_ID_MAX + 1;
    cr_assert(!wire_event_valid(&map->header, sizeof bytes));
    map->build_id_size = 0;
    map->end = map->start;
    cr_assert(!wire_event_valid(&map->header, sizeof bytes));
}

Test(event, names_of_a_kernel_stack_must_end)
{
    struct {
        struct wire_kernel_stack head;
        char names[16];
    } event = {.head = {.header = {WIRE_KERNEL_STACK, sizeof event}, .id = 1, .count = 3}, .names = "a\0b\0cccccccccc"};

    cr_assert(wire_event_valid(&event.head.header, sizeof event));
    event.head.count = 5; /* the fourth name is empty, and the fifth has no end */
    cr_assert_not(wire_event_valid(&event.head.header, sizeof event));
    event.head.count = 0;
    cr_assert_not(wire_event_valid(&event.head.header, sizeof event));
    event.head.count = 1;
    event.head.id = 0;
    cr_assert_not(wire_event_valid(&event.head.header, sizeof event));
    event.head.id = WIRE_KERNEL_STACKS_MAX + 1;
    cr_assert_not(wire_event_valid(&event.head.header, sizeof event));
    event.head.id = WIRE_KERNEL_STACKS_MAX;
    cr_assert(wire_event_valid(&event.head.header, sizeof event));
}

Test(event, texts_of_a_wait_must_end)
{
    struct {
        struct wire_wait head;
        char files[16];
    } event = {.head = {.header = {WIRE_WAIT, sizeof event}, .id = 1, .kind = WIRE_WAIT_FILES, .file_count = 3},
               .files = "a\0b\0cccccccccc"};

    cr_assert(wire_event_valid(&event.head.header, sizeof event));
    event.head.file_count = WIRE_WAIT_FILES_MAX;
    event.files[sizeof event.files - 1] = 'c'; /* the last text has no end */
    cr_assert_not(wire_event_valid(&event.head.header, sizeof event));
    event.head.file_count = 0;
    cr_assert(wire_event_valid(&event.head.header, sizeof event));
    event.head.kind = WIRE_WAIT_PATH; /* and has none */
    cr_assert_not(wire_event_valid(&event.head.header, sizeof event));
    event.head.kind = WIRE_WAIT_PAGE;
    cr_assert(wire_event_valid(&event.head.header, sizeof event));
    event.head.kind = WIRE_WAIT_PAGE + 1;
    cr_assert_not(wire_event_valid(&event.head.header, sizeof event));
    event.head.kind = WIRE_WAIT_TIME;
    event.head.id = WIRE_WAITS_MAX + 1;
    cr_assert_not(wire_event_valid(&event.head.header, sizeof event));
    event.head.id = 0;
    cr_assert_not(wire_event_valid(&event.head.header, sizeof event));
}

Test(event, a_stack_fits_into_its_sample)
{
    struct {
        struct wire_sample sample;
        struct wire_stack stack;
        unsigned char bytes[64];
    } event = {.sample = {.header = {WIRE_SAMPLE, sizeof event}}};

    cr_assert_null(wire_sample_stack(&event.sample));
    cr_assert(wire_event_valid(&event.sample.header, sizeof event));
    event.sample.flags = WIRE_SAMPLE_STACK;
    event.stack.size = 61; /* 3 of the 64 bytes are padding */
    cr_assert(wire_event_valid(&event.sample.header, sizeof event));
    cr_assert_eq(wire_sample_stack(&event.sample)->size, 61);
    event.stack.size = 65;
    cr_assert(!wire_event_valid(&event.sample.header, sizeof event));
    event.stack.size = UINT32_MAX;
    cr_assert(!wire_event_valid(&event.sample.header, sizeof event));
    event.stack.size = 60;
    event.stack.below_size = 4;
    cr_assert(wire_event_valid(&event.sample.header, sizeof event));
    event.stack.below_size = 5;
    cr_assert(!wire_event_valid(&event.sample.header, sizeof event));
    event.stack.below_size = UINT32_MAX;
    cr_assert(!wire_event_valid(&event.sample.header, sizeof event));
    event.stack.below_size = 0;
    event.stack.size = 0;
    event.sample.header.size = sizeof event.sample + sizeof event.stack;
    cr_assert(wire_event_valid(&event.sample.header, sizeof event));
    event.sample.header.size -= 8;
    cr_assert(!wire_event_valid(&event.sample.header, sizeof event));
}

Test(socket, carries_messages_and_descriptors)
{
    struct wire_message sent = {.op = WIRE_OP_OBJECT, .value = 77}, got;
    int sockets[2], fd, pipes[2];
    char byte;

    cr_assert_eq(wire_socket_pair(sockets), 0);
    cr_assert_eq(pipe(pipes), 0);
    cr_assert_eq(wire_receive(sockets[1], &got, &fd), -EAGAIN);
    cr_assert_eq(wire_send(sockets[0], &sent, pipes[1]), 0);
    cr_assert_eq(wire_receive(sockets[1], &got, &fd), 0);
    cr_assert_eq(got.value, 77);
    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, "x", 1), 1);
    cr_assert_eq(read(pipes[0], &byte, 1), 1);
    cr_assert_eq(wire_send(sockets[0], &sent, -1), 0);
    cr_assert_eq(wire_receive(sockets[1], &got, &fd), 0);
    cr_assert_eq(fd, -1);
    cr_assert_eq(write(sockets[0], "short", 5), 5);
    cr_assert_eq(wire_receive(sockets[1], &got, &fd), -EPROTO);
    cr_assert_eq(write(sockets[0], &sent, WIRE_HELLO_SIZE), WIRE_HELLO_SIZE);
    cr_assert_eq(wire_receive(sockets[1], &got, &fd), -EPROTO, "this message is no hello");
    close(sockets[0]);
    cr_assert_eq(wire_receive(sockets[1], &got, &fd), -EPIPE);
}

Test(socket, a_hello_has_the_size_that_all_versions_know)
{
    const struct wire_message hello = {.op = WIRE_OP_DONE, .value = WIRE_VERSION, .object = 5};
    struct wire_message got;
    int sockets[2], fd;
    char bytes[64];

    cr_assert_eq(wire_socket_pair(sockets), 0);
    cr_assert_eq(wire_send(sockets[0], &hello, -1), 0);
    cr_assert_eq(recv(sockets[1], bytes, sizeof bytes, 0), 24);
    cr_assert_eq(wire_send(sockets[0], &hello, -1), 0);
    memset(&got, 1, sizeof got);
    cr_assert_eq(wire_receive(sockets[1], &got, &fd), 0);
    cr_assert_eq(got.value, WIRE_VERSION);
    cr_assert_eq(got.object, 0);
    close(sockets[0]);
    close(sockets[1]);
}

Test(recording, replays_what_was_recorded_and_refuses_the_rest)
{
    char path[] = "/tmp/pprofil-test-XXXXXX";
    struct wire_recording *recording;
    const struct wire_header *event;
    int error, count = 0;

    close(mkstemp(path));
    cr_assert_eq(wire_record_create(path, &recording), 0);
    for (uint64_t i = 0; i < 100; i++) {
        struct wire_sample sample = make_sample(i);
        wire_record_event(recording, &sample.header);
    }
    cr_assert_eq(wire_record_close(recording), 0);
    cr_assert_eq(wire_replay_open(path, &recording), 0);
    while ((event = wire_replay_next(recording, &error)) != NULL)
        cr_assert_eq(((const struct wire_sample *)event)->time, (uint64_t)count++);
    cr_assert_eq(error, 0);
    cr_assert_eq(count, 100);
    wire_replay_close(recording);

    cr_assert_eq(truncate(path, 16 + 3 * sizeof(struct wire_sample) + 10), 0);
    cr_assert_eq(wire_replay_open(path, &recording), 0);
    for (count = 0; wire_replay_next(recording, &error) != NULL;)
        count++;
    cr_assert_eq(count, 3);
    cr_assert_eq(error, -EPROTO);
    wire_replay_close(recording);
    cr_assert_eq(truncate(path, 10), 0);
    cr_assert_eq(wire_replay_open(path, &recording), -EPROTO);
    unlink(path);
    cr_assert_eq(wire_replay_open(path, &recording), -ENOENT);
}

Test(recording, full_disk_is_told)
{
    struct wire_recording *recording;

    cr_assert_eq(wire_record_create("/dev/full", &recording), 0);
    for (uint64_t i = 0; i < 1000; i++) {
        struct wire_sample sample = make_sample(i);
        wire_record_event(recording, &sample.header);
    }
    cr_assert_eq(wire_record_close(recording), -ENOSPC);
}
