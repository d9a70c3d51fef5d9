/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes heat maps of CPU use over time as SVG. A column stands for a second, and has 50 cells of 20 ms, from bottom to
 * top. The darker a cell, the more CPUs were in use in its 20 ms. What a program does once a second, or with another
 * period, shows as a line or a pattern. A cell is a slot of the profile's timeline. If a run lasts more than 11
 * minutes, slots are longer than 20 ms, so a column stands for more than a second.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "format/format.h"
#include "format/picture/picture.h"

#define WIDTH 1200u
#define LEFT 62u
#define RIGHT 12u
#define TOP 72u  /* height of the heading */
#define BARS 44u /* height of the bars above the columns, which show how many CPUs were in use */
#define GAP 6u
#define CELLS 50u /* cells of a column */
#define CELL 6u   /* height of a cell */
#define FOOT 86u
#define HEIGHT (TOP + BARS + GAP + CELLS * CELL + FOOT)
#define MAP_TOP (TOP + BARS + GAP)
#define MAP_END (MAP_TOP + CELLS * CELL)
#define WIDEST 48.0 /* largest width of a column */
#define LEVELS 24u  /* number of different colours that show how many CPUs were in use */
#define NS 1e9

struct map {
    FILE *out;
    const struct profile_timeline *line;
    uint32_t columns;
    double width; /* width of a column */
    double most;  /* the darkest colour stands for this number of CPUs in use, or more */
    double most_of_column;
};

/* Returns how many CPUs were in use in a slot, on average. */
static double heat_of(const struct map *map, uint32_t slot)
{
    const struct profile_timeline *line = map->line;
    return slot < line->count ? (double)line->cpu_ns[slot] / (double)line->slot_ns : 0;
}

static double heat_of_column(const struct map *map, uint32_t column)
{
    double sum = 0;

    for (uint32_t i = 0; i < CELLS; i++)
        sum += heat_of(map, column * CELLS + i);
    return sum / CELLS;
}

static unsigned level_of(const struct map *map, double heat)
{
    double level = ceil(heat / map->most * LEVELS);
    return level > LEVELS ? LEVELS : (unsigned)level;
}

/* Writes the colour of a level, from pale yellow (few CPUs in use) to dark red (many). Levels differ in lightness, not
 * only in hue, for people who see no colours. */
static void put_colour(FILE *out, unsigned level)
{
    static const double stops[][3] = {
        {255, 244, 194}, {254, 206, 106}, {250, 141, 60}, {219, 50, 36}, {103, 0, 31}};
    double place = (double)(level - 1) / (LEVELS - 1) * 4;
    unsigned low = place >= 4 ? 3 : (unsigned)place;
    unsigned mixed[3];

    for (unsigned i = 0; i < 3; i++)
        mixed[i] = (unsigned)(stops[low][i] + (stops[low + 1][i] - stops[low][i]) * (place - low));
    fprintf(out, "#%02x%02x%02x", mixed[0], mixed[1], mixed[2]);
}

