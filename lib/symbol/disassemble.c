/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Disassembles instructions, with libcapstone, which is optional. The library is loaded when code
 * is first shown, because linking against it would cost every start 4 ms of relocations.
 *
 * x86 code is shown in AT&T syntax, as objdump prints it, with the size of operands in each mnemonic: movq, callq.
 */
#include "config.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_CAPSTONE
#include <capstone.h>
#include <dlfcn.h>
#endif

#include "symbol/symbol-internal.h"

#define GROUP 8u /* bytes in each row of the listing, if there is no disassembler */

#ifdef HAVE_CAPSTONE
#define STRING_OF(number) #number
#define LIBRARY_NAME(major) "libcapstone.so." STRING_OF(major)

/* The functions of libcapstone that this file calls. */
struct capstone {
    __typeof__(cs_open) *open;
    __typeof__(cs_close) *close;
    __typeof__(cs_option) *option;
    __typeof__(cs_malloc) *malloc;
    __typeof__(cs_free) *free;
    __typeof__(cs_disasm_iter) *disasm_iter;
    __typeof__(cs_insn_group) *insn_group;
};
#endif

struct disassembler {
    unsigned machine;
    /* size of the smallest instruction, bytes; the sizes of all instructions are multiples of it */
    uint32_t unit;
    const char *problem; /* why all code is shown as bytes; NULL: it is disassembled */
#ifdef HAVE_CAPSTONE
    struct capstone library;
    csh handle;
    cs_insn *instruction; /* owned; NULL: nothing is disassembled */
#endif
};

/* --- bytes --------------------------------------------------------------------------- */

static void take_group(const uint8_t *bytes, size_t size, struct disassembled *result)
{
    int length = 0;

    result->size = size < GROUP ? (uint32_t)size : GROUP;
    for (uint32_t i = 0; i < result->size; i++)
        length += snprintf(result->text + length, sizeof result->text - (size_t)length, "%s%02x",
                           i > 0 ? " " : "", bytes[i]);
}

#ifdef HAVE_CAPSTONE
static void take_undecodable(const struct disassembler *disassembler, const uint8_t *bytes,
                             size_t size, struct disassembled *result)
{
    if (disassembler->unit == 4 && size >= 4) {
        result->size = 4;
        snprintf(result->text, sizeof result->text, ".inst  0x%02x%02x%02x%02x", bytes[3], bytes[2],
                 bytes[1], bytes[0]);
    } else {
        result->size = 1;
        snprintf(result->text, sizeof result->text, ".byte  0x%02x", bytes[0]);
    }
}

/* --- instructions -------------------------------------------------------------------- */

static const struct machine {
    unsigned machine;
    uint32_t unit;
    cs_arch arch;
    cs_mode mode;
} machines[] = {
    {EM_X86_64, 1, CS_ARCH_X86, CS_MODE_64},
    {EM_386, 1, CS_ARCH_X86, CS_MODE_32},
    {EM_AARCH64, 4, CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN},
};

/* Loads libcapstone. Because of RTLD_NODELETE, it stays loaded after dlclose. People usually look
 * at several functions, and the library would otherwise be loaded again for each one. */
static bool load_library(struct capstone *library)
{
    void *object = dlopen(LIBRARY_NAME(CS_API_MAJOR), RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);

    if (object == NULL)
        return false;
    *library = (struct capstone){.open = dlsym(object, "cs_open"),
                                 .close = dlsym(object, "cs_close"),
                                 .option = dlsym(object, "cs_option"),
                                 .malloc = dlsym(object, "cs_malloc"),
                                 .free = dlsym(object, "cs_free"),
                                 .disasm_iter = dlsym(object, "cs_disasm_iter"),
                                 .insn_group = dlsym(object, "cs_insn_group")};
    dlclose(object);
    return library->open != NULL && library->close != NULL && library->option != NULL && library->malloc != NULL &&
           library->free != NULL && library->disasm_iter != NULL && library->insn_group != NULL;
}

