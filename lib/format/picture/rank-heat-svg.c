/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes heat maps of the ranks of a job as SVG. A row stands for a rank, and a column for a part of the run. The more
 * a rank computed in a column, the redder its cell is. The more CPU time it used in MPI, that is, for messages and to
 * wait for other ranks, the bluer the cell is. A cell with almost no CPU time stays white. Bars beside the rows show
 * the whole run, so that a rank with too much work stands out.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "format/format.h"
#include "format/picture/picture.h"
#include "report/rank-times.h"

#define WIDTH 1200u
#define LEFT 78u
#define TOP 84u
#define FOOT 92u
#define MAP_WIDTH 920u
#define BARS_GAP 16u
#define BARS_WIDTH 160u
#define COLUMN_WIDTH_MAX 48.0
#define MAP_HEIGHT 720u
#define ROW_HEIGHT_MAX 22u
#define LABEL_COLUMNS 9u
#define NAME_COLUMNS_MAX 80u
#define LABEL_HEIGHT 15u /* between the labels of rows, at least */
#define ROWS_MAX MAP_HEIGHT
#define COLUMNS_MAX 460u
#define CELLS_MAX 100000u /* a browser must be able to show as many rectangles */
#define LEVELS 15u /* number of steps between white and the full colour */
#define NS 1e9

struct rank_map {
    FILE *out;
    struct rank_times times;
    uint32_t ranks_of_row; /* a row shows the mean of so many ranks, if there are very many ranks */
    uint32_t rows;
    double row_height, column_width;
    double most;   /* a full colour stands for this number of CPUs in use in a rank, or more */
    bool has_mpi;  /* some rank used CPU time in MPI */
};

/* The colour of a cell. */
struct rank_level {
    unsigned work, mpi; /* 0 to LEVELS, at most LEVELS together */
};

static uint32_t rank_map_row_end(const struct rank_map *map, uint32_t row)
{
    uint32_t end = (row + 1) * map->ranks_of_row;

    return end < map->times.rank_count ? end : map->times.rank_count;
}

/* Returns the length of the columns from `from`, and before `to`. */
static uint64_t rank_map_ns(const struct rank_map *map, uint32_t from, uint32_t to)
{
    const struct rank_times *times = &map->times;
    uint64_t missing = to == times->column_count ? times->column_ns - times->last_column_ns : 0;

    return (to - from) * times->column_ns - missing;
}

/* Stores how many CPUs a rank of this row used, on average, in the columns from `from`, and before `to`. */
static void rank_map_use(const struct rank_map *map, uint32_t row, uint32_t from, uint32_t to, double *work,
                         double *mpi)
{
    const struct rank_times *times = &map->times;
    uint32_t first = row * map->ranks_of_row, end = rank_map_row_end(map, row);
    double length = (double)rank_map_ns(map, from, to) * (end - first);

    *work = *mpi = 0;
    for (uint32_t rank = first; rank < end; rank++)
        for (uint32_t column = from; column < to; column++) {
            const struct rank_time *cell = &times->cells[(size_t)rank * times->column_count + column];
            *work += (double)cell->work_ns / length;
            *mpi += (double)cell->mpi_ns / length;
        }
}

static struct rank_level rank_map_level(const struct rank_map *map, uint32_t row, uint32_t column)
{
    double work, mpi;

    rank_map_use(map, row, column, column + 1, &work, &mpi);
    double scale = LEVELS / fmax(map->most, work + mpi);
    struct rank_level level = {.work = (unsigned)lround(work * scale), .mpi = (unsigned)lround(mpi * scale)};
    if (level.work + level.mpi > LEVELS)
        level.mpi = LEVELS - level.work;
    return level;
}

/* Writes the colour of a level, a mixture of white, red for work and blue for MPI. */
static void rank_map_put_colour(FILE *out, struct rank_level level)
{
    static const double ground[] = {251, 249, 244}, work[] = {192, 38, 20}, mpi[] = {38, 92, 178};
    double of_work = (double)level.work / LEVELS, of_mpi = (double)level.mpi / LEVELS;
    unsigned mixed[3];

    for (unsigned i = 0; i < 3; i++)
        mixed[i] = (unsigned)(ground[i] * (1 - of_work - of_mpi) + work[i] * of_work + mpi[i] * of_mpi);
    fprintf(out, "#%02x%02x%02x", mixed[0], mixed[1], mixed[2]);
}

