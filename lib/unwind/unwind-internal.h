/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Declarations for the files of lib/unwind only: machines, frame descriptions, rules, objects, walks. */
#ifndef PPROFIL_UNWIND_INTERNAL_H
#define PPROFIL_UNWIND_INTERNAL_H

#include <elfutils/libdw.h>
#include <gelf.h>

#include "script/script.h"
#include "unwind/code.h"
#include "unwind/unwind.h"

/* --- machines --------------------------------------------------------------------------- */

struct machine {
    uint8_t word; /* size of the machine's words, bytes */
    uint8_t registers;
    uint8_t sp, fp, pc; /* register numbers */
    uint8_t link;       /* number of the register in which a call leaves the return address, if `pushes` is not set */
    uint16_t elf; /* the e_machine of its ELF files: EM_* of elf.h */
    bool pushes;  /* a call pushes the return address onto the stack */
};

/* Returns the properties of a machine. NULL: the machine is not known. */
const struct machine *machine_find(enum unwind_machine machine);
/* Cuts an address or another value to the size of the machine's words. */
uint64_t machine_wrap(const struct machine *machine, uint64_t value);

/* --- memory ----------------------------------------------------------------------------- */

/* Reads `size` bytes, at most 8, from the copied memory in `input`. False: not all of these bytes were copied. */
bool memory_read(const struct unwind_input *input, uint64_t address, size_t size, uint64_t *value);

/* --- reader: reads numbers from bytes, first to last ----------------------------------------- */

struct reader {
    const uint8_t *at, *end;
    bool failed; /* a number went beyond the last byte; from then on, all reads return 0 */
};

uint64_t reader_fixed(struct reader *reader, size_t size); /* `size` is 1, 2, 4 or 8 bytes */
int64_t reader_signed(struct reader *reader, size_t size);
uint64_t reader_uleb(struct reader *reader); /* unsigned LEB128 */
int64_t reader_sleb(struct reader *reader);
/* Skips `size` bytes, and returns the address of the first one. NULL: fewer bytes are left. */
const uint8_t *reader_skip(struct reader *reader, uint64_t size);

/* --- cfi_section: a section of frame descriptions ------------------------------------------ */

/* A frame description (FDE). It covers the code in [start, start + size). */
struct description {
    uint64_t start;
    uint32_t size;
    uint32_t offset; /* offset of the FDE in its section */
};

struct cfi_section {
    const uint8_t *bytes; /* borrowed from the file */
    size_t size;
    uint64_t address;                 /* link-time address */
    bool eh;                          /* true: .eh_frame; false: .debug_frame */
    const char *ident;                /* the file's e_ident, borrowed */
    struct description *descriptions; /* owned; sorted by start */
    uint32_t count;
};

/* A parsed frame description (FDE). Its instructions are those in `initial`, followed by those in `own`. Several FDEs
 * share the instructions in `initial`, which are in the CIE. */
struct cfi_program {
    uint64_t start, end; /* link-time addresses */
    struct reader initial, own;
    uint64_t code_factor;
    int64_t data_factor;
    uint8_t return_column; /* number of the register that gets the return address */
    uint8_t encoding;      /* how addresses are encoded: DW_EH_PE_* */
    bool signal;           /* the caller made no call, but was interrupted by a signal */
};

/* Lists the frame descriptions of a section. Before the call, the caller sets the fields `bytes`, `size`, `address`,
 * `eh` and `ident`. Frame descriptions that make no sense are left out. 0 or -ENOMEM. */
int cfi_section_index(struct cfi_section *section);
void cfi_section_clear(struct cfi_section *section);
/* Finds and parses the frame description that covers a link-time address. False: there is none. */
bool cfi_section_find(const struct cfi_section *section, uint64_t address, struct cfi_program *program);
/* Reads an address from the section. `encoding` says how it is encoded (DW_EH_PE_*). */
uint64_t cfi_section_address(const struct cfi_section *section, struct reader *reader, uint8_t encoding);

/* --- rules: where the caller's registers are ------------------------------------------------ */

enum rule_how {
    RULE_SAME = 0,  /* the register has not changed */
    RULE_UNDEFINED, /* its content is lost */
    RULE_AT,        /* its content is in memory, at CFA + rule_register.value */
    RULE_IS,        /* its content is CFA + rule_register.value */
    /* its content is in another register; rule_register.value is the number of that register. But in rule.cfa: the CFA
     * is the content of the register rule_register.number, plus rule_register.value */
    RULE_REGISTER,
    /* its content is in memory, at an address that an expression computes. rule_register.value is the offset of the
     * expression in the section */
    RULE_AT_EXPRESSION,
    /* an expression computes its content. rule_register.value is the offset of the expression in the section */
    RULE_IS_EXPRESSION,
};

