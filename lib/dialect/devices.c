/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts as the kprof device and pcsample do. Their rules are not those of profil(2). */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "dialect/dialect.h"

/* a cell counts 2^3 bytes of text, so distances in the text are shifted right by 3 to get the index of a cell */
#define CELL_SHIFT 3

uint64_t dialect_cell(const struct dialect *dialect, const struct dialect_kernel *kernel, uint64_t pc)
{
    uint64_t first = kernel->low + (dialect->overlaid_cells ? DIALECT_CELL_SPECIALS << CELL_SHIFT : 0);

    if (pc < first || pc >= kernel->high)
        return DIALECT_CELL_OUTSIDE;
    uint64_t cell = (pc - kernel->low) >> CELL_SHIFT;
    /* Inferno and Plan 9 lack this test, so they write past the last cell if the text size is not a multiple of 8 */
    return cell < kernel->cells ? cell : DIALECT_CELL_OUTSIDE;
}

enum dialect_kpctl dialect_kpctl(const char *text, size_t size)
{
    static const struct {
        const char *word;
        enum dialect_kpctl meaning;
    } words[] = {{"startclr", DIALECT_KPCTL_STARTCLR},
                 {"start", DIALECT_KPCTL_START},
                 {"stop", DIALECT_KPCTL_STOP}};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i].word);
        if (size >= length && memcmp(text, words[i].word, length) == 0)
            return words[i].meaning;
    }
    return DIALECT_KPCTL_BAD;
}

int64_t dialect_pcsample_call(struct dialect_pcsample *state, int64_t n)
{
    if (n < 0)
        return -EINVAL;
    int64_t before = (int64_t)state->count;
    *state = (struct dialect_pcsample){.room = (uint64_t)n, .on = true};
    return before;
}

uint64_t dialect_pcsample_tick(struct dialect_pcsample *state, uint64_t ticks)
{
    if (!state->on)
        return 0;
    uint64_t stored = ticks < state->room ? ticks : state->room;
    /* counting ends with the first tick that does not fit, not with the last tick that fits */
    state->on = stored == ticks;
    state->room -= stored;
    state->count += stored;
    return stored;
}

void dialect_pcsample_fault(struct dialect_pcsample *state, uint64_t unstored)
{
    state->count -= unstored;
    state->room += unstored;
    state->on = false;
}

void dialect_pcsample_reset(struct dialect_pcsample *state)
{
    *state = (struct dialect_pcsample){0};
}
