/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the rules for the code of an ELF file. They come from .eh_frame, which nearly every file has. For code that
 * .eh_frame does not cover, they come from .debug_frame in the file or in its debug file. For Go code without both,
 * they come from the table of Go's runtime.
 *
 * Files are read, not mapped, because they may be rewritten while we profile.
 */
#include "config.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "debuginfo/debuginfo.h"
#include "unwind/code.h"
#include "unwind/unwind-go.h"

/* Real files stay below these limits. Without the limits, a hostile file could cost much time and memory. */
#define SECTIONS_MAX 1024u
#define SECTION_SIZE_MAX (UINT64_C(128) << 20) /* bytes, unpacked */

static bool is_known_elf(Elf *elf)
{
    GElf_Ehdr header;

    if (elf == NULL || elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &header) == NULL ||
        header.e_ident[EI_DATA] != ELFDATA2LSB)
        return false;
    bool wide = header.e_ident[EI_CLASS] == ELFCLASS64;
    switch (header.e_machine) {
    case EM_X86_64: /* a file with ELFCLASS32 has x32 code, which is not unwound */
    case EM_AARCH64:
        return wide;
    case EM_386:
        return !wide;
    }
    return false;
}

static Elf *open_known_elf(int fd)
{
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);

    if (is_known_elf(elf))
        return elf;
    elf_end(elf);
    return NULL;
}

static bool section_is(Elf *elf, const GElf_Shdr *header, const char *wanted)
{
    size_t names;

    if (elf_getshdrstrndx(elf, &names) != 0)
        return false;
    const char *name = elf_strptr(elf, names, header->sh_name);
    return name != NULL && strcmp(name, wanted) == 0;
}

/* Returns the bytes of a section. If they are compressed in the file, they are unpacked. NULL: the
 * section is too large or damaged. */
static const Elf_Data *section_bytes(Elf_Scn *section, const GElf_Shdr *header)
{
    GElf_Chdr compressed;

    if ((header->sh_flags & SHF_COMPRESSED) == 0)
        return header->sh_size > SECTION_SIZE_MAX ? NULL : elf_rawdata(section, NULL);
    if (header->sh_size > SECTION_SIZE_MAX || gelf_getchdr(section, &compressed) == NULL ||
        compressed.ch_size > SECTION_SIZE_MAX || elf_compress(section, 0, 0) < 0)
        return NULL;
    return elf_rawdata(section, NULL);
}

/* Finds the section of this name that has bytes in the file. NULL: there is none. */
static Elf_Scn *find_section(Elf *elf, const char *name, GElf_Shdr *header)
{
    Elf_Scn *section = NULL;

    for (size_t i = 0; i < SECTIONS_MAX && (section = elf_nextscn(elf, section)) != NULL; i++)
        if (gelf_getshdr(section, header) != NULL && header->sh_type != SHT_NOBITS && section_is(elf, header, name))
            return section;
    return NULL;
}

bool elf_has_section(Elf *elf, const char *name)
{
    GElf_Shdr header;

    return find_section(elf, name, &header) != NULL;
}

static const Elf_Data *named_section(Elf *elf, const char *name, uint64_t *address)
{
    GElf_Shdr header;
    Elf_Scn *section = find_section(elf, name, &header);

    if (section == NULL)
        return NULL;
    *address = header.sh_addr;
    return section_bytes(section, &header);
}

/* --- the sections ------------------------------------------------------------------------ */

/* Returns the frame descriptions of a file without section headers, or NULL. The segment PT_GNU_EH_FRAME is the index
 * of the frame descriptions. Its second word is their address, relative to that word (LSB core, "Exception Frame
 * Header"). A terminator follows the last frame description, so the bytes after it do no harm. */
