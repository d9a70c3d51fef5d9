/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Waits in a page fault:
 *
 *   page-fault code|data FILE
 *
 * Maps FILE, prints "ready", waits for a line, and then executes ("code") or reads ("data") the byte at MIDDLE. The
 * test sees to it that this page does not come.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define SIZE (8u << 20)
#define MIDDLE (4u << 20)

__attribute__((noinline)) static int fault(const volatile unsigned char *page, int as_code)
{
    if (!as_code)
        return *page;
    ((void (*)(void))(unsigned long)page)();
    return 0;
}

int main(int argc, char **argv)
{
    int file = argc == 3 ? open(argv[2], O_RDONLY | O_CLOEXEC) : -1;
    unsigned char *mapped = mmap(NULL, SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);

    if (mapped == MAP_FAILED)
        return 1;
    puts("ready");
    fflush(stdout);
    getchar();
    return fault(mapped + MIDDLE, strcmp(argv[1], "code") == 0);
}