static int rank_map_compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* Finds how many CPUs the full colour stands for. Of the cells with CPU time, one in two hundred may have more. */
static int rank_map_measure(struct rank_map *map)
{
    uint32_t columns = map->times.column_count;
    size_t cells = (size_t)map->rows * columns, count = 0;
    double *sorted = calloc(cells, sizeof *sorted), work, mpi;

    if (sorted == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < cells; i++) {
        uint32_t column = (uint32_t)(i % columns);
        rank_map_use(map, (uint32_t)(i / columns), column, column + 1, &work, &mpi);
        if (work + mpi > 0)
            sorted[count++] = work + mpi;
        map->has_mpi |= mpi > 0;
    }
    qsort(sorted, count, sizeof *sorted, rank_map_compare);
    map->most = count == 0 ? 1 : sorted[count - 1 - count / 200];
    free(sorted);
    return 0;
}

static int rank_map_make(const struct profile *profile, struct rank_map *map)
{
    int error = rank_times_make(profile, COLUMNS_MAX, CELLS_MAX, &map->times);

    if (error != 0)
        return error;
    uint32_t ranks = map->times.rank_count;
    map->ranks_of_row = (ranks + ROWS_MAX - 1) / ROWS_MAX;
    map->rows = (ranks + map->ranks_of_row - 1) / map->ranks_of_row;
    map->row_height = fmax(1, fmin(ROW_HEIGHT_MAX, MAP_HEIGHT / map->rows));
    double columns = (double)rank_map_ns(map, 0, map->times.column_count) / (double)map->times.column_ns;
    map->column_width = fmin(COLUMN_WIDTH_MAX, MAP_WIDTH / columns);
    return rank_map_measure(map);
}

/* --- drawing ------------------------------------------------------------------------------- */

static double rank_map_bottom(const struct rank_map *map)
{
    return TOP + map->rows * map->row_height;
}

static double rank_map_seconds(const struct rank_map *map, uint32_t columns)
{
    return (double)rank_map_ns(map, 0, columns) / NS;
}

/* Returns where a column begins; that behind the last one is where the map ends. */
static double rank_map_x(const struct rank_map *map, uint32_t column)
{
    return LEFT + (double)rank_map_ns(map, 0, column) / (double)map->times.column_ns * map->column_width;
}

/* Writes the name of a rank, at most `columns` columns of it. */
static void rank_map_put_rank(const struct rank_map *map, uint32_t rank, unsigned columns)
{
    char *name = picture_clean(map->times.names[rank]);

    picture_escape_clipped(map->out, name != NULL ? name : "?", columns);
    free(name);
}

static void rank_map_put_name(const struct rank_map *map, uint32_t row)
{
    uint32_t first = row * map->ranks_of_row, last = rank_map_row_end(map, row) - 1;

    fprintf(map->out, "rank%s ", last > first ? "s" : "");
    rank_map_put_rank(map, first, NAME_COLUMNS_MAX);
    if (last > first) {
        fputs(" to ", map->out);
        rank_map_put_rank(map, last, NAME_COLUMNS_MAX);
    }
}

/* Writes how much a row used, in a unit such as " CPUs". */
static void rank_map_put_use(const struct rank_map *map, double work, double mpi, const char *unit)
{
    page_put_number(map->out, work, 3);
    fputs(unit, map->out);
    if (!map->has_mpi)
        return;
    fputs(" for its own work, ", map->out);
    page_put_number(map->out, mpi, 3);
    fputs(unit, map->out);
    fputs(" in MPI", map->out);
}

static void rank_map_put_tip(const struct rank_map *map, uint32_t row, uint32_t from, uint32_t to)
{
    double work, mpi;

    rank_map_use(map, row, from, to, &work, &mpi);
    fputs("<title>", map->out);
    rank_map_put_name(map, row);
    fputs(", ", map->out);
    page_put_number(map->out, rank_map_seconds(map, from), 2);
    fputs(" to ", map->out);
    page_put_number(map->out, rank_map_seconds(map, to), 2);
    fputs(" s: ", map->out);
    rank_map_put_use(map, work, mpi, " CPUs");
    fputs("</title>", map->out);
}

