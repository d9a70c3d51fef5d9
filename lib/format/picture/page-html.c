/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes what all HTML pages have: the head, and the kinds and names of frames as JSON. A page fetches nothing, and its
 * content security policy forbids fetching. */
#include "config.h"

#include "format/picture/picture.h"

void page_put_head(FILE *out, const char *title, const char *css)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; "
          "form-action 'none'\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          out);
    picture_escape(out, title);
    fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", css);
}

static void put_colour(FILE *out, struct picture_colour colour)
{
    fprintf(out, "\"#%02x%02x%02x\"", colour.red, colour.green, colour.blue);
}

void page_put_kinds(FILE *out, uint64_t kinds)
{
    fputs(",\n\"kinds\":[", out);
    for (unsigned kind = 0; kind < PICTURE_KINDS; kind++) {
        fprintf(out, "%s[\"%s\",%d,", kind > 0 ? "," : "", picture_kind_name(kind), (int)(kinds >> kind & 1));
        put_colour(out, picture_colour_of_kind(kind));
        fputs("]", out);
    }
    fputs("]", out);
}

int page_put_name(FILE *out, const struct picture_name *name)
{
    int error = picture_json(out, name->text);

    fputs(",", out);
    if (error == 0)
        error = picture_json(out, name->object);
    fprintf(out, ",%d,", (int)name->kind);
    put_colour(out, picture_colour_of(name));
    return error;
}