static const Elf_Data *frames_by_segment(Elf *elf, uint64_t *address)
{
    size_t count = object_segment_count(elf);
    uint64_t offset, size;

    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (gelf_getphdr(elf, (int)i, &header) == NULL || header.p_type != PT_GNU_EH_FRAME)
            continue;
        Elf_Data *index = elf_getdata_rawchunk(elf, (int64_t)header.p_offset, 8, ELF_T_BYTE);
        if (index == NULL ||
            ((const uint8_t *)index->d_buf)[1] != 0x1b) /* DW_EH_PE_pcrel | sdata4 */
            return NULL;
        int32_t relative;
        memcpy(&relative, (const char *)index->d_buf + 4, sizeof relative);
        *address = header.p_vaddr + 4 + (uint64_t)(int64_t)relative;
        if (!object_segment_from(elf, *address, &offset, &size) || size > SECTION_SIZE_MAX)
            return NULL;
        return elf_getdata_rawchunk(elf, (int64_t)offset, size, ELF_T_BYTE);
    }
    return NULL;
}

static int read_section(Elf *elf, bool eh, struct cfi_section *section)
{
    uint64_t address = 0;
    const Elf_Data *data = named_section(elf, eh ? ".eh_frame" : ".debug_frame", &address);

    if (data == NULL && eh)
        data = frames_by_segment(elf, &address);
    if (data == NULL || data->d_buf == NULL)
        return 0;
    *section = (struct cfi_section){.bytes = data->d_buf,
                                    .size = data->d_size,
                                    .address = address,
                                    .eh = eh,
                                    .ident = elf_getident(elf, NULL)};
    return cfi_section_index(section);
}

/* Opens the debug file of an object, if the file says how the debug file is recognized. Returns a descriptor, or -1. */
static int open_debug_file(const struct unwind_object *object)
{
    const void *build_id = NULL;
    GElf_Word crc = 0;
    const char *link = dwelf_elf_gnu_debuglink(object->elf, &crc);
    ssize_t size = dwelf_elf_gnu_build_id(object->elf, &build_id);
    char *name = NULL, *path;

    if (link == NULL && size <= 0)
        return -1;
    path = debug_file_path_of(object->fd);
    const struct debug_file_wanted wanted = {.file = path,
                                             .link = link,
                                             .build_id = build_id,
                                             .build_id_size = size > 0 ? (size_t)size : 0,
                                             .has_crc = true,
                                             .crc = crc};
    int fd = debug_file_find(&wanted, &name);
    free(name);
    free(path);
    return fd;
}

/* Reads .debug_frame from the file or from its debug file, and opens the table of Go code. This is only done when
 * .eh_frame does not cover an address. 0 or -ENOMEM. */
static int look_for_debug_frame(struct unwind_object *object)
{
    object->debug_looked = true;
    if (pclntab_open(object->elf, &object->go) == -ENOMEM)
        return -ENOMEM;
    int error = read_section(object->elf, false, &object->debug_frames);
    if (error != 0 || object->debug_frames.count > 0)
        return error;
    cfi_section_clear(&object->debug_frames);
    object->debug_fd = open_debug_file(object);
    if (object->debug_fd < 0)
        return 0;
    object->debug_elf = open_known_elf(object->debug_fd);
    return object->debug_elf == NULL ? 0 : read_section(object->debug_elf, false, &object->debug_frames);
}

/* --- objects ---------------------------------------------------------------------------- */

struct unwind_object *unwind_object_open(int fd)
{
    struct unwind_object *object = calloc(1, sizeof *object);

    if (object == NULL)
        return NULL;
    object->fd = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 3);
    object->debug_fd = -1;
    if (object->fd < 0)
        return object;
    elf_version(EV_CURRENT);
    object->elf = open_known_elf(object->fd);
    if (object->elf != NULL && read_section(object->elf, true, &object->frames) != 0) {
        unwind_object_close(object);
        return NULL;
    }
    return object;
}

void unwind_object_close(struct unwind_object *object)
{
    if (object == NULL)
        return;
    rule_cache_clear(&object->cache);
    pclntab_close(object->go);
    rule_cache_clear(&object->code_cache);
    free(object->starts.offsets);
    free(object->starts.returns);
    cfi_section_clear(&object->frames);
    cfi_section_clear(&object->debug_frames);
    elf_end(object->elf);
    elf_end(object->debug_elf);
    if (object->fd >= 0)
        close(object->fd);
    if (object->debug_fd >= 0)
        close(object->debug_fd);
    free(object);
}

