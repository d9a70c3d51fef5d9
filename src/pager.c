/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pager.h"

#define NOT_FOUND 127 /* as the shell says it */

static const char *find_pager(void)
{
    const char *pager = getenv("PAGER");

    if (pager == NULL)
        return "command -v less >/dev/null || exec cat; exec less";
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

    if (!pager->runs) {
        if (fclose(pager->out) != 0 && error == 0)
            error = -errno;
        return error == -EPIPE ? 0 : error;
    }
    int status = pclose(pager->out);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
        return -ENOENT;
    return error == -EPIPE || error == -EIO ? 0 : error;
}