/* Draws the cells of a row. Neighbouring cells of the same colour become one rectangle. */
static void rank_map_draw_row(const struct rank_map *map, uint32_t row)
{
    double gap = map->row_height >= 6 ? 1 : 0;
    struct rank_level level, other;

    for (uint32_t i = 0, next; i < map->times.column_count; i = next) {
        level = rank_map_level(map, row, i);
        for (next = i + 1; next < map->times.column_count; next++) {
            other = rank_map_level(map, row, next);
            if (other.work != level.work || other.mpi != level.mpi)
                break;
        }
        if (level.work + level.mpi == 0)
            continue;
        fputs("<g>", map->out);
        rank_map_put_tip(map, row, i, next);
        page_put_rect(map->out, rank_map_x(map, i), TOP + row * map->row_height,
                      rank_map_x(map, next) - rank_map_x(map, i), map->row_height - gap);
        fputs(" fill=\"", map->out);
        rank_map_put_colour(map->out, level);
        fputs("\"/></g>\n", map->out);
    }
}

static void rank_map_draw_label(const struct rank_map *map, uint32_t row)
{
    fprintf(map->out, "<text class=\"plain\" text-anchor=\"end\" x=\"%u\" y=\"", LEFT - 8);
    page_put_number(map->out, TOP + (row + 0.5) * map->row_height + 4, 1);
    fputs("\">", map->out);
    rank_map_put_rank(map, row * map->ranks_of_row, LABEL_COLUMNS);
    fputs("</text>\n", map->out);
}

/* Returns the mean time of the ranks of a row in the whole run, ns. */
static struct rank_time rank_map_total(const struct rank_map *map, uint32_t row)
{
    uint32_t first = row * map->ranks_of_row, end = rank_map_row_end(map, row);
    struct rank_time total = {0};

    for (uint32_t rank = first; rank < end; rank++) {
        total.work_ns += map->times.totals[rank].work_ns / (end - first);
        total.mpi_ns += map->times.totals[rank].mpi_ns / (end - first);
    }
    return total;
}

static void rank_map_draw_bar(const struct rank_map *map, uint32_t row, double ns_of_unit)
{
    struct rank_time total = rank_map_total(map, row);
    double gap = map->row_height >= 6 ? 1 : 0, work = (double)total.work_ns / ns_of_unit;
    double x = rank_map_x(map, map->times.column_count) + BARS_GAP, y = TOP + row * map->row_height;

    fputs("<g><title>", map->out);
    rank_map_put_name(map, row);
    fputs(", the whole run: ", map->out);
    rank_map_put_use(map, (double)total.work_ns / NS, (double)total.mpi_ns / NS, " s");
    fputs("</title>", map->out);
    page_put_rect(map->out, x, y, work, map->row_height - gap);
    fputs(" fill=\"", map->out);
    rank_map_put_colour(map->out, (struct rank_level){.work = LEVELS});
    fputs("\"/>", map->out);
    page_put_rect(map->out, x + work, y, (double)total.mpi_ns / ns_of_unit, map->row_height - gap);
    fputs(" fill=\"", map->out);
    rank_map_put_colour(map->out, (struct rank_level){.mpi = LEVELS});
    fputs("\"/></g>\n", map->out);
}

static void rank_map_draw_rows(const struct rank_map *map)
{
    uint32_t rows_of_label = (uint32_t)ceil(LABEL_HEIGHT / map->row_height);
    double most_ns = 1;

    for (uint32_t row = 0; row < map->rows; row++) {
        struct rank_time total = rank_map_total(map, row);
        most_ns = fmax(most_ns, (double)(total.work_ns + total.mpi_ns));
    }
    fputs("<g id=\"places\">\n", map->out);
    for (uint32_t row = 0; row < map->rows; row++) {
        rank_map_draw_row(map, row);
        rank_map_draw_bar(map, row, most_ns / BARS_WIDTH);
    }
    fputs("</g>\n", map->out);
    for (uint32_t row = 0; row < map->rows; row += rows_of_label)
        rank_map_draw_label(map, row);
}