/* An instruction, and the frame description that covers it. */
struct described {
    const struct cfi_section *section;
    struct cfi_program program;
    uint64_t address; /* link-time address of the instruction */
    /* offset in the file of the first instruction that the frame description covers */
    uint64_t offset;
};

/* Finds the frame description that covers the instruction at an offset of the file. False: none of
 * the sections that were read so far has such a frame description. */
static bool object_describe(const struct unwind_object *object, uint64_t offset, struct described *found)
{
    const struct cfi_section *const sections[] = {&object->frames, &object->debug_frames};
    GElf_Phdr segment;

    if (object->elf == NULL || !object_segment_of_offset(object->elf, offset, &segment))
        return false;
    found->address = offset - segment.p_offset + segment.p_vaddr;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        found->section = sections[i];
        if (sections[i]->count == 0 || !cfi_section_find(sections[i], found->address, &found->program))
            continue;
        found->offset = offset - (found->address - found->program.start);
        return true;
    }
    return false;
}

bool unwind_object_function(const struct unwind_object *object, uint64_t offset, uint64_t *start)
{
    struct described found;

    if (!object_describe(object, offset, &found))
        return false;
    *start = found.offset;
    return true;
}

static int object_compile(struct unwind_object *object, const struct machine *machine, uint64_t offset)
{
    struct described by = {.address = 0};
    struct rule_full full;
    bool found = object_describe(object, offset, &by);

    if (!found && object->elf != NULL && !object->debug_looked) {
        int error = look_for_debug_frame(object);
        if (error != 0)
            return error;
        found = object_describe(object, offset, &by);
    }
    if (!found && object->go != NULL &&
        go_rule(object->go, machine, by.address, call_precedes(object, machine, offset + 1), &full))
        return rule_cache_keep(&object->cache, machine, offset, &full, 0,
                               machine->pushes ? machine->pc : machine->link);
    if (!found || by.program.return_column >= machine->registers ||
        !cfi_run(by.section, &by.program, machine, by.address, &full))
        return rule_cache_keep(&object->cache, machine, offset, NULL, 0, 0);
    uint8_t flags = (by.program.signal ? RULE_SIGNAL : 0) |
                    (by.section == &object->debug_frames ? RULE_DEBUG_FRAME : 0);
    return rule_cache_keep(&object->cache, machine, offset, &full, flags, by.program.return_column);
}

int unwind_object_rule(struct unwind_object *object, const struct machine *machine, uint64_t offset,
                       const struct rule **rule)
{
    if (rule_cache_find(&object->cache, offset, rule))
        return 0;
    int error = object_compile(object, machine, offset);
    if (error == 0)
        rule_cache_find(&object->cache, offset, rule);
    return error;
}

int unwind_object_code_rule(struct unwind_object *object, const struct machine *machine, uint64_t offset, bool exact,
                            const struct rule **rule)
{
    struct rule_full full;

    *rule = NULL;
    if (machine->elf != EM_X86_64 || rule_cache_find(&object->code_cache, offset, rule))
        return 0;
    int error = code_flow_rule(object, offset, exact, &full);
    if (error == 0 || error == -ENOENT)
        error = rule_cache_keep(&object->code_cache, machine, offset, error == 0 ? &full : NULL, 0, X86_RIP);
    if (error == 0)
        rule_cache_find(&object->code_cache, offset, rule);
    return error;
}

struct reader unwind_object_expression(const struct unwind_object *object, const struct rule *rule,
                                       const struct rule_register *where)
{
    const struct cfi_section *section = (rule->flags & RULE_DEBUG_FRAME) != 0 ? &object->debug_frames : &object->frames;
    const uint8_t *begin = section->bytes + where->value;

    return (struct reader){begin, begin + where->length, false};
}
