/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of this room share: machines, descriptions of frames, rules, objects, walks. */
#ifndef PPROFIL_UNWIND_INTERNAL_H
#define PPROFIL_UNWIND_INTERNAL_H

#include <elfutils/libdw.h>
#include <gelf.h>

#include "unwind/unwind.h"

/* --- machines --------------------------------------------------------------------------- */

struct machine {
    uint8_t word; /* bytes */
    uint8_t registers;
    uint8_t sp, fp, pc; /* numbers of registers */
    uint8_t link; /* number of the register with the return address, where calls push nothing */
    uint16_t elf; /* EM_* of elf.h */
    bool pushes;  /* a call pushes the return address */
};

/* NULL: no such machine is known. */
const struct machine *machine_find(enum unwind_machine machine);
/* Cuts an address or a value to the size of the machine's words. */
uint64_t machine_wrap(const struct machine *machine, uint64_t value);

/* --- memory ----------------------------------------------------------------------------- */

/* Reads size bytes, 8 at most, from the copy. False: they were not copied. */
bool memory_read(const struct unwind_input *input, uint64_t address, size_t size, uint64_t *value);

/* --- reader: numbers out of a file's bytes, from the front ---------------------------------- */

struct reader {
    const uint8_t *at, *end;
    bool failed; /* the bytes ended too early; all that is read from then on is 0 */
};

uint64_t reader_fixed(struct reader *reader, size_t size); /* size is 1, 2, 4 or 8 bytes */
int64_t reader_signed(struct reader *reader, size_t size);
uint64_t reader_uleb(struct reader *reader); /* LEB128, unsigned and signed */
int64_t reader_sleb(struct reader *reader);
/* Skips size bytes and returns their address, or NULL where there are fewer. */
const uint8_t *reader_skip(struct reader *reader, uint64_t size);

/* --- cfi_section: a section of frame descriptions ------------------------------------------ */

/* The description (FDE) that covers the code in [start, start + size). */
struct description {
    uint64_t start;
    uint32_t size;
    uint32_t offset; /* of the description in its section */
};

struct cfi_section {
    const uint8_t *bytes; /* borrowed from the file */
    size_t size;
    uint64_t address;                 /* as linked */
    bool eh;                          /* .eh_frame, else .debug_frame */
    const char *ident;                /* the file's e_ident, borrowed */
    struct description *descriptions; /* owned; by start */
    uint32_t count;
};

/* A description, taken apart. It is the initial instructions, which it shares with others (CIE),
 * followed by its own. */
struct cfi_program {
    uint64_t start, end; /* addresses as linked */
    struct reader initial, own;
    uint64_t code_factor;
    int64_t data_factor;
    uint8_t return_column; /* number of the register that gets the return address */
    uint8_t encoding;      /* of addresses: DW_EH_PE_* */
    bool signal;           /* a signal interrupted the caller */
};

/* Lists the descriptions of a section, whose bytes, size, address, eh and ident are set. Leaves out
 * what makes no sense. 0 or -ENOMEM. */
int cfi_section_index(struct cfi_section *section);
void cfi_section_clear(struct cfi_section *section);
/* The description of an address as linked. False: there is none. */
bool cfi_section_find(const struct cfi_section *section, uint64_t address,
                      struct cfi_program *program);
/* Reads an address in an encoding (DW_EH_PE_*) of the section. */
uint64_t cfi_section_address(const struct cfi_section *section, struct reader *reader,
                             uint8_t encoding);

/* --- rules: where the caller's registers are ------------------------------------------------ */

enum rule_how {
    RULE_SAME = 0,      /* the register has not changed */
    RULE_UNDEFINED,     /* its value is lost */
    RULE_AT,            /* its value is in memory at CFA + value */
    RULE_IS,            /* its value is CFA + value */
    RULE_REGISTER,      /* its value is in the register with the number value; a CFA is the register
                         * number plus value */
    RULE_AT_EXPRESSION, /* its value is in memory where an expression says, which begins at value in
                         * the section */
    RULE_IS_EXPRESSION, /* its value is that of such an expression */
};

struct rule_register {
    int32_t value;   /* as how says */
    uint16_t length; /* of an expression, bytes */
    uint8_t number;  /* of the register */
    uint8_t how;     /* enum rule_how */
};

enum rule_flags {
    RULE_SIGNAL = 1u << 0,      /* the caller did not call: a signal interrupted it */
    RULE_SIGNED = 1u << 1,      /* AArch64: the return address has a signature */
    RULE_DEBUG_FRAME = 1u << 2, /* expressions are in .debug_frame */
    RULE_PLAIN =
        1u << 3, /* the CFA is a register plus an offset, and all that changed is in memory */
};

