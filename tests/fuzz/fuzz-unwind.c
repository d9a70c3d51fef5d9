/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzzes the unwinder with hostile copies of stacks and hostile files.
 *
 * The input is a byte of choices, three words for registers, the size and the bytes of the stack, and a whole file or
 * only an .eh_frame. The byte chooses the machine, and whether the input has a whole file. If not, a valid file is made
 * around the .eh_frame. A word that contains a mark is replaced by an address of code or of the stack (as_address), so
 * the fuzzer need not guess such addresses.
 */
#include "config.h"

#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "unwind/unwind.h"

#define CODE UINT64_C(0x400000)
#define CODE_SIZE UINT64_C(0x10000)
#define JIT UINT64_C(0x500000)
#define STACK UINT64_C(0x7ff00000)
#define FRAMES_AT 0x1000u /* offset of .eh_frame in a file that make_file makes; also its address in memory */
#define STACK_MAX 65535u

enum object { FILE_OBJECT, JIT_OBJECT };

struct input {
    const uint8_t *at, *end;
};

static size_t take(struct input *input, void *to, size_t size)
{
    size_t left = (size_t)(input->end - input->at);

    if (size > left)
        size = left;
    memcpy(to, input->at, size);
    input->at += size;
    return size;
}

/* Replaces a word that contains a mark. The mark is in bits 16 to 31, and says whether the new word is an address of
 * code, of JIT code or of the stack. Returns words without a mark as they are. */
static uint64_t as_address(uint64_t word)
{
    switch (word >> 16 & 0xffff) {
    case 0xc0de:
        return CODE + (word & 0xffff);
    case 0x0717:
        return JIT + (word & 0xffff);
    case 0x57ac:
        return STACK + (word & 0xffff);
    }
    return word;
}

static bool find(void *context, uint64_t address, struct unwind_mapping *mapping)
{
    (void)context;
    if (address - CODE < CODE_SIZE)
        *mapping = (struct unwind_mapping){CODE, CODE + CODE_SIZE, 0, FILE_OBJECT};
    else if (address - JIT < CODE_SIZE)
        *mapping = (struct unwind_mapping){JIT, JIT + CODE_SIZE, JIT, JIT_OBJECT};
    else
        return false;
    return true;
}

static int open_object(void *context, uint32_t object)
{
    return object == FILE_OBJECT ? *(const int *)context : -ENOENT;
}

static const unsigned char machines[] = {EM_X86_64, EM_386, EM_AARCH64};

/* Makes a file whose only segment is code, and whose unwind information is in .eh_frame or .debug_frame. */
static void write_wide(int fd, unsigned machine, bool eh, size_t size)
{
    struct {
        Elf64_Ehdr header;
        Elf64_Phdr segment;
        Elf64_Shdr sections[3];
        char names[32];
    } file = {
        .header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
                               EV_CURRENT},
                   .e_type = ET_DYN,
                   .e_machine = (Elf64_Half)machine,
                   .e_version = EV_CURRENT,
                   .e_phoff = sizeof file.header,
                   .e_shoff = offsetof(__typeof__(file), sections),
                   .e_ehsize = sizeof file.header,
                   .e_phentsize = sizeof file.segment,
                   .e_phnum = 1,
                   .e_shentsize = sizeof file.sections[0],
                   .e_shnum = 3,
                   .e_shstrndx = 2},
        .segment = {.p_type = PT_LOAD,
                    .p_flags = PF_R | PF_X,
                    .p_filesz = CODE_SIZE,
                    .p_memsz = CODE_SIZE},
        .sections = {{0},
                     {.sh_name = 1,
                      .sh_type = SHT_PROGBITS,
                      .sh_flags = SHF_ALLOC,
                      .sh_addr = FRAMES_AT,
                      .sh_offset = FRAMES_AT,
                      .sh_size = size},
                     {.sh_type = SHT_STRTAB,
                      .sh_offset = offsetof(__typeof__(file), names),
                      .sh_size = sizeof file.names}},
    };

    strcpy(file.names + 1, eh ? ".eh_frame" : ".debug_frame");
    if (pwrite(fd, &file, sizeof file, 0) < 0)
        abort();
}

