/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "format/json-out.h"
#include "format/pprof.h"

static void put_escaped(FILE *out, unsigned char byte)
{
    /* the slash and the angle: a text may stand in a page's script */
    if (byte == '"' || byte == '\\')
        fprintf(out, "\\%c", byte);
    else if (byte < 0x20 || byte == 0x7f || byte == '<')
        fprintf(out, "\\u%04x", byte);
    else
        putc_unlocked(byte, out);
}

void json_put_text(FILE *out, const char *text)
{
    char small[256], *clean = small;
    size_t length = pprof_clean(text, NULL);

    if (length > sizeof small && (clean = malloc(length)) == NULL)
        length = 0;
    pprof_clean(text, length > 0 ? clean : NULL);
    putc_unlocked('"', out);
    for (size_t i = 0; i < length; i++)
        put_escaped(out, (unsigned char)clean[i]);
    putc_unlocked('"', out);
    if (clean != small)
        free(clean);
}

void json_put_time(FILE *out, uint64_t ns, uint64_t unit)
{
    int digits = 0;

    for (uint64_t power = 1; power < unit; power *= 10)
        digits++;
    fprintf(out, "%llu.%0*llu", (unsigned long long)(ns / unit), digits,
            (unsigned long long)(ns % unit));
}

FILE *json_open(int fd)
{
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    FILE *out = own < 0 ? NULL : fdopen(own, "w");

    if (out == NULL && own >= 0)
        close(own);
    return out;
}

int json_close(FILE *out)
{
    bool failed = ferror(out);

    errno = 0;
    if (fclose(out) != 0 || failed)
        return errno != 0 ? -errno : -EIO;
    return 0;
}