/* How to get from one frame to its caller's. */
struct rule {
    struct rule_register cfa; /* number is used with RULE_REGISTER only */
    int32_t low, high;        /* of RULE_PLAIN: registers are saved in [CFA + low, CFA + high) */
    uint8_t flags;            /* enum rule_flags */
    uint8_t return_column;    /* number of the register that gets the return address */
    uint16_t count;
    struct rule_register registers[]; /* those that are not RULE_SAME */
};

/* A rule in the making. */
struct rule_full {
    struct rule_register cfa;
    struct rule_register registers[UNWIND_REGISTERS]; /* by number */
    bool is_signed;
};

/* Runs the instructions of a description up to an address as linked. False: they make no sense. */
bool cfi_run(const struct cfi_section *section, const struct cfi_program *program,
             const struct machine *machine, uint64_t address, struct rule_full *rule);

/* A bounded cache from addresses to rules. A cache that is all 0 is empty. It has a hash table of
 * its own, because most of unwinding is looking up in it. */
struct rule_slot {
    uint64_t key;  /* address + 1; 0: free */
    uint32_t rule; /* index into words, or RULE_NONE */
};
struct rule_cache {
    struct rule_slot *slots; /* owned */
    uint32_t size, used;     /* size is a power of two, or 0 */
    uint32_t *words;         /* owned; struct rule one after the other */
    uint32_t word_count, word_room;
};
#define RULE_NONE UINT32_MAX