struct rule_register {
    int32_t value;   /* what this means depends on `how` */
    uint16_t length; /* size of the expression in bytes, if `how` is a kind with an expression */
    /* number of a register: the one whose content is described, or, in rule.cfa, the one on which the CFA is based */
    uint8_t number;
    uint8_t how; /* enum rule_how */
};

enum rule_flags {
    RULE_SIGNAL = 1u << 0,      /* the caller made no call, but was interrupted by a signal */
    RULE_SIGNED = 1u << 1,      /* AArch64: the return address has a signature */
    RULE_DEBUG_FRAME = 1u << 2, /* expressions are in .debug_frame, not in .eh_frame */
    /* the CFA is a register plus an offset, all changed registers are saved in memory, and no
     * signal interrupted the caller */
    RULE_PLAIN = 1u << 3,
};

/* How to get from a frame to its caller's frame. */
struct rule {
    struct rule_register cfa; /* the field `number` is used only if `how` is RULE_REGISTER */
    /* only used if `flags` has RULE_PLAIN: all saved registers are in [CFA + low, CFA + high) */
    int32_t low, high;
    uint8_t flags;         /* enum rule_flags */
    uint8_t return_column; /* number of the register that gets the return address */
    uint16_t count;
    /* one element for each register that is not RULE_SAME; there are `count` of them */
    struct rule_register registers[];
};

/* A rule while it is being built from the instructions of a frame description. Unlike a finished
 * rule, it has an element for each register. */
struct rule_full {
    struct rule_register cfa;
    struct rule_register registers[UNWIND_REGISTERS]; /* indexed by register number */
    bool is_signed;
};

/* Runs the instructions of a frame description up to a link-time address. *rule becomes the rule
 * for that address. False: the instructions make no sense. */
bool cfi_run(const struct cfi_section *section, const struct cfi_program *program,
             const struct machine *machine, uint64_t address, struct rule_full *rule);

/* A cache in which rules are found by address. It has a limited number of addresses. A cache whose fields are all 0 is
 * empty. Looking up rules in the cache is most of the work of unwinding, so the cache has its own fast hash table. */
struct rule_slot {
    uint64_t key;  /* the address plus 1; 0: the slot is free */
    uint32_t rule; /* index into rule_cache.words; RULE_NONE: the address has no rule */
};
struct rule_cache {
    struct rule_slot *slots; /* owned */
    /* how many slots there are (a power of two, or 0), and how many of them are used */
    uint32_t size, used;
    uint32_t *words; /* owned; all rules of the cache (struct rule), one after the other */
    uint32_t word_count, word_room;
};
#define RULE_NONE UINT32_MAX

/* Returns the slot of an address. If the address has none yet, returns the free slot that it would
 * get. The cache must have slots. */
