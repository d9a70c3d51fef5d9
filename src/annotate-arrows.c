/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Arrows beside a block of code, from each jump to its target. An arrow runs in a lane: one of LANES columns between
 * the addresses and the instructions. Short arrows get their lanes first, next to the instructions, so that fewer lines
 * cross. A jump gets no arrow if its target is more than ARROW_ROWS_MAX rows away, or if no lane is free.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "annotate.h"

#define LANES 6
#define ARROW_ROWS_MAX 1000u /* in rows; no screen shows both ends of a longer arrow */
#define WIDTH (LANES + 2)

struct arrow {
    uint32_t from, to; /* rows of the jump and of its target */
    uint32_t low, high;
    int lane; /* 0: next to the instructions; -1: no lane */
};

struct arrows {
    struct arrow *all; /* owned */
    uint32_t count;
    unsigned char *taken; /* owned: for each row, the set of lanes that arrows occupy */
    uint32_t *begins;     /* owned: for each row, 1 + the index of the arrow that begins there; 0: none */
    unsigned char *heads; /* owned: for each row, the set of lanes whose arrows end there */
    char text[WIDTH + 1];
};

static int compare_arrows(const void *left, const void *right)
{
    const struct arrow *a = left, *b = right;
    uint32_t x = a->high - a->low, y = b->high - b->low;

    if (x != y)
        return x < y ? -1 : 1;
    return a->low < b->low ? -1 : a->low > b->low;
}

static bool is_call(const char *text)
{
    return strncmp(text, "call", 4) == 0 || strncmp(text, "bl ", 3) == 0 || strncmp(text, "bl\t", 3) == 0;
}

static void collect_arrows(const pprofil_code *code, uint32_t rows, struct arrows *arrows)
{
    for (uint32_t i = 0; i < rows; i++) {
        struct pprofil_code_row row;
        pprofil_code_row(code, i, &row, sizeof row);
        if (row.source || row.target == 0 || row.target - 1 == i || is_call(row.text))
            continue;
        struct arrow *arrow = &arrows->all[arrows->count];
        *arrow = (struct arrow){.from = i, .to = row.target - 1, .lane = -1};
        arrow->low = arrow->from < arrow->to ? arrow->from : arrow->to;
        arrow->high = arrow->from < arrow->to ? arrow->to : arrow->from;
        if (arrow->high - arrow->low <= ARROW_ROWS_MAX)
            arrows->count++;
    }
    if (arrows->count > 1)
        qsort(arrows->all, arrows->count, sizeof *arrows->all, compare_arrows);
}

static bool lane_is_free(const struct arrows *arrows, const struct arrow *arrow, int lane)
{
    for (uint32_t i = arrow->low; i <= arrow->high; i++)
        if (arrows->taken[i] & 1u << lane)
            return false;
    return true;
}

static void give_lane(struct arrows *arrows, struct arrow *arrow)
{
    for (int lane = 0; lane < LANES && arrow->lane < 0; lane++)
        if (lane_is_free(arrows, arrow, lane))
            arrow->lane = lane;
    if (arrow->lane < 0)
        return;
    for (uint32_t i = arrow->low; i <= arrow->high; i++)
        arrows->taken[i] |= (unsigned char)(1u << arrow->lane);
    arrows->heads[arrow->to] |= (unsigned char)(1u << arrow->lane);
    arrows->begins[arrow->from] = (uint32_t)(arrow - arrows->all) + 1;
}

int arrows_new(const pprofil_code *code, struct arrows **result)
{
    struct arrows *arrows = calloc(1, sizeof *arrows);
    uint32_t rows = pprofil_code_count(code);

    if (arrows == NULL)
        return -ENOMEM;
    arrows->all = calloc(rows + 1u, sizeof *arrows->all);
    arrows->taken = calloc(rows + 1u, sizeof *arrows->taken);
    arrows->begins = calloc(rows + 1u, sizeof *arrows->begins);
    arrows->heads = calloc(rows + 1u, sizeof *arrows->heads);
    if (arrows->all == NULL || arrows->taken == NULL || arrows->begins == NULL || arrows->heads == NULL) {
        arrows_free(arrows);
        return -ENOMEM;
    }
    collect_arrows(code, rows, arrows);
    for (uint32_t i = 0; i < arrows->count; i++)
        give_lane(arrows, &arrows->all[i]);
    *result = arrows;
    return 0;
}

void arrows_free(struct arrows *arrows)
{
    if (arrows == NULL)
        return;
    free(arrows->all);
    free(arrows->taken);
    free(arrows->begins);
    free(arrows->heads);
    free(arrows);
}

/* Draws a line from a lane to the instruction. If `head` is true, the line ends in the head of an arrow. */
static void draw_branch(char *text, int lane, bool head)
{
    text[LANES - 1 - lane] = '+';
    for (int at = LANES - lane; at < LANES + 1; at++)
        if (text[at] != '+')
            text[at] = '-';
    if (head)
        text[LANES] = '>';
}

const char *arrows_beside(struct arrows *arrows, uint32_t row, bool source)
{
    char *text = arrows->text;

    memset(text, ' ', WIDTH);
    for (int lane = 0; lane < LANES; lane++)
        if (arrows->taken[row] & 1u << lane)
            text[LANES - 1 - lane] = '|';
    if (source)
        return text;
    if (arrows->begins[row] != 0)
        draw_branch(text, arrows->all[arrows->begins[row] - 1].lane, false);
    for (int lane = 0; lane < LANES; lane++)
        if (arrows->heads[row] & 1u << lane)
            draw_branch(text, lane, true);
    return text;
}