static int compare_heat(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Finds how many CPUs the darkest colour stands for. Some slots also contain a part of the next slot's time, and seem
 * too busy. If the busiest of these were the darkest cell, all others would be pale. So one cell in two hundred may
 * have more CPUs in use than the darkest colour stands for. */
static int measure_heat(struct map *map)
{
    const struct profile_timeline *line = map->line;
    uint64_t *sorted = calloc(line->count, sizeof *sorted);

    if (sorted == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < line->count; i++)
        sorted[i] = line->cpu_ns[i];
    qsort(sorted, line->count, sizeof *sorted, compare_heat);
    map->most = (double)sorted[line->count - 1 - line->count / 200] / (double)line->slot_ns;
    if (map->most < 0.01)
        map->most = (double)sorted[line->count - 1] / (double)line->slot_ns;
    free(sorted);
    map->most = map->most < 1 ? 1 : map->most;
    map->columns = (line->count + CELLS - 1) / CELLS;
    map->width = fmin(WIDEST, (double)(WIDTH - LEFT - RIGHT) / map->columns);
    map->most_of_column = 1;
    for (uint32_t i = 0; i < map->columns; i++)
        map->most_of_column = fmax(map->most_of_column, heat_of_column(map, i));
    return 0;
}

/* --- drawing ------------------------------------------------------------------------------- */

static double seconds_of(const struct map *map, double slot)
{
    return slot * (double)map->line->slot_ns / NS;
}

static void put_tip(const struct map *map, double from, double to, double heat)
{
    fputs("<title>", map->out);
    page_put_number(map->out, seconds_of(map, from), 2);
    fputs(" to ", map->out);
    page_put_number(map->out, seconds_of(map, to), 2);
    fputs(" s: ", map->out);
    page_put_number(map->out, heat, 2);
    fputs(" CPUs in use</title>", map->out);
}

/* Writes a rectangle in a column, without the end of its tag. */
static void put_column_rect(const struct map *map, uint32_t column, double y, double height)
{
    double gap = map->width > 4 ? 1 : 0;

    page_put_rect(map->out, LEFT + column * map->width, y, map->width - gap, height);
}

static void draw_bars(const struct map *map)
{
    for (uint32_t column = 0; column < map->columns; column++) {
        double heat = heat_of_column(map, column);
        double height = BARS * heat / map->most_of_column;
        if (height < 0.1)
            continue;
        fputs("<g>", map->out);
        put_tip(map, column * CELLS, (column + 1) * CELLS, heat);
        put_column_rect(map, column, TOP + BARS - height, height);
        fputs(" class=\"bar\"/></g>\n", map->out);
    }
}

/* Draws the cells of a column. Neighbouring cells of the same colour become one rectangle. */
static void draw_column(const struct map *map, uint32_t column)
{
    uint32_t first = column * CELLS;

    for (uint32_t i = 0, next; i < CELLS; i = next) {
        unsigned level = level_of(map, heat_of(map, first + i));
        double sum = 0;
        for (next = i; next < CELLS && level_of(map, heat_of(map, first + next)) == level; next++)
            sum += heat_of(map, first + next);
        if (level == 0)
            continue;
        fputs("<g>", map->out);
        put_tip(map, first + i, first + next, sum / (next - i));
        put_column_rect(map, column, MAP_END - next * CELL, (next - i) * CELL);
        fputs(" fill=\"", map->out);
        put_colour(map->out, level);
        fputs("\"/></g>\n", map->out);
    }
}

static void draw_axes(const struct map *map)
{
    double second = seconds_of(map, CELLS);
    FILE *out = map->out;

    page_put_time_axis(out, LEFT, MAP_END + 20, map->columns * map->width, second * map->columns);
    for (unsigned i = 0; i <= 4; i++) {
        fprintf(out, "<text class=\"plain\" text-anchor=\"end\" x=\"%u\" y=\"%u\">", LEFT - 8,
                MAP_END - i * CELLS * CELL / 4 + 4);
        page_put_number(out, 1000 * second * i / 4, 0);
        fputs(" ms</text>\n", out);
    }
    fprintf(out, "<text class=\"plain\" text-anchor=\"end\" x=\"%u\" y=\"%u\">", LEFT - 8, TOP + 10);
    page_put_number(out, map->most_of_column, 1);
    fputs(" CPU</text>\n", out);
}

static void draw_legend(const struct map *map)
{
    FILE *out = map->out;
    unsigned y = MAP_END + 40;

    for (unsigned level = 1; level <= LEVELS; level++) {
        fprintf(out, "<rect x=\"%u\" y=\"%u\" width=\"8\" height=\"12\" fill=\"", LEFT + (level - 1) * 8, y);
        put_colour(out, level);
        fputs("\"/>\n", out);
    }
    fprintf(out, "<text class=\"plain\" x=\"%u\" y=\"%u\">0 to ", LEFT + LEVELS * 8 + 10, y + 11);
    page_put_number(out, map->most, 2);
    fputs(" CPUs in use \xc2\xb7 a column is ", out);
    page_put_number(out, seconds_of(map, CELLS), 2);
    fputs(" s, a place in it ", out);
    page_put_number(out, 1000 * seconds_of(map, 1), 0);
    fputs(" ms</text>\n", out);
}

static int draw_title(const struct map *map, const struct profile *profile)
{
    double used = 0;
    char *title;

    for (uint32_t i = 0; i < map->line->count; i++)
        used += (double)map->line->cpu_ns[i] / NS;
    int error = picture_title(profile, "CPU use over time", &title);
    if (error != 0)
        return error;
    page_put_svg_title(map->out, title);
    fputs("<text class=\"plain\" x=\"10\" y=\"48\">", map->out);
    page_put_number(map->out, used, 2);
    fputs(" s of CPU time in ", map->out);
    page_put_number(map->out, seconds_of(map, map->line->count), 2);
    fputs(" s</text>\n", map->out);
    free(title);
    return 0;
}

static int draw_heat_svg(const struct map *map, const struct profile *profile)
{
    FILE *out = map->out;

    page_put_svg_head(out, WIDTH, HEIGHT);
    int error = draw_title(map, profile);
    if (error != 0)
        return error;
    page_put_rect(out, LEFT, MAP_TOP, map->columns * map->width, CELLS * CELL);
    fputs(" class=\"ground\"/>\n<g id=\"places\">\n", out);
    draw_bars(map);
    for (uint32_t column = 0; column < map->columns; column++)
        draw_column(map, column);
    fputs("</g>\n", out);
    draw_axes(map);
    draw_legend(map);
    page_put_svg_end(out, LEFT, HEIGHT - 12);
    return 0;
}

static int write_heat(int fd, const struct profile *profile)
{
    struct map map = {.line = &profile->timeline};
    struct page page;

    if (profile->timeline.count == 0)
        return PPROFIL_ERROR_NO_SAMPLES;
    int error = measure_heat(&map);
    if (error == 0)
        error = page_open(&page);
    if (error != 0)
        return error;
    map.out = page.out;
    return page_close(&page, fd, draw_heat_svg(&map, profile));
}

const struct format format_heat_svg = {
    .name = "heat-svg",
    .extensions = "heat.svg",
    .summary = "heat map of CPU use over time, a picture",
    .keeps = "when CPU time was used",
    .loses = "what it was used for",
    .write = write_heat,
};
