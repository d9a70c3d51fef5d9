/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes rules for code that is made at run time (JIT). Compilers such as V8 with --perf-prof-unwinding-info and CPython
 * with -X perf_jit write frame descriptions of their code into a jitdump.
 */
#include "config.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "jit/jit.h"
#include "unwind/unwind-jit.h"

/* The run-time code of a process. */
struct unwind_jit {
    bool looked;               /* false: the file has not come yet */
    struct jit_frames *frames; /* owned; NULL: the process has no jitdump */
    struct rule_cache cache;   /* by address */
};

static void jit_clear(struct unwind_jit *jit)
{
    jit_frames_close(jit->frames);
    rule_cache_clear(&jit->cache);
}

void unwind_forget_jit(struct unwinder *unwinder)
{
    for (uint32_t i = 0; i < unwinder->jit_count; i++)
        jit_clear(&unwinder->jit[i]);
    free(unwinder->jit);
}

int unwind_move_jit(struct unwinder *unwinder, const struct profile_moves *moves)
{
    struct unwind_jit *moved = NULL;
    uint32_t count = 0;
    int error = array_extend(&moved, &count, moves->process_count, sizeof *moved);

    if (error != 0)
        return error;
    /* elements that have no entry in the ended profile's table are empty */
    for (uint32_t i = 0; i < unwinder->jit_count && i < moves->process_count; i++)
        if (moves->processes[i] != 0)
            moved[moves->processes[i] - 1] = unwinder->jit[i];
        else
            jit_clear(&unwinder->jit[i]);
    free(unwinder->jit);
    unwinder->jit = moved;
    unwinder->jit_count = count;
    return 0;
}

/* Finds the run-time code of the process that has the object. *jit becomes NULL if it has no jitdump. 0 or -ENOMEM. */
static int jit_find(struct walk *walk, uint32_t object, struct unwind_jit **jit)
{
    struct unwinder *unwinder = walk->unwinder;
    struct unwind_jit_file file;

    *jit = NULL;
    if (walk->callbacks->find_jit == NULL || !walk->callbacks->find_jit(walk->callbacks->context, object, &file))
        return 0;
    if (array_extend(&unwinder->jit, &unwinder->jit_count, file.process + 1, sizeof *unwinder->jit) != 0)
        return -ENOMEM;
    struct unwind_jit *found = &unwinder->jit[file.process];
    if (!found->looked && file.fd >= 0) {
        found->looked = true;
        found->frames = jit_frames_open(file.fd, &file.owner);
    }
    *jit = found->frames != NULL && jit_frames_machine(found->frames) == walk->machine->elf ? found : NULL;
    return 0;
}

static bool rule_has_expression(const struct rule_full *rule)
{
    bool found = rule->cfa.how == RULE_AT_EXPRESSION || rule->cfa.how == RULE_IS_EXPRESSION;

    for (size_t i = 0; i < UNWIND_REGISTERS; i++)
        found = found || rule->registers[i].how == RULE_AT_EXPRESSION || rule->registers[i].how == RULE_IS_EXPRESSION;
    return found;
}

/* Makes the rule of an address from the section .eh_frame of the code around it, whose first instruction is at `start`.
 * The first frame description of the section is that of the code. 0, -ENOENT: no rule; or -ENOMEM. */
static int jit_run(struct cfi_section *section, const struct machine *machine, uint64_t into, struct rule_full *full,
                   uint8_t *return_column)
{
    struct cfi_program program;

    if (cfi_section_index(section) != 0)
        return -ENOMEM;
    if (section->count == 0 || into >= section->descriptions[0].size ||
        !cfi_section_find(section, section->descriptions[0].start + into, &program) || program.signal ||
        program.return_column >= machine->registers ||
        !cfi_run(section, &program, machine, program.start + into, full) || rule_has_expression(full))
        return -ENOENT;
    *return_column = program.return_column;
    return 0;
}

static int jit_compile(struct unwind_jit *jit, const struct machine *machine, uint64_t address)
{
    static const char wide[EI_NIDENT] = {[EI_CLASS] = ELFCLASS64, [EI_DATA] = ELFDATA2LSB};
    static const char narrow[EI_NIDENT] = {[EI_CLASS] = ELFCLASS32, [EI_DATA] = ELFDATA2LSB};
    struct rule_full full;
    uint8_t return_column = 0;
    uint64_t start = 0;
    unsigned char *bytes = malloc(JIT_FRAMES_SIZE_MAX);

    if (bytes == NULL)
        return -ENOMEM;
    struct cfi_section section = {.bytes = bytes, .eh = true, .ident = machine->word == 8 ? wide : narrow};
    section.size = jit_frames_find(jit->frames, address, &start, bytes);
    int error = section.size == 0 ? -ENOENT : jit_run(&section, machine, address - start, &full, &return_column);
    if (error != -ENOMEM)
        error = rule_cache_keep(&jit->cache, machine, address, error == 0 ? &full : NULL, 0, return_column);
    cfi_section_clear(&section);
    free(bytes);
    return error;
}

int unwind_jit_rule(struct walk *walk, uint32_t object, uint64_t address, const struct rule **rule)
{
    struct unwind_jit *jit;
    int error = jit_find(walk, object, &jit);

    *rule = NULL;
    if (jit == NULL || (rule_cache_find(&jit->cache, address, rule) && *rule != NULL))
        return error;
    /* Old code may have been replaced by new code at the same addresses. */
    int changed = jit_frames_read_on(jit->frames);
    if (changed == 1)
        rule_cache_clear(&jit->cache);
    if (changed < 0)
        return changed;
    if (!rule_cache_find(&jit->cache, address, rule) && (error = jit_compile(jit, walk->machine, address)) == 0)
        rule_cache_find(&jit->cache, address, rule);
    return error;
}
