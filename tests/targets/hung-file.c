/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hung-file write FILE: makes a file of an empty page and a page of code.
 * hung-file run FILE: maps the second page only, says "ready", and runs there for ever. Nobody has
 * read the first page then, where the build-id would be.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 65536 /* the largest that a machine of ours has */

#if defined(__x86_64__)
static const unsigned char forever[] = {0xeb, 0xfe}; /* jmp . */
#elif defined(__aarch64__)
static const unsigned char forever[] = {0x00, 0x00, 0x00, 0x14}; /* b . */
#endif

static int write_code(const char *path)
{
    static unsigned char pages[2 * PAGE];
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);

    memcpy(pages + PAGE, forever, sizeof forever);
    return fd < 0 || write(fd, pages, sizeof pages) != (ssize_t)sizeof pages || close(fd) < 0;
}

static int run_code(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    void *code = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, PAGE);

    if (fd < 0 || code == MAP_FAILED)
        return 1;
    close(fd);
    if (*(volatile const unsigned char *)code != forever[0]) /* read now: the file may hang later */
        return 1;
    printf("ready\n");
    fflush(stdout);
    ((void (*)(void))code)();
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 125;
    return strcmp(argv[1], "write") == 0 ? write_code(argv[2]) : run_code(argv[2]);
}
