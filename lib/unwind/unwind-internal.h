/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of this room share: machines, descriptions of frames, rules, objects. */
#ifndef PPROFIL_UNWIND_INTERNAL_H
#define PPROFIL_UNWIND_INTERNAL_H

#include <elfutils/libdw.h>
#include <gelf.h>

#include "unwind/unwind.h"

/* --- machines --------------------------------------------------------------------------- */

struct machine {
    uint8_t word; /* bytes */
    uint8_t registers;
    uint8_t sp, fp, pc; /* numbers */
    uint8_t link;       /* where nothing is pushed: it has the return address */
    uint16_t elf;       /* EM_ */
    bool pushes;        /* a call pushes the return address */
};

/* NULL: there is no such machine. */
const struct machine *machine_find(enum unwind_machine machine);
/* An address, or a value, of the machine's size. */
uint64_t machine_wrap(const struct machine *machine, uint64_t value);

/* --- memory ----------------------------------------------------------------------------- */

/* Reads a word of at most 8 bytes; false: it was not copied. */
bool memory_read(const struct unwind_input *input, uint64_t address, size_t size, uint64_t *value);

/* --- bytes of a file, read from the front ------------------------------------------------ */

struct reader {
    const uint8_t *at, *end;
    bool failed; /* something was not there; all that is read after it is 0 */
};

uint64_t reader_fixed(struct reader *reader, size_t size); /* 1, 2, 4 or 8 bytes */
int64_t reader_signed(struct reader *reader, size_t size);
uint64_t reader_uleb(struct reader *reader);
int64_t reader_sleb(struct reader *reader);
const uint8_t *reader_skip(struct reader *reader, uint64_t size);

/* --- descriptions: a section of frame descriptions ---------------------------------------- */

