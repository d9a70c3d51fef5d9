/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Copies the pages of a target's memory that a sample needs. A thread uses nearly the same pages in each sample. So one
 * system call copies those of the last samples. A page that is missing takes a further system call, which takes ten
 * times as long as a page. So pages that were not used for a few samples are still copied.
 */
#include "config.h"

#include <string.h>

#include "base/hash.h"
#include "supervisor/python/python-internal.h"

#define PAGES_BEFORE 3u /* so many pages before a missing page are copied with it */
#define MISSES_MAX 256u /* so many system calls may copy missing pages in a sample */
/* After so many pages that are not mapped any more, the other pages of the last samples are copied only if needed */
#define UNMAPPED_MAX 64u
#define UNUSED_SAMPLES 8u /* a page that was used in none of so many samples is forgotten */

/* Returns the slot of a page, or the free slot where it would be. */
static uint16_t *pages_slot(struct page_copies *pages, uint64_t page)
{
    uint32_t at = hash_pair(0, page) & (PAGE_SLOTS - 1);

    while (pages->slots[at] != 0 && pages->addresses[pages->slots[at] - 1] != page)
        at = (at + 1) & (PAGE_SLOTS - 1);
    return &pages->slots[at];
}

/* Adds a page to the list of pieces, if it is not copied yet and there is room. unused: see struct page_copies. */
static void pages_add(struct page_copies *pages, uint64_t page, unsigned unused)
{
    if (*pages_slot(pages, page) != 0)
        return;
    if (pages->count == PAGE_COPIES_MAX) {
        pages->is_exhausted = true;
        return;
    }
    pages->addresses[pages->count] = page;
    pages->unused[pages->count] = unused;
    gather_add(&pages->gather, page, pages->bytes[pages->count++], PAGE_BYTES);
}

/* Copies the pages that were added last: those from number `first` on. Only a page that could be read gets a slot. */
static void pages_copy(struct page_copies *pages, unsigned first, unsigned failures_max)
{
    gather_read(&pages->gather, pages->tid, failures_max);
    for (unsigned i = first; i < pages->count; i++) {
        pages->is_copied[i] = pages->gather.done[i - first];
        if (pages->is_copied[i])
            *pages_slot(pages, pages->addresses[i]) = (uint16_t)(i + 1);
    }
}

void pages_begin(struct page_copies *pages, const struct python_thread *thread, pid_t tid)
{
    pages->tid = tid;
    memset(pages->slots, 0, sizeof pages->slots);
    pages->count = 0;
    pages->misses_left = MISSES_MAX;
    pages->is_exhausted = false;
    pages->gather.count = 0;
    for (unsigned i = 0; i < thread->page_count; i++)
        pages_add(pages, thread->pages[i].address, thread->pages[i].unused + 1);
    pages_copy(pages, 0, UNMAPPED_MAX);
}

/* Copies a page, and with `before` some pages before it. */
static void pages_copy_missing(struct page_copies *pages, uint64_t page, bool before)
{
    unsigned first = pages->count;

    if (pages->misses_left == 0) {
        pages->is_exhausted = true;
        return;
    }
    pages->misses_left--;
    pages->gather.count = 0;
    pages_add(pages, page, UNUSED_SAMPLES);
    for (unsigned i = 1; before && i <= PAGES_BEFORE && page >= i * PAGE_BYTES; i++)
        pages_add(pages, page - i * PAGE_BYTES, UNUSED_SAMPLES);
    pages_copy(pages, first, 1); /* the pages before a page that is not mapped are not needed either */
}

/* Returns the copy of a page, which is made now if there is none. NULL: the page cannot be read, or too
 * many were copied. */
static const uint8_t *pages_find(struct page_copies *pages, uint64_t page, bool before)
{
    unsigned number = *pages_slot(pages, page);

    if (number == 0) {
        pages_copy_missing(pages, page, before);
        number = *pages_slot(pages, page);
    }
    if (number == 0)
        return NULL;
    pages->unused[number - 1] = 0;
    return pages->bytes[number - 1];
}

bool pages_read(struct page_copies *pages, uint64_t address, void *to, size_t size, bool before)
{
    uint8_t *at = to;

    while (size > 0) {
        uint64_t offset = address % PAGE_BYTES;
        size_t part = size < PAGE_BYTES - offset ? size : (size_t)(PAGE_BYTES - offset);
        const uint8_t *bytes = pages_find(pages, address - offset, before);
        if (bytes == NULL)
            return false;
        memcpy(at, bytes + offset, part);
        address += part;
        at += part;
        size -= part;
    }
    return true;
}

/* Notes in `thread` the pages whose number of unused samples is in [from, to). */
static void pages_keep(const struct page_copies *pages, struct python_thread *thread, unsigned from, unsigned to)
{
    for (unsigned i = 0; i < pages->count && thread->page_count < PYTHON_PAGES_MAX; i++)
        if (pages->is_copied[i] && pages->unused[i] >= from && pages->unused[i] < to)
            thread->pages[thread->page_count++] = (struct python_page){.address = pages->addresses[i],
                                                                       .unused = pages->unused[i]};
}

void pages_end(const struct page_copies *pages, struct python_thread *thread)
{
    thread->page_count = 0;
    pages_keep(pages, thread, 0, 1);
    pages_keep(pages, thread, 1, UNUSED_SAMPLES);
}
