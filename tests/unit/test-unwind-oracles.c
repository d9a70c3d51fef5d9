/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "unwind-fixture.h"

/* --- this process, by glibc's unwinder too -------------------------------------------------- */

#ifdef __x86_64__ /* the test uses struct user_regs_struct of x86-64 */

static struct {
    void *theirs[256];
    int count;
    struct user_regs_struct set;
    uint64_t words[4096];
    size_t size;
    uint64_t start;
} seen;

static bool find_own(void *context, uint64_t address, struct unwind_mapping *mapping)
{
    char line[512], executable[8];
    FILE *maps = fopen("/proc/self/maps", "r");
    bool found = false;

    for (uint32_t i = 0; !found && fgets(line, sizeof line, maps) != NULL; i++) {
        int name = 0;
        sscanf(line, "%lx-%lx %7s %lx %*s %*s %n", &mapping->start, &mapping->end, executable, &mapping->offset, &name);
        found = address >= mapping->start && address < mapping->end && executable[2] == 'x';
        mapping->object = i;
        if (found)
            sscanf(line + name, "%511s", (char *)context);
    }
    fclose(maps);
    return found;
}

static int open_own(void *context, uint32_t object)
{
    (void)object; /* always the object that find_own has found last */
    int fd = open(context, O_RDONLY);
    return fd < 0 ? -ENOENT : fd;
}

/* A signal handler. Copies the registers of the interrupted code, and the stack from the interrupted stack pointer
 * on. */
static void look(int number, siginfo_t *information, void *context)
{
    const ucontext_t *at = context;
    const greg_t *r = at->uc_mcontext.gregs;

    (void)number;
    (void)information;
    seen.set = (struct user_regs_struct){.rax = (uint64_t)r[REG_RAX],
                                         .rbx = (uint64_t)r[REG_RBX],
                                         .rcx = (uint64_t)r[REG_RCX],
                                         .rdx = (uint64_t)r[REG_RDX],
                                         .rsi = (uint64_t)r[REG_RSI],
                                         .rdi = (uint64_t)r[REG_RDI],
                                         .rbp = (uint64_t)r[REG_RBP],
                                         .rsp = (uint64_t)r[REG_RSP],
                                         .rip = (uint64_t)r[REG_RIP],
                                         .r8 = (uint64_t)r[REG_R8],
                                         .r9 = (uint64_t)r[REG_R9],
                                         .r10 = (uint64_t)r[REG_R10],
                                         .r11 = (uint64_t)r[REG_R11],
                                         .r12 = (uint64_t)r[REG_R12],
                                         .r13 = (uint64_t)r[REG_R13],
                                         .r14 = (uint64_t)r[REG_R14],
                                         .r15 = (uint64_t)r[REG_R15]};
    seen.start = seen.set.rsp;
    int memory = open("/proc/self/mem", O_RDONLY); /* the sanitizers forbid reading all of the stack directly */
    seen.size = (size_t)pread(memory, seen.words, sizeof seen.words, (off_t)seen.start);
    close(memory);
    seen.count = backtrace(seen.theirs, 256);
}

