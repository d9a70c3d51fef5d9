/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints how unevenly the ranks of a job spend their time. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>

#include "base/utf8.h"
#include "report.h"

#define RANK_SIZE 32

static double imbalance_seconds(uint64_t ns)
{
    return (double)ns / 1e9;
}

/* Makes the name of a rank harmless, which a file may have from anywhere. */
static const char *imbalance_rank(const char *name, char text[RANK_SIZE])
{
    snprintf(text, RANK_SIZE, "%s", name);
    utf8_make_harmless(text, "");
    return text;
}

/* Prints a line about all that the ranks did, or all that they did in MPI. */
static void imbalance_print_total(FILE *out, const char *what, const struct pprofil_imbalance_row *row)
{
    char rank[RANK_SIZE];

    fprintf(out, "# %s: %.3f s, %.1f %% of the time; a rank has %.3f to %.3f s; rank %s is %.1f %% above the mean%s\n",
            what, imbalance_seconds(row->ns), 100 * row->share, imbalance_seconds(row->min_ns),
            imbalance_seconds(row->max_ns), imbalance_rank(row->max_rank, rank), 100 * row->imbalance,
            row->by_chance ? " (chance)" : "");
}

static void imbalance_print_row(FILE *out, const struct pprofil_imbalance_row *row)
{
    char least[RANK_SIZE], most[RANK_SIZE];

    fprintf(out, "%6.2f  %+7.1f %-9.1f %9.3f %9.3f %9.3f  %5s %5s  %s", 100 * row->share, 100 * row->imbalance,
            100 * row->error95, imbalance_seconds(row->min_ns), imbalance_seconds(row->median_ns),
            imbalance_seconds(row->max_ns), imbalance_rank(row->min_rank, least), imbalance_rank(row->max_rank, most),
            row->by_chance ? "~ " : "");
    utf8_print_harmless(out, row->name);
    if (row->object[0] != '\0') {
        fputs("  ", out);
        utf8_print_harmless(out, row->object);
    }
    fputs(row->mpi ? "  [MPI]\n" : "\n", out);
}

static int imbalance_print_text(FILE *out, pprofil_profile *profile, const pprofil_imbalance *imbalance,
                                const struct report_view *view)
{
    uint32_t count = pprofil_imbalance_count(imbalance);
    struct pprofil_imbalance_row all, mpi, row;

    report_print_head(out, profile, view->colour);
    pprofil_imbalance_totals(imbalance, &all, &mpi, sizeof all);
    fprintf(out, "# %" PRIu32 " ranks\n", pprofil_imbalance_ranks(imbalance));
    imbalance_print_total(out, "all", &all);
    if (mpi.samples > 0)
        imbalance_print_total(out, "MPI", &mpi);
    fputs("# time%  above mean%      least s  median s    most s  least  most  (~: chance explains the difference)\n",
          out);
    for (uint32_t i = 0; i < count && (view->limit == 0 || i < view->limit); i++) {
        pprofil_imbalance_row(imbalance, i, &row, sizeof row);
        imbalance_print_row(out, &row);
    }
    if (view->limit != 0 && count > view->limit)
        fprintf(out, "# %" PRIu32 " more functions (-n 0 prints all)\n", count - view->limit);
    return 0;
}

static int imbalance_print_csv(FILE *out, const pprofil_imbalance *imbalance, const struct report_view *view)
{
    fputs("name,object,mpi,share,samples,ns,min_ns,median_ns,max_ns,min_rank,max_rank,imbalance,error95,chance\r\n",
          out);
    for (uint32_t i = 0; i < pprofil_imbalance_count(imbalance) && (view->limit == 0 || i < view->limit); i++) {
        struct pprofil_imbalance_row row;
        pprofil_imbalance_row(imbalance, i, &row, sizeof row);
        csv_print_text(out, row.name);
        fputc(',', out);
        csv_print_text(out, row.object);
        fprintf(out, ",%d,%.6f,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", row.mpi, row.share,
                row.samples, row.ns, row.min_ns, row.median_ns, row.max_ns);
        csv_print_text(out, row.min_rank);
        fputc(',', out);
        csv_print_text(out, row.max_rank);
        fprintf(out, ",%.6f,%.6f,%d\r\n", row.imbalance, row.error95, row.by_chance);
    }
    return 0;
}

static json_t *imbalance_json_row(const struct pprofil_imbalance_row *row)
{
    return json_pack("{s:o, s:o, s:b, s:f, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:f, s:f, s:b}", "name",
                     json_text(row->name), "object", json_text(row->object), "mpi", row->mpi, "share", row->share,
                     "samples", json_uint(row->samples), "ns", json_uint(row->ns), "min_ns", json_uint(row->min_ns),
                     "median_ns", json_uint(row->median_ns), "max_ns", json_uint(row->max_ns), "min_rank",
                     json_text(row->min_rank), "max_rank", json_text(row->max_rank), "imbalance", row->imbalance,
                     "error95", row->error95, "chance", row->by_chance);
}

static int imbalance_print_json(FILE *out, const pprofil_imbalance *imbalance, const struct report_view *view)
{
    struct pprofil_imbalance_row all, mpi, row;
    json_t *rows = json_array();

    pprofil_imbalance_totals(imbalance, &all, &mpi, sizeof all);
    for (uint32_t i = 0; i < pprofil_imbalance_count(imbalance) && (view->limit == 0 || i < view->limit); i++) {
        pprofil_imbalance_row(imbalance, i, &row, sizeof row);
        json_array_append_new(rows, imbalance_json_row(&row));
    }
    json_t *document = json_pack("{s:I, s:o, s:o, s:o}", "ranks", (json_int_t)pprofil_imbalance_ranks(imbalance), "all",
                                 imbalance_json_row(&all), "mpi", imbalance_json_row(&mpi), "rows", rows);
    if (document == NULL)
        return -ENOMEM;
    json_dumpf(document, out, JSON_COMPACT);
    fputc('\n', out);
    json_decref(document);
    return 0;
}

int report_print_imbalance(FILE *out, pprofil_profile *profile, const struct report_view *view)
{
    pprofil_imbalance *imbalance;
    int error = pprofil_imbalance_new(profile, &imbalance);

    if (error != 0)
        return error;
    if (view->format == REPORT_TEXT)
        error = imbalance_print_text(out, profile, imbalance, view);
    else if (view->format == REPORT_CSV)
        error = imbalance_print_csv(out, imbalance, view);
    else
        error = imbalance_print_json(out, imbalance, view);
    pprofil_imbalance_free(imbalance);
    return error;
}