struct description { /* what covers [start, start + size) */
    uint64_t start;
    uint32_t size;
    uint32_t offset; /* of it in the section */
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

/* A description, taken apart: instructions that all of its kind begin with, and its own. */
struct cfi_program {
    uint64_t start, end; /* addresses as linked */
    struct reader initial, own;
    uint64_t code_factor;
    int64_t data_factor;
    uint8_t return_column;
    uint8_t encoding; /* of addresses */
    bool signal;
};

/* Lists what a section describes, with bytes, size, address, eh and ident set. 0 or -ENOMEM:
 * what makes no sense is left out. */
int cfi_section_index(struct cfi_section *section);
void cfi_section_clear(struct cfi_section *section);
/* False: nothing there describes the address. */
bool cfi_section_find(const struct cfi_section *section, uint64_t address,
                      struct cfi_program *program);
/* An address in the section's own encoding (DW_EH_PE_*). */
uint64_t cfi_section_address(const struct cfi_section *section, struct reader *reader,
                             uint8_t encoding);

/* --- rules: where the caller's registers are ------------------------------------------------ */

enum rule_how {
    RULE_SAME = 0,      /* nothing has changed it */
    RULE_UNDEFINED,     /* it is lost */
    RULE_AT,            /* in memory, at CFA + value */
    RULE_IS,            /* CFA + value itself */
    RULE_REGISTER,      /* in register value; of a CFA: plus its offset */
    RULE_AT_EXPRESSION, /* in memory, where an expression says; value is its place in the section */
    RULE_IS_EXPRESSION, /* what an expression says */
};

struct rule_register {
    int32_t value;
    uint16_t length; /* of an expression, bytes */
    uint8_t number;  /* which register */
    uint8_t how;     /* enum rule_how */
};

enum rule_flags {
    RULE_SIGNAL = 1u << 0,      /* the caller was interrupted, it did not call */
    RULE_SIGNED = 1u << 1,      /* AArch64: the return address is */
    RULE_DEBUG_FRAME = 1u << 2, /* expressions are in .debug_frame */
    RULE_PLAIN = 1u << 3, /* CFA is a register's, all others are in memory between low and high */
};

/* One frame's. As kept, registers holds count of them, those that are not RULE_SAME. */
struct rule {
    struct rule_register cfa; /* number: RULE_REGISTER's; else unused */
    int32_t low, high;        /* PLAIN: registers are saved in [CFA + low, CFA + high) */
    uint8_t flags;            /* enum rule_flags */
    uint8_t return_column;
    uint16_t count;
    struct rule_register registers[];
};

/* While it is made: by number. */
struct rule_full {
    struct rule_register cfa;
    struct rule_register registers[UNWIND_REGISTERS];
    bool is_signed;
};

/* Runs a description up to an address. False: it makes no sense. */
bool cfi_run(const struct cfi_section *section, const struct cfi_program *program,
             const struct machine *machine, uint64_t address, struct rule_full *rule);

/* A bounded cache from addresses to rules; one that is all zero is empty. */
struct rule_slot {
    uint64_t key;  /* address + 1; 0: free */
    uint32_t rule; /* its place, or RULE_NONE */
};
struct rule_cache {
    struct rule_slot *slots; /* owned */
    uint32_t size, used;     /* size is a power of two, or 0 */
    uint32_t *words;         /* owned: the rules themselves */
    uint32_t word_count, word_room;
};
#define RULE_NONE UINT32_MAX

/* The slot of an address, or the free one where it belongs; there are slots. */
static inline uint32_t rule_cache_slot(const struct rule_cache *cache, uint64_t address)
{
    uint32_t slot = (uint32_t)((address + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 32);

    while (slot &= cache->size - 1,
           cache->slots[slot].key != address + 1 && cache->slots[slot].key != 0)
        slot++;
    return slot;
}

/* The rule of an address; NULL: there is none. False: it has not been asked about. */
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

/* Keeps a rule, or NULL, which stays valid until the next one is kept. 0 or -ENOMEM. */
int rule_cache_keep(struct rule_cache *cache, const struct machine *machine, uint64_t address,
                    const struct rule_full *full, uint8_t flags, uint8_t return_column);
void rule_cache_clear(struct rule_cache *cache);

/* --- expressions ------------------------------------------------------------------------ */

enum expression_end { EXPRESSION_DONE, EXPRESSION_NO_MEMORY, EXPRESSION_NONSENSE };

/* What expressions are about. */
struct expression_context {
    const uint64_t *registers;
    uint64_t unknown; /* bit i: registers[i] is not known */
    const struct unwind_input *input;
};

/* Evaluates a DWARF expression; *value is on its stack first where first is set. NO_MEMORY: it
 * wanted what was not copied, or a register that is not known. */
enum expression_end expression_run(struct reader code, const struct machine *machine,
                                   const struct expression_context *context, bool first,
                                   uint64_t *value);

/* --- objects ---------------------------------------------------------------------------- */

struct unwind_object {
    Elf *elf;       /* owned; NULL: no file */
    int fd;         /* owned, or -1 */
    Elf *debug_elf; /* owned: its separate debug file; NULL: none, or not looked for */
    int debug_fd;
    bool debug_looked;
    struct cfi_section frames, debug_frames;
    struct rule_cache cache;
};

/* Opens the file behind fd (not consumed); -1: there is none, and no rules. NULL where there is
 * no memory. A file that is no ELF file of a known kind has no rules either. */
struct unwind_object *unwind_object_open(int fd);
void unwind_object_close(struct unwind_object *object);
/* The rule for an instruction at an offset of the file; *rule is NULL where there is none, and
 * borrowed until the next call. 0 or -ENOMEM. */
int unwind_object_rule(struct unwind_object *object, const struct machine *machine, uint64_t offset,
                       const struct rule **rule);
/* The bytes of an expression. */
struct reader unwind_object_expression(const struct unwind_object *object, const struct rule *rule,
                                       const struct rule_register *where);
/* Reads bytes of its file; false: they are not there. */
bool unwind_object_bytes(const struct unwind_object *object, uint64_t offset, void *bytes,
                         size_t size);
/* Where that which is described together with an instruction, mostly a function, begins in the file.
 * False: nothing describes it. */
bool unwind_object_function(const struct unwind_object *object, uint64_t offset, uint64_t *start);
/* Is this where programs begin? */
bool unwind_object_entry(const struct unwind_object *object, uint64_t offset);

/* --- frames without a description --------------------------------------------------------- */

/* Is this where signal handlers return to? */
bool trampoline_is(const struct unwind_object *object, const struct machine *machine,
                   uint64_t offset);
/* Loads the registers that a signal interrupted. False: they were not copied. */
bool trampoline_step(const struct machine *machine, const struct unwind_input *input,
                     uint64_t *registers);

/* Do the bytes before this place look like a call? */
bool call_precedes(const struct unwind_object *object, const struct machine *machine,
                   uint64_t offset);
/* The same, and where it leads. False: that is not in the instruction. */
bool call_target(const struct unwind_object *object, const struct machine *machine, uint64_t offset,
                 uint64_t *target);

/* --- the walk: how far it has come, and the ways to the next frame --------------------------- */

#define WALK_MAPPED_MAX 8u

/* A mapping that this walk has met. */
struct mapped_object {
    struct unwind_mapping mapping;
    struct unwind_object *object; /* NULL: not to be had yet */
};

struct walk {
    struct unwinder *unwinder;
    const struct unwind_callbacks *callbacks;
    const struct unwind_input *input;
    const struct machine *machine;
    uint64_t registers[UNWIND_REGISTERS];
    uint64_t unknown; /* bit i: registers[i] is not */
    struct mapped_object mapped[WALK_MAPPED_MAX];
    uint32_t mapped_count;
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

/* Ways to the next frame: each may end the walk instead. */

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