/* The slot of an address, or the free one where it belongs. The cache must have slots. */
static inline uint32_t rule_cache_slot(const struct rule_cache *cache, uint64_t address)
{
    uint32_t slot = (uint32_t)((address + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 32);

    while (slot &= cache->size - 1,
           cache->slots[slot].key != address + 1 && cache->slots[slot].key != 0)
        slot++;
    return slot;
}

/* *rule becomes that of an address; NULL: it has none. False: the cache does not know. */
static inline bool rule_cache_find(const struct rule_cache *cache, uint64_t address,
                                   const struct rule **rule)
{
    if (cache->size == 0)
        return false;
    const struct rule_slot *slot = &cache->slots[rule_cache_slot(cache, address)];
    if (slot->key == 0)
        return false;
    *rule = slot->rule == RULE_NONE ? NULL : (const void *)&cache->words[slot->rule];
    return true;
}

/* Keeps a rule, or NULL for an address without one. Rules that were found before are invalid then.
 * 0 or -ENOMEM. */
int rule_cache_keep(struct rule_cache *cache, const struct machine *machine, uint64_t address,
                    const struct rule_full *full, uint8_t flags, uint8_t return_column);
void rule_cache_clear(struct rule_cache *cache);

/* --- expressions ------------------------------------------------------------------------ */

enum expression_end { EXPRESSION_DONE, EXPRESSION_NO_MEMORY, EXPRESSION_NONSENSE };

/* What an expression can read. */
struct expression_context {
    const uint64_t *registers;
    uint64_t unknown; /* bit i: registers[i] is not known */
    const struct unwind_input *input;
};

/* Evaluates a DWARF expression. Where first is set, *value is on its stack at the beginning. *value
 * becomes the result. NO_MEMORY: it reads memory that was not copied, or a register that is not
 * known. */
enum expression_end expression_run(struct reader code, const struct machine *machine,
                                   const struct expression_context *context, bool first,
                                   uint64_t *value);

/* --- objects ---------------------------------------------------------------------------- */

struct unwind_object {
    Elf *elf;       /* owned; NULL: no file */
    int fd;         /* owned, or -1 */
    Elf *debug_elf; /* owned; its separate debug file; NULL: it has none, or none was looked for */
    int debug_fd;   /* owned, or -1 */
    bool debug_looked;
    struct cfi_section frames, debug_frames;
    struct rule_cache cache;
};

/* Opens the file behind fd (not consumed). Where fd is negative, or the file is no ELF file of a
 * machine of ours, the object has no rules. NULL where there is no memory. */
struct unwind_object *unwind_object_open(int fd);
void unwind_object_close(struct unwind_object *object);
/* The rule of an instruction at an offset of the file, borrowed until the next call. *rule is NULL
 * where nothing describes it. 0 or -ENOMEM. */
int unwind_object_rule(struct unwind_object *object, const struct machine *machine, uint64_t offset,
                       const struct rule **rule);
/* A reader of the expression that where refers to. */
struct reader unwind_object_expression(const struct unwind_object *object, const struct rule *rule,
                                       const struct rule_register *where);
/* Reads bytes of its file. False: the file ends before. */
bool unwind_object_bytes(const struct unwind_object *object, uint64_t offset, void *bytes,
                         size_t size);
/* Where the code begins in the file that has the same description as an instruction: most of the
 * time that is a function. False: nothing describes it. */
bool unwind_object_function(const struct unwind_object *object, uint64_t offset, uint64_t *start);
/* Is this where the kernel enters a program? */
bool unwind_object_entry(const struct unwind_object *object, uint64_t offset);

/* --- frames without a description --------------------------------------------------------- */

/* Do signal handlers return to this offset of the file? */
bool trampoline_is(const struct unwind_object *object, const struct machine *machine,
                   uint64_t offset);
/* Loads the registers that the kernel saved at a signal. False: they were not copied. */
bool trampoline_step(const struct machine *machine, const struct unwind_input *input,
                     uint64_t *registers);

/* Do the bytes before this offset look like a call? */
bool call_precedes(const struct unwind_object *object, const struct machine *machine,
                   uint64_t offset);
/* Where a call before this offset leads to, as an offset too. False: there is none, or the
 * instruction does not say where. */
bool call_target(const struct unwind_object *object, const struct machine *machine, uint64_t offset,
                 uint64_t *target);

/* --- the walk --------------------------------------------------------------------------------- */

#define WALK_MAPPED_MAX 8u

/* A mapping that this walk has come across. */
struct mapped_object {
    struct unwind_mapping mapping;
    struct unwind_object *object; /* borrowed; NULL: its file may still come */
};

struct walk {
    struct unwinder *unwinder;
    const struct unwind_callbacks *callbacks;
    const struct unwind_input *input;
    const struct machine *machine;
    uint64_t registers[UNWIND_REGISTERS];
    uint64_t unknown; /* bit i: registers[i] is not known */
    struct mapped_object mapped[WALK_MAPPED_MAX];
    uint32_t mapped_count;
    bool exact; /* the program counter is that of an instruction, not a return address */
    bool made;  /* no call made the last return address (makecontext): its frame is the outermost */
    bool guessed; /* the registers come from a guess */
    bool by_call; /* walk_by_call left the stack pointer alone; the frame before may have pushed
                     something */
    bool framed;  /* a frame pointer has led to a caller */
    bool ended;
    enum unwind_end end;
    int error;
};

void walk_end(struct walk *walk, enum unwind_end end);
/* Ends the walk because memory at an address was not copied. It is a truncated stack, unless a
 * guess led to an address that is in no stack. */
void walk_end_outside(struct walk *walk, uint64_t address);
/* Is the address above what was copied, where the stack may go on? */
bool walk_is_above_copy(const struct walk *walk, uint64_t address);

/* The object that is mapped at an address. NULL: there is none, or the walk has failed. */
const struct mapped_object *walk_find_mapped(struct walk *walk, uint64_t address);

static inline uint64_t walk_offset(const struct mapped_object *mapped, uint64_t address)
{
    return address - mapped->mapping.start + mapped->mapping.offset;
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

/* Removes the signature from a return address (AArch64). */
uint64_t walk_strip_signature(struct walk *walk, uint64_t pc);

/* Does the frame save a frame record: its caller's frame pointer, and above that the return
 * address? *at becomes the record's offset from the CFA. */
bool walk_has_record(const struct walk *walk, const struct rule *rule, int32_t *at);

/* Where the caller's stack pointer was. What a frame saves belongs to the frame, even above the
 * CFA: ld.so's _dl_runtime_resolve of AArch64 describes its frame without what its caller has
 * pushed for it. */
static inline uint64_t walk_caller_sp(const struct walk *walk, const struct rule *rule,
                                      uint64_t cfa)
{
    bool above = !walk->machine->pushes && (rule->flags & RULE_PLAIN) != 0 && rule->high > 0;

    return cfa + (above ? ((uint64_t)rule->high + 15) & ~UINT64_C(15) : 0);
}

/* Ways to the next frame. Each may end the walk instead. */

/* As the rule of the present frame says. */
void walk_by_rule(struct walk *walk, const struct unwind_object *object, const struct rule *rule);

/* Assumes that the caller's frame pointer lies where ours points, and the return address above it.
 * False: that leads to no caller. */
bool walk_by_frame_pointer(struct walk *walk);

/* Assumes that the frame has pushed nothing, so that the return address is where the call put it.
 * False: that leads to no caller. */
bool walk_by_call(struct walk *walk);

/* Finds the stack pointer, which a guess has left unknown, by the frame pointer, if the frame has a
 * record. False: it has none. */
bool walk_find_stack_pointer(struct walk *walk, const struct rule *rule);

/* Finds the frame pointer of a sleeping thread, which is not known, by the record that it points
 * to. False: there is no such record, or no certain one. */
bool walk_find_frame_pointer(struct walk *walk, const struct rule *rule);

#endif