static inline uint32_t rule_cache_slot(const struct rule_cache *cache, uint64_t address)
{
    uint32_t slot = (uint32_t)((address + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 32);

    while (slot &= cache->size - 1, cache->slots[slot].key != address + 1 && cache->slots[slot].key != 0)
        slot++;
    return slot;
}

/* Finds the rule of an address. *rule is NULL if the address is known to have no rule. False: the
 * address is not in the cache. */
static inline bool rule_cache_find(const struct rule_cache *cache, uint64_t address, const struct rule **rule)
{
    if (cache->size == 0)
        return false;
    const struct rule_slot *slot = &cache->slots[rule_cache_slot(cache, address)];
    if (slot->key == 0)
        return false;
    *rule = slot->rule == RULE_NONE ? NULL : (const void *)&cache->words[slot->rule];
    return true;
}

/* Stores the rule of an address. `full` is NULL if the address has no rule. Rules that
 * rule_cache_find has returned before must not be used after this. 0 or -ENOMEM. */
int rule_cache_keep(struct rule_cache *cache, const struct machine *machine, uint64_t address,
                    const struct rule_full *full, uint8_t flags, uint8_t return_column);
void rule_cache_clear(struct rule_cache *cache);

/* --- expressions ------------------------------------------------------------------------ */

enum expression_end { EXPRESSION_DONE, EXPRESSION_NO_MEMORY, EXPRESSION_NONSENSE };

/* What an expression can read: registers and copied memory. */
struct expression_context {
    const uint64_t *registers;
    uint64_t unknown; /* bit i: registers[i] is not known */
    const struct unwind_input *input;
};

/* Evaluates a DWARF expression, and sets *value to its result. If `first` is set, *value is put on
 * the expression's stack before the expression begins. EXPRESSION_NO_MEMORY: the expression reads
 * memory that was not copied, or a register that is not known. */
enum expression_end expression_run(struct reader code, const struct machine *machine,
                                   const struct expression_context *context, bool first, uint64_t *value);

/* --- objects ---------------------------------------------------------------------------- */

struct unwind_object {
    Elf *elf; /* owned; NULL: there is no file that can be used */
    int fd;   /* owned, or -1 */
    Elf *debug_elf; /* owned; the separate debug file; NULL: there is none, or it was not looked for */
    int debug_fd; /* owned, or -1 */
    bool debug_looked;
    struct pclntab *go; /* owned; NULL: the file has no Go code, or it was not looked for */
    struct cfi_section frames, debug_frames;
    struct rule_cache cache;
    struct code_starts starts;
    uint64_t entry_size; /* size of the function at the entry point, bytes; 0: not looked for yet */
    struct rule_cache code_cache; /* rules that were made from code */
};

/* Opens the file behind `fd`, which stays open. If `fd` is negative, or the file is not an ELF file
 * of a known machine, the object is opened, but has no rules. NULL: no memory. */
struct unwind_object *unwind_object_open(int fd);
void unwind_object_close(struct unwind_object *object);
/* Finds the rule of the instruction at an offset of the file. The rule is borrowed, and only valid until the next call.
 * *rule becomes NULL if no frame description covers the instruction. 0 or -ENOMEM. */
int unwind_object_rule(struct unwind_object *object, const struct machine *machine, uint64_t offset,
                       const struct rule **rule);
/* Finds the rule of an instruction by what the code around it does, for code that no frame description covers. The
 * parameter `exact` and the result are as in struct unwind_frame and unwind_object_rule. */
int unwind_object_code_rule(struct unwind_object *object, const struct machine *machine, uint64_t offset, bool exact,
                            const struct rule **rule);
/* Returns a reader of the bytes of an expression. The parameter `where` says where they are: it is
 * an element of rule->registers, or &rule->cfa. */
struct reader unwind_object_expression(const struct unwind_object *object, const struct rule *rule,
                                       const struct rule_register *where);
/* Reads `size` bytes at an offset of the object's file. False: there is no file, or the file ends
 * before the last of these bytes. */
bool unwind_object_bytes(const struct unwind_object *object, uint64_t offset, void *bytes, size_t size);
/* Finds the frame description that covers the instruction at `offset` of the file. *start becomes the offset of the
 * first instruction that it covers, which usually is the start of a function. False: there is none. */
bool unwind_object_function(const struct unwind_object *object, uint64_t offset, uint64_t *start);
/* Returns whether an offset of the file is in the function at the program's entry point. */
bool unwind_object_entry(struct unwind_object *object, uint64_t offset);

/* The language runtimes of an object: unwind-runtimes.c. */
struct unwind_runtimes {
    bool looked; /* false: its file has not come yet */
    bool has_python, has_go;
    struct script_interpreter python;
};

struct unwinder {
    struct unwind_object **objects; /* owned; indexed by unwind_frame.object; NULL: not opened yet */
    uint32_t count;
    struct script_codes *codes;       /* owned; code objects of Python interpreters; NULL: none */
    struct unwind_runtimes *runtimes; /* owned; indexed by object */
    uint32_t runtimes_count;
    struct unwind_kernel_stack **kernel_stacks; /* owned; indexed by id; NULL: none: unwind-kernel.c */
    struct unwind_jit *jit;                     /* owned; indexed by process: unwind-jit.c */
    uint32_t jit_count;
};

/* --- the walk --------------------------------------------------------------------------------- */

#define WALK_MAPPED_MAX 8u

/* A mapping that this walk has already looked up, and the object that is mapped. */
struct mapped_object {
    struct unwind_mapping mapping;
    /* borrowed; NULL: the object's file has not come yet, or the object's number is too large */
    struct unwind_object *object;
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
    struct unwind_object *left; /* borrowed; the object of the last frame; NULL: none */
    uint64_t left_offset;       /* offset of the last frame's instruction in that object */
    /* the program counter is not a return address, but the address where the thread was stopped, or where a signal
     * interrupted it */
    bool exact;
    /* the program counter is a return address, but no call has left it there: the program has put it on a new stack
     * (makecontext). So the frame is the outermost one */
    bool made;
    bool guessed; /* the values in `registers` are based on a guess */
    /* the last step was made by walk_by_call, on a machine whose calls push nothing. The stack pointer is still that of
     * the function that this step has left, so it is too low if that function had pushed something */
    bool by_call;
    bool framed;   /* at least one step of this walk was made by walk_by_frame_pointer */
    bool switched; /* the walk has left the scheduler stack of the Go runtime */
    bool ended;
    uint32_t steps; /* number of frames so far */
    enum unwind_end end;
    int error;
};

void walk_end(struct walk *walk, enum unwind_end end);
/* Ends the walk with an error, which is a negative errno. */
void walk_fail(struct walk *walk, int error);
/* Returns whether an address is less than 1 GiB above a copy of a stack, so that it may be in the rest of the stack. */
bool walk_is_above_copy(const struct walk *walk, uint64_t address);

/* Returns the object that is mapped at an address. NULL: there is none, or the walk has failed. */
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

/* Returns whether the rule says that the frame has saved a frame record: the caller's frame pointer, and the return
 * address in the next higher word. *at becomes the offset of the record from the CFA. */
bool walk_has_record(const struct walk *walk, const struct rule *rule, int32_t *at);

/* Returns the caller's stack pointer. Usually it is the CFA. But if saved registers are above the CFA, it is their end:
 * the frame description of AArch64's _dl_runtime_resolve leaves out what code in the PLT has pushed before. */
static inline uint64_t walk_caller_sp(const struct walk *walk, const struct rule *rule, uint64_t cfa)
{
    bool above = !walk->machine->pushes && (rule->flags & RULE_PLAIN) != 0 && rule->high > 0;

    return cfa + (above ? ((uint64_t)rule->high + 15) & ~UINT64_C(15) : 0);
}

/* Returns whether a call may return to an address. If the address is in a file, the instruction before it must be a
 * call. Code that is in no file (JIT) is accepted without this check, but not if `file_only` is set. */
bool walk_returns_to(struct walk *walk, uint64_t address, bool file_only);
/* Steps to the caller by a rule. May end the walk. */
void walk_by_rule(struct walk *walk, const struct unwind_object *object, const struct rule *rule);

/* The functions below guess the caller of a frame without a rule, or whose rule is not enough. They may end the walk.
 */

/* Steps to the caller by a frame record: the caller's frame pointer, then the return address. False: no caller. */
bool walk_by_frame_pointer(struct walk *walk);

/* Steps to the caller by a rule that is made from the code of the function. False: there is no such rule, or this does
 * not lead to a caller. */
bool walk_by_code(struct walk *walk, struct unwind_object *object, uint64_t offset);

/* Steps to the caller by the return address that the call has left on the stack or in a register, if the called
 * function has pushed nothing since then. False: this does not lead to a caller. */
bool walk_by_call(struct walk *walk);

/* Steps to the caller of code in no file that has pushed one word, to align the stack pointer. False: no caller. */
bool walk_by_padding(struct walk *walk);

/* Steps to the interpreter that has jumped to this code, which is in no file. False: nothing is certain enough. */
bool walk_by_interpreter(struct walk *walk);

/* Finds the stack pointer, which a guess has left unknown, by the frame pointer. False: it cannot be found. */
bool walk_find_stack_pointer(struct walk *walk, const struct rule *rule);
/* Finds the frame pointer of a thread that was asleep, on the stack. False: nothing there is certain enough. */
bool walk_find_frame_pointer(struct walk *walk, const struct rule *rule);

/* --- into a profile: unwind-profile.c, unwind-python.c ---------------------------------------------- */

struct wire_python;
struct wire_python_code;
/* Returns whether a file has a section of this name. */
bool elf_has_section(Elf *elf, const char *name);
/* Returns a descriptor of an object's ELF file, which the profile owns. Errors: those of unwind_callbacks.open. */
int unwind_object_file(struct profile *profile, uint32_t object);
/* Finds or adds the location of a frame. 0, -ENOMEM or -EOVERFLOW. */
int unwind_profile_make_location(struct profile *profile, const struct unwind_frame *frame, uint32_t *location);

/* Adds a code object of a Python interpreter. 0, -ENOMEM or -EOVERFLOW. */
int unwind_add_code(struct unwinder *unwinder, struct profile *profile, const struct wire_python_code *event);
/* Makes the locations of a stack's frames, the innermost first, with Python frames in the place of the interpreter's
 * native frames that execute them. `locations` has room for all frames of both kinds. *count becomes the number of
 * locations. 0, -ENOMEM or -EOVERFLOW. */
int unwind_merge_python(struct unwinder *unwinder, struct profile *profile, const struct unwind_stack *stack,
                        const struct wire_python *python, uint32_t *locations, uint32_t *count);
/* Frees what the two functions above keep in the unwinder. */
void unwind_forget_python(struct unwinder *unwinder);

#endif
