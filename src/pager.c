/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pager.h"

static const char *find_pager(void)
{
    const char *pager = getenv("PAGER");

    if (pager == NULL)
        return "less";
    return pager[0] == '\0' || strcmp(pager, "cat") == 0 ? NULL : pager;
}

struct pager pager_open(bool wanted)
{
    struct pager pager = {.out = stdout};
    const char *program = wanted && isatty(STDOUT_FILENO) ? find_pager() : NULL;

    if (program == NULL)
        return pager;
    setenv("LESS", "FRX", 0);
    fflush(stdout);
    FILE *pipe = popen(program, "we");
    if (pipe == NULL)
        return pager;
    /* the terminal's keys are the pager's; it has its own handlers by exec, or dies of them */
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    return (struct pager){.out = pipe, .runs = true};
}

int pager_close(struct pager *pager)
{
    errno = 0;
    int error = fflush(pager->out) != 0 || ferror(pager->out) ? (errno != 0 ? -errno : -EIO) : 0;

    if (!pager->runs)
        return fclose(pager->out) != 0 && error == 0 ? -errno : error;
    pclose(pager->out);
    return error == -EPIPE || error == -EIO ? 0 : error;
}
