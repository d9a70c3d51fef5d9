/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * speed [-a] FILE: the time that our unwinder and libdwfl (which eu-stack uses) need for a frame. FILE is from
 * stacks.py. The stacks are those of 20 to 40 frames from one run of the recorded program. Both unwinders walk each
 * stack once, and then many times while the time is taken. Prints the medians over the stacks, their ratio, and for how
 * many stacks both find the same frames. -a: all stacks of any depth, timed once.
 */
#include "config.h"

#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <time.h>

#include "stacks.h"

#define STACKS_MAX 2000u
#define OUR_ROUNDS 500u
#define THEIR_ROUNDS 10u

static char *debug_path; /* where libdwfl looks for debug files; NULL: its default */
static const Dwfl_Callbacks dwfl_callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .debuginfo_path = &debug_path,
};

/* --- libdwfl over a record ---------------------------------------------------------------- */

struct theirs {
    const struct unwind_input *input;
    uint64_t pcs[UNWIND_FRAMES_MAX];
    uint32_t count;
};

static pid_t next_thread(Dwfl *dwfl, void *context, void **thread)
{
    (void)dwfl;
    if (*thread != NULL)
        return 0;
    *thread = context;
    return 1;
}

static bool memory_read(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *result, void *context)
{
    const struct theirs *theirs = context;

    (void)dwfl;
    for (uint32_t i = 0; i < theirs->input->piece_count; i++) {
        const struct unwind_piece *piece = &theirs->input->pieces[i];
        if (address - piece->start < piece->size && piece->start + piece->size - address >= 8) {
            memcpy(result, piece->bytes + (address - piece->start), 8);
            return true;
        }
    }
    return false;
}

static bool set_registers(Dwfl_Thread *thread, void *context)
{
    const struct theirs *theirs = context;
    return dwfl_thread_state_registers(thread, 0, 17, theirs->input->registers.values);
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
    .next_thread = next_thread,
    .memory_read = memory_read,
    .set_initial_registers = set_registers,
};

static int take_frame(Dwfl_Frame *frame, void *context)
{
    struct theirs *theirs = context;
    Dwarf_Addr pc;

    if (!dwfl_frame_pc(frame, &pc, NULL) || theirs->count == UNWIND_FRAMES_MAX)
        return DWARF_CB_ABORT;
    theirs->pcs[theirs->count++] = pc;
    return DWARF_CB_OK;
}

/* Finds where the file is mapped: the address in memory that corresponds to address 0 of the program headers. */
static bool find_base(int fd, const struct stacks_mapping *mapping, uint64_t *base)
{
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    size_t count = 0;
    bool found = false;

    elf_getphdrnum(elf, &count);
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (gelf_getphdr(elf, (int)i, &header) == NULL || header.p_type != PT_LOAD ||
            (header.p_offset & ~0xfffull) != mapping->offset || (header.p_flags & PF_X) == 0)
            continue;
        *base = mapping->start - (header.p_vaddr & ~0xfffull);
        found = true;
    }
    elf_end(elf);
    return found;
}

static Dwfl *make_dwfl(struct stacks *stacks, const struct stacks_record *record, struct theirs *theirs)
{
    Dwfl *dwfl = dwfl_begin(&dwfl_callbacks);

    dwfl_report_begin(dwfl);
    for (uint32_t i = 0; i < record->mapping_count; i++) {
        int fd = stacks->fds[stacks_object(stacks, record->mappings[i].path)];
        char name[32];
        uint64_t base;
        if (fd < 0 || !find_base(fd, &record->mappings[i], &base))
            continue;
        snprintf(name, sizeof name, "object %u", i);
        dwfl_report_elf(dwfl, name, name, dup(fd), base, true);
    }
    dwfl_report_end(dwfl, NULL, NULL);
    if (!dwfl_attach_state(dwfl, NULL, 1, &thread_callbacks, theirs)) {
        fprintf(stderr, "libdwfl: %s\n", dwfl_errmsg(-1));
        exit(1);
    }
    return dwfl;
}

