/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of a walk share: how far it has come, and the ways to the next frame. */
#ifndef PPROFIL_WALK_INTERNAL_H
#define PPROFIL_WALK_INTERNAL_H

#include "unwind/unwind-internal.h"

#define WALK_PLACES_MAX 8u

/* A mapping that this walk has met. */
struct place {
    struct unwind_mapping mapping;
    struct unwind_object *object; /* NULL: not to be had yet */
};

struct walk {
    struct unwinder *unwinder;
    const struct unwind_world *world;
    const struct unwind_input *input;
    const struct machine *machine;
    uint64_t registers[UNWIND_REGISTERS];
    uint64_t unknown; /* bit i: registers[i] is not */
    struct place places[WALK_PLACES_MAX];
    uint32_t place_count;
    bool exact;   /* the program counter is no return address */
    bool made;    /* the return address to the last frame was made by hand: it is the outermost */
    bool guessed; /* the registers are */
    bool by_call; /* the stack pointer is what it was in the frame before, which may have pushed something */
    bool framed;  /* a frame pointer has led to a caller */
    bool ended;
    enum unwind_end end;
    int error;
};

void walk_end(struct walk *walk, enum unwind_end end);
/* Memory is wanted that was not copied. After a guess it may be anywhere. */
void walk_end_outside(struct walk *walk, uint64_t address);
/* Does the stack go on there, above what was copied? */
bool walk_is_above_copy(const struct walk *walk, uint64_t address);

/* The mapping around an address; NULL: there is none, or the walk has failed. */
const struct place *walk_find_place(struct walk *walk, uint64_t address);

static inline uint64_t walk_offset(const struct place *place, uint64_t address)
{
    return address - place->mapping.start + place->mapping.offset;
}

static inline bool walk_is_unknown(const struct walk *walk, size_t number)
{
    return (walk->unknown & UINT64_C(1) << number) != 0;
}

static inline void walk_set_unknown(struct walk *walk, size_t number, bool unknown)
{
    uint64_t bit = UINT64_C(1) << number;
    walk->unknown = unknown ? walk->unknown | bit : walk->unknown & ~bit;
}

/* AArch64: a return address without its signature. */
uint64_t walk_strip_signature(struct walk *walk, uint64_t pc);

/* Does the frame save its caller's frame pointer, and above that the return address? *at: where, from the CFA. */
bool walk_has_record(const struct walk *walk, const struct rule *rule, int32_t *at);

/* Where the caller's stack pointer was. What a frame saves is its own: what ld.so's _dl_runtime_resolve of AArch64 says
 * of its frame leaves out what its caller has pushed for it. */
static inline uint64_t walk_caller_sp(const struct walk *walk, const struct rule *rule, uint64_t cfa)
{
    bool above = !walk->machine->pushes && (rule->flags & RULE_PLAIN) != 0 && rule->high > 0;

    return cfa + (above ? ((uint64_t)rule->high + 15) & ~UINT64_C(15) : 0);
}

/* --- ways to the next frame: each may end the walk instead ---------------------------------- */

/* What is said of the present one. */
void walk_by_rule(struct walk *walk, const struct unwind_object *object, const struct rule *rule);

/* The caller's frame pointer lies where ours points, the return address above it. False: no. */
bool walk_by_frame_pointer(struct walk *walk);

/* As if it had pushed nothing: the return address is where the call put it. False: no. */
bool walk_by_call(struct walk *walk);

/* A guess has left open where the stack pointer is. The frame pointer shows it if the frame has a record. False: it has
 * none. */
bool walk_find_stack_pointer(struct walk *walk, const struct rule *rule);

/* A sleeper's frame pointer is not known, but where it points may be told from what is there.
 * False: it cannot. */
bool walk_find_frame_pointer(struct walk *walk, const struct rule *rule);

#endif