static bool open_machine(struct disassembler *disassembler, const struct machine *machine)
{
    const struct capstone *library = &disassembler->library;

    if (library->open(machine->arch, machine->mode, &disassembler->handle) != CS_ERR_OK)
        return false;
    disassembler->unit = machine->unit;
    library->option(disassembler->handle, CS_OPT_DETAIL, CS_OPT_ON);
    if (machine->arch == CS_ARCH_X86)
        library->option(disassembler->handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
    disassembler->instruction = library->malloc(disassembler->handle);
    if (disassembler->instruction == NULL)
        library->close(&disassembler->handle);
    return disassembler->instruction != NULL;
}

static bool open_any(struct disassembler *disassembler)
{
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        if (machines[i].machine == disassembler->machine)
            return open_machine(disassembler, &machines[i]);
    return false;
}

/* Turns "%rax, %rbx" into "%rax,%rbx", as objdump prints operands on x86. */
static void close_up(char *text)
{
    char *out = text;

    for (const char *in = text; *in != '\0'; in++)
        if (*in != ' ' || in == text || in[-1] != ',')
            *out++ = *in;
    *out = '\0';
}

static bool in_group(const struct disassembler *disassembler, unsigned group)
{
    return disassembler->library.insn_group(disassembler->handle, disassembler->instruction, group);
}

/* Finds the target of a direct jump or call. It is the last operand of the instruction, if that
 * operand is a number. False: the instruction is not a direct jump or call. */
static bool find_target(const struct disassembler *disassembler, uint64_t *target)
{
    const cs_detail *detail = disassembler->instruction->detail;

    if (!in_group(disassembler, CS_GRP_JUMP) && !in_group(disassembler, CS_GRP_CALL) &&
        !in_group(disassembler, CS_GRP_BRANCH_RELATIVE))
        return false;
    if (disassembler->machine == EM_AARCH64) {
        const cs_arm64 *arm = &detail->arm64;
        if (arm->op_count == 0 || arm->operands[arm->op_count - 1].type != ARM64_OP_IMM)
            return false;
        *target = (uint64_t)arm->operands[arm->op_count - 1].imm;
        return true;
    }
    if (detail->x86.op_count != 1 || detail->x86.operands[0].type != X86_OP_IMM)
        return false;
    *target = (uint64_t)detail->x86.operands[0].imm;
    if (disassembler->machine == EM_386)
        *target &= UINT32_MAX;
    return true;
}

static bool take_instruction(struct disassembler *disassembler, const uint8_t *bytes, size_t size,
                             uint64_t address, struct disassembled *result)
{
    cs_insn *instruction = disassembler->instruction;

    if (!disassembler->library.disasm_iter(disassembler->handle, &bytes, &size, &address, instruction))
        return false;
    if (disassembler->machine != EM_AARCH64)
        close_up(instruction->op_str);
    result->size = instruction->size;
    if (instruction->op_str[0] != '\0')
        snprintf(result->text, sizeof result->text, "%-6s %s", instruction->mnemonic, instruction->op_str);
    else
        snprintf(result->text, sizeof result->text, "%s", instruction->mnemonic);
    result->has_target = find_target(disassembler, &result->target);
    return true;
}
#endif

struct disassembler *disassembler_open(unsigned machine)
{
    struct disassembler *disassembler = calloc(1, sizeof *disassembler);

    if (disassembler == NULL)
        return NULL;
    disassembler->machine = machine;
#ifdef HAVE_CAPSTONE
    if (!load_library(&disassembler->library))
        disassembler->problem = LIBRARY_NAME(CS_API_MAJOR) ", which disassembles, is not installed";
    else if (!open_any(disassembler))
        disassembler->problem = "this machine's code cannot be disassembled here";
#else
    disassembler->problem = "built without libcapstone, which disassembles";
#endif
    return disassembler;
}

void disassembler_close(struct disassembler *disassembler)
{
#ifdef HAVE_CAPSTONE
    if (disassembler != NULL && disassembler->instruction != NULL) {
        disassembler->library.free(disassembler->instruction, 1);
        disassembler->library.close(&disassembler->handle);
    }
#endif
    free(disassembler);
}

const char *disassembler_problem(const struct disassembler *disassembler)
{
    return disassembler->problem;
}

void disassemble(struct disassembler *disassembler, const uint8_t *bytes, size_t size,
                 uint64_t address, struct disassembled *result)
{
    *result = (struct disassembled){.size = 0};
#ifdef HAVE_CAPSTONE
    if (disassembler->problem == NULL) {
        if (!take_instruction(disassembler, bytes, size, address, result))
            take_undecodable(disassembler, bytes, size, result);
        return;
    }
#else
    (void)disassembler;
#endif
    (void)address;
    take_group(bytes, size, result);
}