/* --- both ------------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    return values[count / 2];
}

static bool same_world(const struct stacks_record *a, const struct stacks_record *b)
{
    if (a->mapping_count != b->mapping_count)
        return false;
    for (uint32_t i = 0; i < a->mapping_count; i++)
        if (a->mappings[i].start != b->mappings[i].start)
            return false;
    return true;
}

struct race {
    struct stacks *stacks;
    struct unwinder *unwinder;
    struct unwind_frame frames[UNWIND_FRAMES_MAX];
    struct unwind_stack ours;
    struct theirs theirs;
    Dwfl *dwfl;
    const struct stacks_record *first;
};

static double time_ours(struct race *race, const struct unwind_input *input, uint32_t rounds)
{
    const struct unwind_callbacks callbacks = {.context = race->stacks, .find = stacks_find, .open = stacks_open};
    double start = now();

    race->ours = (struct unwind_stack){.frames = race->frames, .room = UNWIND_FRAMES_MAX};
    for (uint32_t i = 0; i < rounds; i++)
        if (unwind_walk(race->unwinder, &callbacks, input, &race->ours) != 0)
            exit(1);
    return (now() - start) / rounds / race->ours.count;
}

static double time_theirs(struct race *race, const struct unwind_input *input, uint32_t rounds)
{
    double start = now();

    race->theirs.input = input;
    for (uint32_t i = 0; i < rounds; i++) {
        race->theirs.count = 0;
        dwfl_getthread_frames(race->dwfl, 1, take_frame, &race->theirs);
    }
    return (now() - start) / rounds / (race->theirs.count + 1e-9);
}

static bool agree(struct race *race)
{
    if (race->ours.count != race->theirs.count)
        return false;
    for (uint32_t i = 0; i < race->ours.count; i++)
        if (stacks_pc(race->stacks, &race->frames[i]) != race->theirs.pcs[i])
            return false;
    return true;
}

/* Returns true if a stack is to be timed. With -a, all stacks are timed, and libdwfl is opened again when the mappings
 * change. Without -a, only stacks of 20 to 40 frames are timed, and only those with the same mappings as the last
 * record: stacks of the same run of the program, after it had loaded all libraries. */
static bool wanted(struct race *race, const struct stacks_record *record, bool all)
{
    if (race->dwfl == NULL || (all && !same_world(race->first, record))) {
        race->first = all ? record : &race->stacks->records[race->stacks->count - 1];
        dwfl_end(race->dwfl);
        race->dwfl = make_dwfl(race->stacks, race->first, &race->theirs);
    }
    return all || (record->frame_count >= 20 && record->frame_count <= 40 && same_world(race->first, record));
}

int main(int argc, char **argv)
{
    static struct race race;
    static double ours[STACKS_MAX], theirs[STACKS_MAX];
    uint32_t count = 0, agreed = 0;
    uint64_t frames = 0;
    bool all = argc == 3 && strcmp(argv[1], "-a") == 0;

    if (argc != 2 + all)
        return 2;
    race.stacks = stacks_read(argv[1 + all]);
    race.unwinder = unwinder_new();
    for (uint32_t i = 0; i < race.stacks->count && count < STACKS_MAX; i++) {
        const struct stacks_record *record = race.stacks->current = &race.stacks->records[i];
        if (!wanted(&race, record, all))
            continue;
        time_ours(&race, &record->input, 1);
        time_theirs(&race, &record->input, 1);
        agreed += agree(&race);
        frames += race.ours.count;
        ours[count] = time_ours(&race, &record->input, all ? 1 : OUR_ROUNDS);
        theirs[count++] = time_theirs(&race, &record->input, all ? 1 : THEIR_ROUNDS);
    }
    if (count == 0) {
        fprintf(stderr, "no stacks of 20 to 40 frames\n");
        return 1;
    }
    double our = median(ours, count), their = median(theirs, count);
    printf("%u stacks of %.1f frames: %.1f ns a frame, libdwfl %.0f: %.0f times; %u are the same\n",
           count, (double)frames / count, our, their, their / our, agreed);
    unwinder_free(race.unwinder);
    dwfl_end(race.dwfl);
    stacks_free(race.stacks);
    return 0;
}