static int order(const void *a, const void *b)
{
    if (*(const int *)a == 7)
        raise(SIGUSR1);
    return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static int recurse(int depth)
{
    int numbers[] = {3, 7, 1, 9};
    volatile char room[16 * (depth % 3 + 1)];

    room[0] = (char)depth;
    if (depth > 0)
        return recurse(depth - 1) + room[0];
    qsort(numbers, 4, sizeof numbers[0], order);
    return numbers[0];
}

Test(unwind, as_glibc)
{
    struct sigaction action = {.sa_sigaction = look, .sa_flags = SA_SIGINFO};
    static struct unwind_frame frames[UNWIND_FRAMES_MAX];
    struct unwind_stack stack = {.frames = frames, .room = UNWIND_FRAMES_MAX};
    struct unwinder *unwinder = unwinder_new();
    struct unwind_input input = {.piece_count = 1};
    struct unwind_mapping mapping;
    char path[512];
    const struct unwind_callbacks callbacks = {.context = path, .find = find_own, .open = open_own};
    int first = 0;

    char reserve[sizeof seen.words + 4096]; /* so that the stack above it is at least as large as seen.words */
    memset(reserve, 1, sizeof reserve);
    sigaction(SIGUSR1, &action, NULL);
    recurse(9 + reserve[4] - reserve[7]);
    cr_assert_gt(seen.count, 12);
    unwind_take_registers(UNWIND_X86_64, &seen.set, sizeof seen.set, &input.registers);
    input.pieces[0] = (struct unwind_piece){seen.start, (const void *)seen.words, seen.size};
    cr_assert_eq(unwind_walk(unwinder, &callbacks, &input, &stack), 0);
    /* the frames of raise, order and qsort, and ten frames of recurse; the copy ends there */
    cr_assert_geq(stack.count, 12);
    while ((uint64_t)seen.theirs[first] != seen.set.rip)
        cr_assert_lt(++first, seen.count);
    for (uint32_t i = 0; i < stack.count; i++) {
        uint64_t pc = (uint64_t)seen.theirs[first + (int)i];
        cr_assert(find_own(path, pc, &mapping));
        cr_assert_eq(frames[i].address + (i > 0), pc - mapping.start + mapping.offset, "%u", i);
    }
    unwinder_free(unwinder);
}

#endif

/* --- rules of the C library, by libdw too ----------------------------------------------------- */

static bool same_cfa(Dwarf_Frame *frame, const struct rule *rule)
{
    Dwarf_Op *operations;
    size_t count;

    cr_assert_eq(dwarf_frame_cfa(frame, &operations, &count), 0);
    if (rule->cfa.how != RULE_REGISTER)
        return rule->cfa.how == RULE_IS_EXPRESSION && count > 1;
    bool numbered = operations[0].atom == DW_OP_bregx;
    return count == 1 &&
           rule->cfa.number == (numbered ? operations[0].number : (Dwarf_Word)(operations[0].atom - DW_OP_breg0)) &&
           (Dwarf_Word)(int64_t)rule->cfa.value == (numbered ? operations[0].number2 : operations[0].number);
}

/* Compares the rule for a register with libdw's rule. libdw describes a saved register by its offset from the CFA. A
 * register without a description has no rule. */
static bool same_register(Dwarf_Frame *frame, const struct rule *rule, int number)
{
    Dwarf_Op memory[3], *operations;
    const struct rule_register *ours = NULL;
    size_t count;

    for (size_t i = 0; i < rule->count; i++)
        if (rule->registers[i].number == number)
            ours = &rule->registers[i];
    cr_assert_eq(dwarf_frame_register(frame, number, memory, &operations, &count), 0);
    if (count == 0)
        return ours == NULL || ours->how == RULE_UNDEFINED;
    if (operations[0].atom == DW_OP_regx)
        return ours != NULL && ours->how == RULE_REGISTER && operations[0].number == (Dwarf_Word)ours->value;
    if (ours == NULL || operations[0].atom != DW_OP_call_frame_cfa)
        return false;
    if (count > 1 && operations[1].atom != DW_OP_plus_uconst)
        return ours->how == RULE_AT_EXPRESSION;
    return ours->how == RULE_AT && (Dwarf_Word)(int64_t)ours->value == (count == 1 ? 0 : operations[1].number);
}

Test(unwind, as_libdw)
{
    const struct machine *machine = machine_find(UNWIND_X86_64);
    Dl_info library;
    uint32_t compared = 0;

    cr_assert_neq(dladdr((void *)(uintptr_t)qsort, &library), 0);
    int fd = open(library.dli_fname, O_RDONLY);
    struct unwind_object *object = unwind_object_open(fd);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    GElf_Ehdr header;
    Dwarf_CFI *cfi = dwarf_getcfi_elf(elf);
    if (gelf_getehdr(elf, &header) == NULL || header.e_machine != EM_X86_64 || cfi == NULL)
        cr_skip_test("another machine's library");
    for (uint32_t i = 0; i < object->frames.count; i++) {
        const struct description *description = &object->frames.descriptions[i];
        for (uint64_t into = 0; into < description->size && into < 4000; into += 1 + into / 7) {
            uint64_t address = description->start + into;
            const struct rule *rule;
            Dwarf_Frame *frame;
            /* in this library, the file offsets of the code are its addresses */
            cr_assert_eq(unwind_object_rule(object, machine, address, &rule), 0);
            if (dwarf_cfi_addrframe(cfi, address, &frame) != 0) {
                cr_assert_null(rule, "%lx", address);
                continue;
            }
            cr_assert_not_null(rule, "%lx", address);
            cr_assert(same_cfa(frame, rule), "CFA at %lx", address);
            for (int number = 0; number <= 16; number++)
                cr_assert(number == 7 || same_register(frame, rule, number), "register %d at %lx", number, address);
            free(frame);
            compared++;
        }
    }
    cr_assert_gt(compared, 10000);
    dwarf_cfi_end(cfi);
    elf_end(elf);
    unwind_object_close(object);
    close(fd);
}

/* --- rules from the code of the C library, by its frame descriptions too ------------------------ */

struct agreement {
    uint32_t all, none, different;
};

/* Compares the CFA, and where registers are saved. An epilogue has restored registers that frame descriptions still say
 * to be saved. Rules with another base are not compared. */
static bool same_as_described(const struct rule_full *made, const struct rule *described)
{
    if (described->cfa.how != RULE_REGISTER || described->cfa.number != made->cfa.number)
        return true;
    bool same = described->cfa.value == made->cfa.value;
    for (size_t i = 0; i < described->count; i++) {
        const struct rule_register *saved = &described->registers[i], *found = &made->registers[saved->number];
        same = same && (found->how == RULE_SAME || (found->how == saved->how && found->value == saved->value));
    }
    return same;
}

static void compare_made(struct unwind_object *object, uint64_t offset, struct agreement *agreement)
{
    const struct rule *described;
    struct rule_full made;

    cr_assert_eq(unwind_object_rule(object, machine_find(UNWIND_X86_64), offset, &described), 0);
    if (described == NULL)
        return;
    int error = code_flow_rule(object, offset, true, &made);
    cr_assert(error == 0 || error == -ENOENT);
    agreement->all++;
    agreement->none += error != 0;
    agreement->different += error == 0 && !same_as_described(&made, described);
}

/* Behind a call that never returns, other code may be taken for the function's own if it is not known to begin there.
 * So a few rules may differ: in glibc 2.36, one of 200. For one of twelve instructions no rule is found, mostly in
 * large functions that jump by tables. */
Test(unwind, code_as_described)
{
    struct agreement agreement = {0};
    struct x86_instruction instruction;
    uint8_t bytes[X86_INSTRUCTION_MAX];
    Dl_info library;

    cr_assert_neq(dladdr((void *)(uintptr_t)qsort, &library), 0);
    struct unwind_object *object = unwind_object_open(open(library.dli_fname, O_RDONLY));
    GElf_Ehdr header;
    if (gelf_getehdr(object->elf, &header) == NULL || header.e_machine != EM_X86_64)
        cr_skip_test("another machine's library");
    for (uint32_t i = 0; i < object->frames.count && agreement.all < 4000; i += 37) {
        const struct description *description = &object->frames.descriptions[i];
        for (uint64_t into = 0; into < description->size; into += instruction.size) {
            /* in this library, the file offsets of the code are its addresses */
            if (!unwind_object_bytes(object, description->start + into, bytes, sizeof bytes) ||
                !x86_instruction_read(bytes, sizeof bytes, &instruction))
                break;
            compare_made(object, description->start + into, &agreement);
        }
    }
    cr_assert_gt(agreement.all, 1000);
    cr_assert_lt(agreement.none, agreement.all / 4, "%u of %u have no rule", agreement.none, agreement.all);
    cr_assert_lt(agreement.different, agreement.all / 40, "%u of %u differ", agreement.different, agreement.all);
    unwind_object_close(object);
}

/* --- into a profile -------------------------------------------------------------------------- */

static const char *name_of(const struct profile *profile, uint32_t node)
{
    const struct profile_location *location = &profile->locations[profile->nodes[node].location];

    return profile->objects[location->object].kind == PROFILE_OBJECT_MARK
               ? profile->strings[profile->objects[location->object].path]
               : "code";
}

Test(unwind, profile)
{
    struct fixture *fixture = make_fixture(wide, "gcc");
    struct profile *profile = profile_new();
    uint32_t node, again, depth = 0;

    feed_fork(profile, 7, 0);
    feed_map(profile, &(struct map_spec){.pid = 7,
                                         .kind = WIRE_MAP_FILE,
                                         .object = 3,
                                         .start = CODE,
                                         .end = CODE + CODE_SIZE,
                                         .inode = 5,
                                         .name = "/lib/frames.so"});
    put_middle(fixture, code(fixture, "middle_back"));
    fixture->input.registers.values[RIP] = code(fixture, "leaf");
    fixture->input.registers.values[RSP] = STACK;
    fixture->input.pieces[0] = (struct unwind_piece){STACK, (const void *)fixture->words, 8};
    uint64_t fp = fixture->input.registers.values[RBP];
    fixture->input.registers.values[RBP] = 0;
    cr_assert_eq(unwind_into_profile(fixture->unwinder, profile, 7, &fixture->input, &node), 0);
    node = profile->nodes[node].parent;
    cr_assert_str_eq(name_of(profile, node), "[no unwind info: frames.so]");

    profile_give_object(profile, 3, dup(fixture->fd));
    fixture->input.registers.values[RBP] = fp;
    cr_assert_eq(unwind_into_profile(fixture->unwinder, profile, 7, &fixture->input, &node), 0);
    node = profile->nodes[profile->nodes[node].parent].parent;
    cr_assert_str_eq(name_of(profile, node), "[truncated]");
    cr_assert_eq(profile->nodes[node].parent, PROFILE_NONE);

    fixture->input.pieces[0].size = 0;
    cr_assert_eq(unwind_into_profile(fixture->unwinder, profile, 7, &fixture->input, &node), 0);
    cr_assert_str_eq(name_of(profile, profile->nodes[node].parent), "[not copied]");

    fixture->input.pieces[0].size = 56;
    cr_assert_eq(unwind_into_profile(fixture->unwinder, profile, 7, &fixture->input, &node), 0);
    cr_assert_eq(unwind_into_profile(fixture->unwinder, profile, 7, &fixture->input, &again), 0);
    cr_assert_eq(node, again);
    cr_assert_eq(profile->locations[profile->nodes[node].location].address, symbol("leaf"));
    for (; node != PROFILE_NONE; node = profile->nodes[node].parent) {
        cr_assert_str_eq(name_of(profile, node), "code");
        depth++;
    }
    cr_assert_eq(depth, 3);
    profile_free(profile);
    free_fixture(fixture);
}

/* The frames of JIT code are found without its names, which may come at any time or never. */
Test(unwind, profile_of_jit)
{
    struct fixture *fixture = make_fixture(wide, "gcc");
    struct profile *profile = profile_new();
    uint32_t node, depth = 0;

    feed_fork(profile, 7, 0);
    feed_map(profile, &(struct map_spec){.pid = 7,
                                         .kind = WIRE_MAP_FILE,
                                         .object = 3,
                                         .start = CODE,
                                         .end = CODE + CODE_SIZE,
                                         .inode = 5,
                                         .name = "/lib/frames.so"});
    feed_map(profile, &(struct map_spec){.pid = 7,
                                         .kind = WIRE_MAP_ANON,
                                         .object = 4,
                                         .start = JIT,
                                         .end = JIT + CODE_SIZE,
                                         .name = ""});
    profile_give_object(profile, 3, dup(fixture->fd));
    put(fixture, STACK + 16);
    put(fixture, JIT + 0x100);
    put(fixture, 0xbbbb);
    put(fixture, code(fixture, "outer_back"));
    fixture->input.registers.values[RIP] = JIT + 0x40;
    fixture->input.registers.values[RSP] = STACK;
    fixture->input.registers.values[RBP] = STACK;
    fixture->input.pieces[0] = (struct unwind_piece){STACK, (const void *)fixture->words, 32};
    cr_assert_eq(unwind_into_profile(fixture->unwinder, profile, 7, &fixture->input, &node), 0);
    for (; node != PROFILE_NONE; node = profile->nodes[node].parent) {
        cr_assert_str_eq(name_of(profile, node), "code");
        depth++;
    }
    cr_assert_eq(depth, 3);
    profile_free(profile);
    free_fixture(fixture);
}