static void write_narrow(int fd, bool eh, size_t size)
{
    struct {
        Elf32_Ehdr header;
        Elf32_Phdr segment;
        Elf32_Shdr sections[3];
        char names[32];
    } file = {
        .header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB,
                               EV_CURRENT},
                   .e_type = ET_DYN,
                   .e_machine = EM_386,
                   .e_version = EV_CURRENT,
                   .e_phoff = sizeof file.header,
                   .e_shoff = offsetof(__typeof__(file), sections),
                   .e_ehsize = sizeof file.header,
                   .e_phentsize = sizeof file.segment,
                   .e_phnum = 1,
                   .e_shentsize = sizeof file.sections[0],
                   .e_shnum = 3,
                   .e_shstrndx = 2},
        .segment = {.p_type = PT_LOAD,
                    .p_flags = PF_R | PF_X,
                    .p_filesz = (uint32_t)CODE_SIZE,
                    .p_memsz = (uint32_t)CODE_SIZE},
        .sections = {{0},
                     {.sh_name = 1,
                      .sh_type = SHT_PROGBITS,
                      .sh_flags = SHF_ALLOC,
                      .sh_addr = FRAMES_AT,
                      .sh_offset = FRAMES_AT,
                      .sh_size = (uint32_t)size},
                     {.sh_type = SHT_STRTAB,
                      .sh_offset = offsetof(__typeof__(file), names),
                      .sh_size = sizeof file.names}},
    };

    strcpy(file.names + 1, eh ? ".eh_frame" : ".debug_frame");
    if (pwrite(fd, &file, sizeof file, 0) < 0)
        abort();
}

static int make_file(unsigned machine, bool whole, bool eh, const struct input *input)
{
    size_t size = (size_t)(input->end - input->at);
    int fd = memfd_create("object", MFD_CLOEXEC);

    if (fd < 0 || ftruncate(fd, whole ? (off_t)size : (off_t)(CODE_SIZE + size)) != 0 ||
        pwrite(fd, input->at, size, whole ? 0 : FRAMES_AT) < 0)
        abort();
    if (!whole && machine == EM_386)
        write_narrow(fd, eh, size);
    else if (!whole)
        write_wide(fd, machine, eh, size);
    return fd;
}

/* Reads all frames, because sanitizers check memory only where it is used. */
static void check(const struct unwind_stack *stack)
{
    if (stack->count < 1 || stack->count > stack->room || stack->end > UNWIND_TOO_DEEP)
        abort();
    for (uint32_t i = 0; i < stack->count; i++)
        if (stack->frames[i].object == UNWIND_NO_OBJECT && i > 0)
            abort();
}

void fuzz_unwind(const uint8_t *data, size_t size)
{
    static struct unwind_frame frames[UNWIND_FRAMES_MAX];
    static uint64_t words[STACK_MAX / 8 + 1];
    struct input input = {data, data + size};
    uint8_t choices = 0;
    uint16_t stack_size = 0;
    struct unwind_input copy = {.piece_count = 1};

    take(&input, &choices, sizeof choices);
    copy.registers.machine = UNWIND_X86_64 + choices % 3u;
    for (size_t i = 0; i < UNWIND_REGISTERS; i++)
        copy.registers.values[i] = STACK + i * 8;
    const size_t places[][3] = {{16, 7, 6}, {8, 4, 5}, {32, 31, 29}}; /* pc, sp, fp */
    for (size_t i = 0; i < 3; i++) {
        uint64_t word = 0;
        take(&input, &word, 4);
        copy.registers.values[places[choices % 3][i]] = as_address(word);
    }
    take(&input, &stack_size, sizeof stack_size);
    memset(words, 0, sizeof words);
    stack_size = (uint16_t)take(&input, words, stack_size);
    for (size_t i = 0; i < stack_size / 8u; i++)
        words[i] = as_address(words[i]);
    uint8_t *bytes = malloc(stack_size + 1u); /* a separate block, so that sanitizers guard its end */
    memcpy(bytes, words, stack_size);
    copy.pieces[0] = (struct unwind_piece){STACK, bytes, stack_size};

    int fd = make_file(machines[choices % 3], (choices & 0x80) != 0, (choices & 0x40) == 0, &input);
    const struct unwind_callbacks callbacks = {.context = &fd, .find = find, .open = open_object};
    struct unwinder *unwinder = unwinder_new();
    for (size_t turn = 0; turn < 2; turn++) { /* the second turn has warm caches */
        struct unwind_stack stack = {.frames = frames, .room = UNWIND_FRAMES_MAX};
        if (unwind_walk(unwinder, &callbacks, &copy, &stack) == 0)
            check(&stack);
    }
    unwinder_free(unwinder);
    free(bytes);
    close(fd);
}
