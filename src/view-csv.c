/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The rows as RFC 4180 comma-separated values, with a header line.
 */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "command.h"

static void put_field(FILE *out, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

int view_print_csv(FILE *out, pprofil_profile *profile, const pprofil_report *report,
                   const struct view *view)
{
    (void)profile;
    (void)view;
    fputs("share,error95,ns,samples,name,object,file,line,pid,tid\r\n", out);
    for (uint32_t i = 0; i < pprofil_report_count(report); i++) {
        struct pprofil_row row;
        pprofil_report_row(report, i, &row, sizeof row);
        fprintf(out, "%.6f,%.6f,%" PRIu64 ",%" PRIu64 ",", row.share, row.error95, row.ns,
                row.samples);
        put_field(out, row.name);
        fputc(',', out);
        put_field(out, row.object);
        fputc(',', out);
        put_field(out, row.file);
        fprintf(out, ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 "\r\n", row.line, row.pid, row.tid);
    }
    return 0;
}
