/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Computes how much memory the compressed sections of a file would take. libdw unpacks them whole, and a file of a few
 * hundred kilobytes can become gigabytes. So the sizes are summed up before libdw reads the file.
 *
 * Most compressed sections begin with their unpacked size, and libelf unpacks no more than that. The symbol table in
 * .gnu_debugdata is compressed with xz, which stores the unpacked size after the data, where it may be wrong. But the
 * data consist of chunks, and the unpacked size of a chunk cannot be wrong. The format of xz files is in
 * https://tukaani.org/xz/xz-file-format.txt, and that of the chunks (LZMA2) in the kernel's lib/xz/xz_dec_lzma2.c.
 */
#include "config.h"

#include <errno.h>
#include <gelf.h>
#include <string.h>
#include <sys/stat.h>

#include "debuginfo/debuginfo.h"

/* A file may unpack to UNPACKED_LIMIT_MIN bytes plus RATIO times its own size. Compressed debug
 * information usually unpacks to about 10 times its size. */
#define UNPACKED_LIMIT_MIN (UINT64_C(64) << 20)
#define RATIO 32u
#define UNPACKED_LIMIT_MAX (UINT64_C(8) << 30) /* no file may unpack to more bytes than this */

struct bytes_left {
    const unsigned char *at;
    size_t left;
};

static const unsigned char *unpacked_size_take(struct bytes_left *bytes, size_t size)
{
    const unsigned char *taken = bytes->at;

    if (size > bytes->left)
        return NULL;
    bytes->at += size;
    bytes->left -= size;
    return taken;
}

/* --- xz ------------------------------------------------------------------------------------ */

#define XZ_MAGIC                                                                                   \
    "\xfd"                                                                                         \
    "7zXZ"
#define XZ_HEADER 12u /* bytes */
/* offset of the byte in the header that says which checksum follows each block */
#define XZ_FLAGS 7u

enum { CHUNK_END, CHUNK_PLAIN, CHUNK_PLAIN_TOO, CHUNK_LZMA = 0x80, CHUNK_PROPERTIES = 0xc0 };

/* Adds the unpacked size of all chunks of a block to *sum. False: the bytes are no chunks. */
static bool add_chunks(struct bytes_left *bytes, uint64_t *sum)
{
    const unsigned char *head;

    while ((head = unpacked_size_take(bytes, 1)) != NULL && *head != CHUNK_END) {
        unsigned control = *head;
        const unsigned char *sizes = unpacked_size_take(bytes, control >= CHUNK_LZMA ? 4 : 2);
        if (sizes == NULL || (control > CHUNK_PLAIN_TOO && control < CHUNK_LZMA))
            return false;
        size_t unpacked = ((size_t)sizes[0] << 8 | sizes[1]) + 1, packed = unpacked;
        if (control >= CHUNK_LZMA) {
            unpacked += (size_t)(control & 0x1f) << 16;
            packed = ((size_t)sizes[2] << 8 | sizes[3]) + 1;
        }
        if (control >= CHUNK_PROPERTIES)
            packed++;
        if (unpacked_size_take(bytes, packed) == NULL)
            return false;
        *sum += unpacked;
    }
    return head != NULL;
}

/* Adds the unpacked size of an xz stream to *sum. False: the bytes are no xz stream. */
static bool add_stream(struct bytes_left bytes, uint64_t *sum)
{
    static const unsigned char checksums[16] = {0,  4,  4,  4,  8,  8,  8,  16,
                                                16, 16, 32, 32, 32, 64, 64, 64};
    const unsigned char *header = unpacked_size_take(&bytes, XZ_HEADER), *block;

    if (header == NULL || memcmp(header, XZ_MAGIC, sizeof XZ_MAGIC) != 0)
        return false;
    size_t checksum = checksums[header[XZ_FLAGS] & 15];
    while ((block = unpacked_size_take(&bytes, 1)) != NULL &&
           *block != 0) { /* a byte of 0 begins the index, which follows the last block */
        if (unpacked_size_take(&bytes, (*block + 1u) * 4 - 1) == NULL || !add_chunks(&bytes, sum))
            return false;
        size_t padding = -(size_t)(bytes.at - block) & 3;
        if (unpacked_size_take(&bytes, padding + checksum) == NULL)
            return false;
    }
    return block != NULL;
}

/* --- sections ------------------------------------------------------------------------------ */

static uint64_t read_big_endian(const unsigned char *bytes)
{
    uint64_t number = 0;

    for (int i = 0; i < 8; i++)
        number = number << 8 | bytes[i];
    return number;
}

/* Adds the unpacked size of a section to *sum, if it is a section that libdw would unpack. False:
 * the size cannot be found. */
static bool add_section(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, const char *name, uint64_t *sum)
{
    GElf_Chdr compressed;

    if (header->sh_type == SHT_NOBITS)
        return true;
    if ((header->sh_flags & SHF_COMPRESSED) != 0) {
        if (gelf_getchdr(section, &compressed) != NULL)
            *sum +=
                compressed.ch_size < UNPACKED_LIMIT_MAX ? compressed.ch_size : UNPACKED_LIMIT_MAX;
        return true; /* without a readable header libdw does not unpack the section */
    }
    bool old = strncmp(name, ".zdebug", 7) == 0;
    if (!old && strcmp(name, ".gnu_debugdata") != 0)
        return true;
    const Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)header->sh_offset, header->sh_size, ELF_T_BYTE);
    if (data == NULL || data->d_buf == NULL)
        return true;
    const unsigned char *bytes = data->d_buf;
    if (!old)
        return add_stream((struct bytes_left){bytes, data->d_size}, sum);
    if (data->d_size >= 12 && memcmp(bytes, "ZLIB", 4) == 0) {
        uint64_t size = read_big_endian(bytes + 4);
        *sum += size < UNPACKED_LIMIT_MAX ? size : UNPACKED_LIMIT_MAX;
    }
    return true;
}

static int check_sections(Elf *elf, uint64_t most)
{
    Elf_Scn *section = NULL;
    uint64_t sum = 0;
    size_t names;

    if (elf_kind(elf) != ELF_K_ELF)
        return -ENOEXEC;
    if (elf_getshdrstrndx(elf, &names) != 0)
        /* libdw finds the sections by their names. Without names, it does not unpack any */
        return 0;
    while ((section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == NULL)
            continue;
        const char *name = elf_strptr(elf, names, header.sh_name);
        if (!add_section(elf, section, &header, name != NULL ? name : "", &sum) || sum > most)
            return -EFBIG;
    }
    return 0;
}

int elf_check_unpacked_size(int fd)
{
    struct stat status;

    if (fstat(fd, &status) < 0)
        return -errno;
    uint64_t most = UNPACKED_LIMIT_MIN + RATIO * (uint64_t)status.st_size;
    if (elf_version(EV_CURRENT) == EV_NONE)
        return -ENOEXEC;
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    int error = elf == NULL ? -ENOEXEC : check_sections(elf, most < UNPACKED_LIMIT_MAX ? most : UNPACKED_LIMIT_MAX);
    elf_end(elf);
    return error;
}