/* Writes a row of rectangles from white to a full colour. Returns the place behind it. */
static unsigned rank_map_draw_scale(FILE *out, unsigned x, double y, struct rank_level step, const char *what)
{
    for (unsigned level = 1; level <= LEVELS; level++) {
        page_put_rect(out, x + (level - 1) * 8, y, 8, 12);
        fputs(" fill=\"", out);
        rank_map_put_colour(out, (struct rank_level){.work = level * step.work, .mpi = level * step.mpi});
        fputs("\"/>\n", out);
    }
    fprintf(out, "<text class=\"plain\" x=\"%u\" y=\"", x + LEVELS * 8 + 8);
    page_put_number(out, y + 11, 1);
    fprintf(out, "\">%s</text>\n", what);
    return x + LEVELS * 8 + 170;
}

static void rank_map_draw_legend(const struct rank_map *map)
{
    double y = rank_map_bottom(map) + 34;
    unsigned x = rank_map_draw_scale(map->out, LEFT, y, (struct rank_level){.work = 1},
                                 map->has_mpi ? "own work" : "CPU time");

    if (map->has_mpi)
        x = rank_map_draw_scale(map->out, x, y, (struct rank_level){.mpi = 1}, "in MPI");
    fprintf(map->out, "<text class=\"plain\" x=\"%u\" y=\"", x);
    page_put_number(map->out, y + 11, 1);
    fputs("\">0 to ", map->out);
    page_put_number(map->out, map->most, 2);
    fputs(" CPUs in a rank \xc2\xb7 a column is ", map->out);
    page_put_number(map->out, rank_map_seconds(map, 1), 2);
    fputs(" s</text>\n", map->out);
}

static int rank_map_draw_title(const struct rank_map *map, const struct profile *profile)
{
    double work = 0, mpi = 0;
    char *title;
    FILE *out = map->out;

    for (uint32_t i = 0; i < map->times.rank_count; i++) {
        work += (double)map->times.totals[i].work_ns / NS;
        mpi += (double)map->times.totals[i].mpi_ns / NS;
    }
    int error = picture_title(profile, "ranks over time", &title);
    if (error != 0)
        return error;
    page_put_svg_title(out, title);
    free(title);
    fprintf(out, "<text class=\"plain\" x=\"10\" y=\"48\">%u ranks \xc2\xb7 ", map->times.rank_count);
    page_put_number(out, work + mpi, 2);
    fputs(" s of CPU time", out);
    if (map->has_mpi) {
        fputs(", ", out);
        page_put_number(out, mpi, 2);
        fputs(" s of it in MPI", out);
    }
    fputs("</text>\n", out);
    return 0;
}

static int rank_map_draw(const struct rank_map *map, const struct profile *profile)
{
    double width = rank_map_x(map, map->times.column_count) - LEFT, bottom = rank_map_bottom(map);
    FILE *out = map->out;

    page_put_svg_head(out, WIDTH, (unsigned)bottom + FOOT);
    int error = rank_map_draw_title(map, profile);
    if (error != 0)
        return error;
    fprintf(out, "<text class=\"plain\" text-anchor=\"end\" x=\"%u\" y=\"%u\">rank</text>\n<text class=\"plain\" x=\"",
            LEFT - 8, TOP - 8);
    page_put_number(out, LEFT + width + BARS_GAP, 1);
    fprintf(out, "\" y=\"%u\">whole run</text>\n", TOP - 8);
    page_put_rect(out, LEFT, TOP, width, bottom - TOP);
    fputs(" class=\"ground\"/>\n", out);
    rank_map_draw_rows(map);
    page_put_time_axis(out, LEFT, bottom + 18, width, rank_map_seconds(map, map->times.column_count));
    rank_map_draw_legend(map);
    page_put_svg_end(out, LEFT, (unsigned)bottom + FOOT - 12);
    return 0;
}

static int rank_map_write(int fd, const struct profile *profile)
{
    struct rank_map map = {0};
    struct page page;
    int error = rank_map_make(profile, &map);

    if (error == 0)
        error = page_open(&page);
    if (error == 0) {
        map.out = page.out;
        error = page_close(&page, fd, rank_map_draw(&map, profile));
    }
    rank_times_clear(&map.times);
    return error;
}

const struct format format_rank_heat_svg = {
    .name = "rank-heat-svg",
    .extensions = "ranks.svg",
    .summary = "heat map of the ranks of a job over time, a picture",
    .keeps = "when each rank used CPU time, and how much of it in MPI",
    .loses = "what else it was used for",
    .write = rank_map_write,
};
