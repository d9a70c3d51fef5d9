/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads text files line by line, and writes names, JSON strings and times. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "format/bytes.h"
#include "format/text.h"

/* --- writing ------------------------------------------------------------------------- */

FILE *text_open(int fd)
{
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0); /* fclose closes the descriptor of its stream, and fd must stay open */
    FILE *out = own < 0 ? NULL : fdopen(own, "w");

    if (out == NULL && own >= 0)
        close(own);
    return out;
}

int text_close(FILE *out)
{
    bool failed = ferror(out) != 0;

    if (!failed) /* if a write has failed, errno says why, and must keep its value */
        errno = 0;
    if (fclose(out) != 0 || failed)
        return errno != 0 ? -errno : -EIO;
    return 0;
}

const char *text_character(const char **at, size_t *size)
{
    const char *character = *at;
    bool valid = utf8_decode(at) != UTF8_NONE;

    *size = valid ? (size_t)(*at - character) : strlen(UTF8_REPLACEMENT);
    return valid ? character : UTF8_REPLACEMENT;
}

/* Writes a name up to the first character that may have to be changed, and returns the rest of the name. Most names
 * have no such character. */
static const char *put_plain(FILE *out, const char *name, const char *bad)
{
    const char *at = name;

    while (*at >= ' ' && *at < 0x7f && strchr(bad, *at) == NULL)
        at++;
    if (at > name)
        fwrite(name, 1, (size_t)(at - name), out);
    return at;
}

void text_put(FILE *out, const char *name, const char *bad, char instead)
{
    size_t size;

    while (*(name = put_plain(out, name, bad)) != '\0') {
        const char *character = text_character(&name, &size);
        unsigned char first = (unsigned char)*character;
        if (first < ' ' || first == 0x7f)
            putc(' ', out);
        else if (first < 0x80)
            putc(instead, out);
        else
            fwrite(character, 1, size, out);
    }
}

void text_put_json(FILE *out, const char *string)
{
    size_t size;

    putc('"', out);
    while (*(string = put_plain(out, string, "\"\\")) != '\0') {
        const char *character = text_character(&string, &size);
        unsigned char first = (unsigned char)*character;
        if (first < ' ' || first == 0x7f)
            fprintf(out, "\\u%04x", first);
        else if (first < 0x80)
            fprintf(out, "\\%c", first);
        else
            fwrite(character, 1, size, out);
    }
    putc('"', out);
}

void text_put_time(FILE *out, uint64_t ns, uint64_t unit)
{
    int digits = 0;

    for (uint64_t power = 1; power < unit; power *= 10)
        digits++;
    fprintf(out, "%llu.%0*llu", (unsigned long long)(ns / unit), digits, (unsigned long long)(ns % unit));
}

/* --- reading ------------------------------------------------------------------------- */

int text_load(const char *path, struct text *text)
{
    unsigned char *bytes = NULL;
    size_t size = 0;
    int error = bytes_load(path, &bytes, &size);

    *text = (struct text){0};
    if (error != 0)
        return error;
    text->whole = text->at = (char *)bytes;
    text->end = text->at + size;
    *text->end = '\0'; /* bytes_load leaves room for it */
    return 0;
}

void text_unload(struct text *text)
{
    free(text->whole);
    *text = (struct text){0};
}

char *text_next(struct text *text)
{
    char *line = text->at;

    if (line == text->end)
        return NULL;
    char *end = memchr(line, '\n', (size_t)(text->end - line));
    text->at = end == NULL ? text->end : end + 1;
    if (end == NULL)
        end = text->end;
    *end = '\0';
    if (end > line && end[-1] == '\r')
        end[-1] = '\0';
    return line;
}

bool text_number(const char **at, unsigned base, uint64_t *number)
{
    const char *const digits = "0123456789abcdef", *digit;
    const char *start = *at;
    uint64_t sum = 0;

    for (; **at != '\0'; ++*at) {
        char low = **at >= 'A' && **at <= 'F' ? (char)(**at - 'A' + 'a') : **at;
        digit = memchr(digits, low, base);
        if (digit == NULL)
            break;
        if (__builtin_mul_overflow(sum, base, &sum) || __builtin_add_overflow(sum, (uint64_t)(digit - digits), &sum))
            return false;
    }
    *number = sum;
    return *at != start;
}

bool text_is(const unsigned char *head, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (head[i] < ' ' && head[i] != '\n' && head[i] != '\t' && head[i] != '\r' && head[i] != 0x1b)
            return false;
    return size > 0;
}

bool text_has(const unsigned char *head, size_t size, const char *what)
{
    return memmem(head, size, what, strlen(what)) != NULL;
}
