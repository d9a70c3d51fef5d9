/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The rows as RFC 4180 comma-separated values, with a header line.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/plain.h"
#include "command.h"

static void put_quoted(FILE *out, const char *text)
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

/* A file gets the bytes that a name has; a terminal would obey some of them. */
void put_field(FILE *out, const char *text)
{
    char *harmless = isatty(fileno(out)) ? strdup(text) : NULL;

    if (harmless != NULL)
        plain_make(harmless, "");
    put_quoted(out, harmless != NULL ? harmless : text);
    free(harmless);
}

#define OWN "share,error95,ns,samples,name,object,file,line"
#define TOTALS "total_share,total_error95,total_ns,total_samples"

static void put_own(FILE *out, const struct pprofil_row *row)
{
    fprintf(out, "%.6f,%.6f,%" PRIu64 ",%" PRIu64 ",", row->share, row->error95, row->ns,
            row->samples);
    put_field(out, row->name);
    fputc(',', out);
    put_field(out, row->object);
    fputc(',', out);
    put_field(out, row->file);
    fprintf(out, ",%" PRIu32, row->line);
}

static void put_total(FILE *out, const struct pprofil_row *row)
{
    fprintf(out, ",%.6f,%.6f,%" PRIu64 ",%" PRIu64, row->total_share, row->total_error95,
            row->total_ns, row->total_samples);
}

int view_print_csv(FILE *out, pprofil_profile *profile, const pprofil_report *report,
                   const struct view *view)
{
    bool totals = pprofil_report_has_totals(report);

    (void)profile;
    (void)view;
    fputs(totals ? OWN ",pid,tid," TOTALS "\r\n" : OWN ",pid,tid\r\n", out);
    for (uint32_t i = 0; i < pprofil_report_count(report); i++) {
        struct pprofil_row row;
        pprofil_report_row(report, i, &row, sizeof row);
        put_own(out, &row);
        fprintf(out, ",%" PRIu32 ",%" PRIu32, row.pid, row.tid);
        if (totals)
            put_total(out, &row);
        fputs("\r\n", out);
    }
    return 0;
}

/* A row that stands for what was cut off has an empty name, and the number of branches in its last field. */
int view_print_tree_csv(FILE *out, pprofil_profile *profile, const pprofil_tree *tree,
                        const struct view *view)
{
    (void)profile;
    (void)view;
    fputs(OWN "," TOTALS ",depth,parent,inlined,cut\r\n", out);
    for (uint32_t i = 0; i < pprofil_tree_count(tree); i++) {
        struct pprofil_tree_row row;
        pprofil_tree_row(tree, i, &row, sizeof row);
        put_own(out, &row.row);
        put_total(out, &row.row);
        fprintf(out, ",%" PRIu32 ",", row.depth);
        if (row.parent != PPROFIL_TREE_TOP)
            fprintf(out, "%" PRIu32, row.parent);
        fprintf(out, ",%d,%" PRIu32 "\r\n", row.inlined, row.cut);
    }
    return 0;
}
