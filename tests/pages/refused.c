/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes calls that cannot be served. The macro SYSTEM_... chooses the system. The script compares the messages about
 * the calls. */
#include <errno.h>
#include <stdio.h>

#if defined SYSTEM_OSF1
#include <sys/resource.h>
#elif defined SYSTEM_IRIX
#include <sys/profil.h>
#else
#include <unistd.h>
#endif

#if defined SYSTEM_OSF1
static unsigned int counts[4];

static void call(const char *name, struct profil_args *ranges, int count)
{
    fprintf(stderr, "%s: ", name);
    profil(ranges, count, -1, 0);
    fputc('\n', stderr);
}

int main(void)
{
    static struct profil_args many[65];
    struct profil_args up[] = {{counts, (void *)0x20, (void *)0x10, 0, 2}, {counts, (void *)0x40, (void *)0x30, 0, 2}};
    struct profil_args over[] = {{counts, (void *)0x40, (void *)0x20, 0, 2},
                                 {counts, (void *)0x30, (void *)0x10, 0, 2}};
    struct profil_args empty[] = {{counts, (void *)0x10, (void *)0x10, 0, 2}};

    call("ascending", up, 2);
    call("overlapping", over, 2);
    call("empty", empty, 1);
    call("65", many, 65);
    call("unreadable", (struct profil_args *)16, 1);
    fputs("buffer: ", stderr);
    profil((unsigned short *)16, 4096, 0, 2);
    fputc('\n', stderr);
    profil(0, 0, 0, 0);
    return 0;
}
#elif defined SYSTEM_IRIX
int main(void)
{
    static unsigned short counts[1];
    static struct prof regions[PROFIL_MAX + 1];
    int i, status;

    for (i = 0; i <= PROFIL_MAX; i++) {
        regions[i].pr_base = counts;
        regions[i].pr_size = sizeof counts;
        regions[i].pr_off = (unsigned long)main;
        regions[i].pr_scale = 2;
    }
    fputs("101 regions: ", stderr);
    status = sprofil(regions, PROFIL_MAX + 1, 0, PROF_USHORT);
    fprintf(stderr, "status %d %s\n", status, status < 0 && errno == E2BIG ? "E2BIG" : "");
    sprofil(regions, 0, 0, 0);
    fputs("nowhere: ", stderr);
    profil(counts, sizeof counts, 0x10u, 0x8000);
    fputc('\n', stderr);
    profil(0, 0, 0, 0);
    return 0;
}
#else
int main(void)
{
    static unsigned short counts[1];
    int status;

    fputs("buffer: ", stderr);
    status = profil((char *)16, 4096, (unsigned long)main, 65536);
    fprintf(stderr, "status %d %s\n", status,
            status >= 0 ? "" : errno == EFAULT ? "EFAULT" : errno == EINVAL ? "EINVAL" : "?");
    fputs("good: ", stderr);
    status = profil((char *)counts, sizeof counts, (unsigned long)main, 65536);
    fprintf(stderr, "status %d %s\n", status, status < 0 && errno == EINVAL ? "EINVAL" : "");
    profil(0, 0, 0, 0);
    return 0;
}
#endif
