/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * compare [-v] [-s SIZE] FILE: unwinds the stacks that stacks.py or aarch64.c recorded, and compares them with those
 * that gdb or backtrace found. Two stacks are equal if all program counters are equal. Prints a summary. -v also prints
 * the stacks that differ or are broken. The status is 1 if fewer than 99 % are equal.
 *
 * After the outermost function, and where unwind information is wrong, gdb shows frames at addresses where no code is
 * mapped. These frames are left out, and such stacks are counted as padded. -s cuts the copies to SIZE bytes. Then a
 * truncated stack also counts as equal if it is the inner part of gdb's stack.
 */
#include "config.h"

#include <errno.h>
#include <unistd.h>

#include "stacks.h"

static const char *const ends[] = {"complete", "truncated", "no info", "broken", "too deep"};

struct tally {
    uint32_t equal, padded, given_up, by_end[5];
    uint64_t frames;
};

static void show(struct stacks *stacks, const struct unwind_stack *stack)
{
    const struct stacks_record *record = stacks->current;

    printf("--- record %td: %u frames, %s; theirs %u, %.*s\n", record - stacks->records, stack->count, ends[stack->end],
           record->frame_count, (int)record->reason.size, record->reason.bytes);
    for (uint32_t i = 0; i < stack->count || i < record->frame_count; i++) {
        uint64_t pc = i < stack->count ? stacks_pc(stacks, &stack->frames[i]) : 0;
        uint64_t theirs = i < record->frame_count ? record->frames[i].pc : 0;
        const char *path = i < stack->count && stack->frames[i].object != UNWIND_NO_OBJECT
                               ? stacks->paths[stack->frames[i].object]
                               : "";
        printf("%c %3u %16lx %16lx %.*s (%s)\n", pc == theirs ? ' ' : '*', i, pc, theirs,
               i < record->frame_count ? (int)record->frames[i].name.size : 0,
               i < record->frame_count ? record->frames[i].name.bytes : "", path);
    }
}

/* Removes gdb's frames where no code is mapped. Returns the number of these frames. */
static uint32_t drop_padding(struct stacks *stacks, struct stacks_record *record)
{
    uint32_t kept = 0, count = record->frame_count;
    struct unwind_mapping found;

    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || stacks_find(stacks, record->frames[i].pc, &found))
            record->frames[kept++] = record->frames[i];
    record->frame_count = kept;
    return count - kept;
}

static bool gave_up(const struct stacks_record *record, const struct unwind_stack *stack)
{
    static const char who[] = "eu-stack:";

    return record->frame_count < stack->count && record->reason.size >= sizeof who - 1 &&
           memcmp(record->reason.bytes, who, sizeof who - 1) == 0;
}

static bool equal(struct stacks *stacks, const struct unwind_stack *stack, bool cut)
{
    const struct stacks_record *record = stacks->current;
    bool part = cut && stack->end == UNWIND_TRUNCATED && stack->count < record->frame_count;

    if (stack->count != record->frame_count && !part && !gave_up(record, stack))
        return false;
    for (uint32_t i = 0; i < stack->count && i < record->frame_count; i++)
        if (stacks_pc(stacks, &stack->frames[i]) != record->frames[i].pc)
            return false;
    return true;
}

static struct tally compare(struct stacks *stacks, size_t most, bool verbose)
{
    static struct unwind_frame frames[UNWIND_FRAMES_MAX];
    struct unwinder *unwinder = unwinder_new();
    struct unwind_callbacks callbacks = {.context = stacks, .find = stacks_find, .open = stacks_open};
    struct tally tally = {0};

    for (uint32_t i = 0; i < stacks->count; i++) {
        struct unwind_stack stack = {.frames = frames, .room = UNWIND_FRAMES_MAX};
        struct unwind_input input = stacks->records[i].input;
        bool cut = input.pieces[0].size > most;
        if (cut)
            input.pieces[0].size = most;
        stacks->current = &stacks->records[i];
        tally.padded += drop_padding(stacks, &stacks->records[i]) > 0;
        if (unwind_walk(unwinder, &callbacks, &input, &stack) != 0)
            exit(1);
        tally.by_end[stack.end]++;
        tally.frames += stack.count;
        bool same = equal(stacks, &stack, cut);
        bool part = same && gave_up(&stacks->records[i], &stack);
        tally.given_up += part;
        tally.equal += same && !part;
        if (verbose && (!same || stack.end == UNWIND_BROKEN))
            show(stacks, &stack);
    }
    unwinder_free(unwinder);
    return tally;
}

int main(int argc, char **argv)
{
    size_t most = SIZE_MAX;
    double least = 99;
    bool verbose = false;

    for (int option; (option = getopt(argc, argv, "vs:l:")) != -1;) {
        if (option == 's')
            most = strtoul(optarg, NULL, 10);
        else if (option == 'l')
            least = atof(optarg);
        else if (option == 'v')
            verbose = true;
        else
            return 2;
    }
    struct stacks *stacks = stacks_read(argv[optind]);
    struct tally tally = compare(stacks, most, verbose);
    uint32_t compared = stacks->count - tally.given_up;
    printf("%u stacks of %.1f frames: %.2f %% equal (%u padded, %u given up by the other);", stacks->count,
           (double)tally.frames / stacks->count, 100.0 * tally.equal / compared, tally.padded, tally.given_up);
    for (size_t i = 0; i < 5; i++)
        printf(" %s %u", ends[i], tally.by_end[i]);
    printf("\n");
    bool enough = compared > 0 && tally.equal >= compared * least / 100 && tally.given_up <= stacks->count * 0.2;
    stacks_free(stacks);
    return enough ? 0 : 1;
}
