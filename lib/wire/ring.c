/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The ring: a queue of events in a memfd, with one producer and one consumer.
 *
 * The data pages are mapped twice, one mapping directly behind the other. So an event that crosses the end of the ring
 * is contiguous in memory. The counters `head` and `tail` count bytes, and only grow. head - tail is the number of
 * unread bytes. Each side keeps its own counter in its own memory, and does not trust the shared memory. Whatever the
 * other side writes to the shared memory, no access leaves the mapping.
 */
#include "config.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "wire/wire.h"

#define RING_MAGIC 0x676e697270767031u
#define CACHE_LINE 64
#define RING_LAST_PART 64 /* 1 / RING_LAST_PART of the ring is reserved for ring_reserve_last */

struct ring_page {
    uint64_t magic;
    uint64_t size; /* size of the data, bytes: a power of two and a multiple of the page size */
    uint64_t version; /* WIRE_VERSION */
    _Alignas(CACHE_LINE) _Atomic uint64_t head; /* written by the producer */
    _Alignas(CACHE_LINE) _Atomic uint64_t tail; /* written by the consumer */
};

struct ring {
    struct ring_page *page;
    unsigned char *data; /* address of the data, which is mapped twice: 2 * size bytes */
    size_t size;
    size_t page_size;
    /* this side's own copy of the counter that it writes: the producer's `head`, or the consumer's `tail` */
    uint64_t position;
    uint64_t reserved; /* producer: size of the event for which ring_reserve has given out room, bytes */
    uint64_t peeked;   /* consumer: size of the event that ring_peek has returned, bytes */
    uint64_t lost;
    bool broken;
};

static int map_ring(int fd, size_t size, struct ring **result)
{
    struct ring *ring = calloc(1, sizeof *ring);
    if (ring == NULL)
        return -ENOMEM;

    ring->size = size;
    ring->page_size = (size_t)sysconf(_SC_PAGESIZE);
    size_t span = ring->page_size + 2 * size;
    unsigned char *base = mmap(NULL, span, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) {
        free(ring);
        return -ENOMEM;
    }
    int protection = PROT_READ | PROT_WRITE, flags = MAP_SHARED | MAP_FIXED;
    unsigned char *second = base + ring->page_size + size;
    if (mmap(base, ring->page_size + size, protection, flags, fd, 0) == MAP_FAILED ||
        mmap(second, size, protection, flags, fd, (off_t)ring->page_size) == MAP_FAILED) {
        int error = -errno;
        munmap(base, span);
        free(ring);
        return error;
    }
    ring->page = (struct ring_page *)base;
    ring->data = base + ring->page_size;
    *result = ring;
    return 0;
}

int ring_create(size_t size, struct ring **ring, int *fd)
{
    size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
    size_t rounded = page_size;
    while (rounded < size)
        rounded *= 2;

    int memory = memfd_create("pprofil-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (memory < 0)
        return -errno;
    int error = 0;
    if (ftruncate(memory, (off_t)(page_size + rounded)) < 0)
        error = -errno;
    if (error == 0)
        error = map_ring(memory, rounded, ring);
    if (error != 0) {
        close(memory);
        return error;
    }
    (*ring)->page->magic = RING_MAGIC;
    (*ring)->page->size = rounded;
    (*ring)->page->version = WIRE_VERSION;
    *fd = memory;
    return 0;
}

int ring_open(int fd, struct ring **ring)
{
    struct stat status;
    size_t page_size = (size_t)sysconf(_SC_PAGESIZE);

    if (fstat(fd, &status) < 0)
        return -errno;
    if (status.st_size <= (off_t)page_size)
        return -EINVAL;
    size_t size = (size_t)status.st_size - page_size;
    if (size % page_size != 0 || (size & (size - 1)) != 0)
        return -EINVAL;
    int error = map_ring(fd, size, ring);
    if (error != 0)
        return error;
    const struct ring_page *page = (*ring)->page;
    if (page->magic != RING_MAGIC || page->size != size)
        error = -EINVAL;
    else if (page->version != WIRE_VERSION)
        error = -EPROTO;
    if (error != 0) {
        ring_close(*ring);
        *ring = NULL;
    }
    return error;
}

void ring_close(struct ring *ring)
{
    if (ring == NULL)
        return;
    munmap(ring->page, ring->page_size + 2 * ring->size);
    free(ring);
}

size_t ring_size(const struct ring *ring)
{
    return ring->size;
}

/* Returns the number of unread bytes. If this number is larger than the ring, the other side has written a wrong
 * counter. Then the producer treats the ring as full, and the consumer treats it as broken. */
static uint64_t in_flight(uint64_t head, uint64_t tail)
{
    return head - tail;
}

static void *ring_take(struct ring *ring, size_t size, size_t kept)
{
    uint64_t tail = atomic_load_explicit(&ring->page->tail, memory_order_acquire);
    uint64_t used = in_flight(ring->position, tail);

    if (used > ring->size || ring->size - used < size + kept) {
        ring->lost++;
        return NULL;
    }
    ring->reserved = size;
    return ring->data + (ring->position & (ring->size - 1));
}

void *ring_reserve(struct ring *ring, size_t size)
{
    return ring_take(ring, size, ring->size / RING_LAST_PART);
}

void *ring_reserve_last(struct ring *ring, size_t size)
{
    return ring_take(ring, size, 0);
}

void ring_commit(struct ring *ring)
{
    ring->position += ring->reserved;
    ring->reserved = 0;
    atomic_store_explicit(&ring->page->head, ring->position, memory_order_release);
}

uint64_t ring_lost(struct ring *ring)
{
    uint64_t lost = ring->lost;
    ring->lost = 0;
    return lost;
}

bool ring_half_full(const struct ring *ring)
{
    uint64_t tail = atomic_load_explicit(&ring->page->tail, memory_order_relaxed);
    return in_flight(ring->position, tail) > ring->size / 2;
}

const struct wire_header *ring_peek(struct ring *ring)
{
    uint64_t head = atomic_load_explicit(&ring->page->head, memory_order_acquire);
    uint64_t available = in_flight(head, ring->position);

    if (available == 0 || ring->broken)
        return NULL;
    const void *record = ring->data + (ring->position & (ring->size - 1));
    const struct wire_header *event = record;
    if (available > ring->size || !wire_event_valid(event, available)) {
        ring->broken = true;
        return NULL;
    }
    ring->peeked = event->size;
    return event;
}

void ring_consume(struct ring *ring)
{
    ring->position += ring->peeked;
    ring->peeked = 0;
    atomic_store_explicit(&ring->page->tail, ring->position, memory_order_release);
}

bool ring_broken(const struct ring *ring)
{
    return ring->broken;
}
