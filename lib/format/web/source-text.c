/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Chooses the source text of a page. A function gets the lines that have samples, and the lines around them. The
 * functions with the largest self values come first. A function gets nothing if the rest of the space is too small for
 * it.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "format/web/web.h"
#include "symbol/source-file.h"

#define CONTEXT_LINES 8u    /* lines before and after a line that has samples */
#define GAP_LINES_MAX 60u   /* a larger gap between two such lines is left out */
#define LINE_SIZE_MAX 1000u /* bytes; the rest of a longer line is left out */

/* The part of a function that is in one source file. */
struct source_part {
    uint32_t name, file; /* `file` is the number of the file */
    uint64_t self, total;
    uint32_t rank;
};

/* A line of a part that is on a stack. */
struct source_spot {
    uint32_t part, line;
};

struct source_choice {
    const struct web_profile *web;
    uint64_t *self, *total;    /* owned; by node */
    struct source_part *parts; /* owned */
    struct source_spot *spots; /* owned */
    uint32_t part_count, spot_count;
    struct memo memo;
    struct source_file *texts; /* owned; by number of the file */
    bool *tried;               /* owned; by number of the file: reading was tried */
    bool **shown;              /* owned; by number of the file: for each line, true if the page has it */
    size_t left;               /* bytes */
    uint32_t left_out;         /* number of parts that did not fit */
};

/* --- values ---------------------------------------------------------------------------------- */

static int choice_weigh(struct source_choice *choice)
{
    const struct web_profile *web = choice->web;
    const struct stored_node *nodes = web->store.nodes;
    uint32_t count = web->store.node_count;

    choice->self = calloc(count, sizeof *choice->self);
    choice->total = calloc(count, sizeof *choice->total);
    if (choice->self == NULL || choice->total == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < web->profile->sample_count; i++) {
        const struct profile_sample *sample = &web->profile->samples[i];
        uint32_t leaf = web->merge.leaves[i];
        if (web->sample_numbers[i] == WEB_LEFT_OUT)
            continue;
        uint64_t value = web_value(web, sample->count, sample->cpu_ns, sample->wall_ns);
        choice->self[nodes[leaf].call ? nodes[leaf].parent : leaf] += value;
        choice->total[leaf] += value;
    }
    for (uint32_t i = count; i-- > 1;)
        choice->total[nodes[i].parent] += choice->total[i];
    return 0;
}

/* --- functions and lines --------------------------------------------------------------------- */

enum { MEMO_PART, MEMO_SPOT };

static int choice_find_part(struct source_choice *choice, uint32_t name, uint32_t file, uint32_t *part)
{
    struct memo_entry *known;
    int error = memo_find(&choice->memo, MEMO_PART, name, file, &known);

    if (error == 0 && !known->used) {
        error = array_grow(&choice->parts, choice->part_count, sizeof *choice->parts);
        if (error != 0)
            return error;
        choice->parts[choice->part_count] = (struct source_part){.name = name, .file = file};
        memo_set(known, choice->part_count++);
    }
    if (error == 0)
        *part = known->index;
    return error;
}

static int choice_add_spot(struct source_choice *choice, uint32_t part, uint32_t line)
{
    struct memo_entry *known;
    int error = memo_find(&choice->memo, MEMO_SPOT, part, line, &known);

    if (error != 0 || known->used)
        return error;
    error = array_grow(&choice->spots, choice->spot_count, sizeof *choice->spots);
    if (error != 0)
        return error;
    choice->spots[choice->spot_count] = (struct source_spot){part, line};
    memo_set(known, choice->spot_count++);
    return 0;
}

static int choice_add_nodes(struct source_choice *choice)
{
    const struct web_profile *web = choice->web;
    int error = 0;

    for (uint32_t i = 1; error == 0 && i < web->store.node_count; i++) {
        const struct stored_node *node = &web->store.nodes[i];
        const struct stored_place *place = &web->store.places[node->place];
        uint32_t part;
        if (node->place == 0 || choice->total[i] == 0)
            continue;
        error = choice_find_part(choice, node->name, web->file_numbers[place->file] - 1, &part);
        if (error == 0)
            error = choice_add_spot(choice, part, place->line);
        if (error != 0)
            break;
        choice->parts[part].self += choice->self[i];
        choice->parts[part].total += choice->total[i];
    }
    return error;
}

static int compare_parts(const void *a, const void *b, void *context)
{
    const struct source_part *parts = context, *x = &parts[*(const uint32_t *)a], *y = &parts[*(const uint32_t *)b];

    if (x->self != y->self)
        return x->self > y->self ? -1 : 1;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    return x < y ? -1 : x > y;
}

static int compare_spots(const void *a, const void *b, void *context)
{
    const struct source_part *parts = context;
    const struct source_spot *x = a, *y = b;
    uint32_t first = parts[x->part].rank, second = parts[y->part].rank;

    if (first != second)
        return first < second ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* Sorts the spots: those of the hottest part come first, and those of one part are sorted by line. */
static int choice_sort(struct source_choice *choice)
{
    uint32_t count = choice->part_count;
    uint32_t *order = calloc(count + 1u, sizeof *order);

    if (order == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    if (count > 0)
        qsort_r(order, count, sizeof *order, compare_parts, choice->parts);
    for (uint32_t i = 0; i < count; i++)
        choice->parts[order[i]].rank = i;
    if (choice->spot_count > 0)
        qsort_r(choice->spots, choice->spot_count, sizeof *choice->spots, compare_spots, choice->parts);
    free(order);
    return 0;
}

/* --- what is shown --------------------------------------------------------------------------- */

/* Reads a source file, if this was not tried before. */
static int choice_read(struct source_choice *choice, uint32_t file)
{
    const struct web_profile *web = choice->web;
    struct source_file *text = &choice->texts[file];

    if (choice->tried[file])
        return 0;
    choice->tried[file] = true;
    int error = source_file_read(web->profile->strings[web->files[file]], text);
    if (error != 0)
        return error;
    choice->shown[file] = calloc(text->line_count + 1u, sizeof *choice->shown[file]);
    return choice->shown[file] == NULL ? -ENOMEM : 0;
}

static size_t line_size(const char *line)
{
    return strnlen(line, LINE_SIZE_MAX) + 1;
}

/* Goes through the lines from `from` to `to` that are not shown yet. Returns the size of their text, and shows them if
 * `show` is set. */
static size_t choice_take(struct source_choice *choice, uint32_t file, uint32_t from, uint32_t to, bool show)
{
    const struct source_file *text = &choice->texts[file];
    size_t size = 0;

    for (uint32_t line = from; line <= to && line <= text->line_count; line++) {
        if (choice->shown[file][line - 1])
            continue;
        size += line_size(text->lines[line - 1]);
        if (show)
            choice->shown[file][line - 1] = true;
    }
    return size;
}

/* Goes through the lines of a part as choice_take does. Its spots are spots[0] to spots[count - 1]. */
static size_t choice_take_part(struct source_choice *choice, const struct source_spot *spots, uint32_t count, bool show)
{
    uint32_t file = choice->parts[spots[0].part].file, next = 1;
    size_t size = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t line = spots[i].line, from = line > CONTEXT_LINES ? line - CONTEXT_LINES : 1;
        if (i > 0 && line - spots[i - 1].line <= GAP_LINES_MAX)
            from = next;
        if (from < next)
            from = next;
        uint32_t to = line < UINT32_MAX - CONTEXT_LINES ? line + CONTEXT_LINES : line;
        size += choice_take(choice, file, from, to, show);
        next = to + 1;
    }
    return size;
}

static int choice_show(struct source_choice *choice)
{
    int error = 0;

    for (uint32_t i = 0, end; error == 0 && i < choice->spot_count; i = end) {
        const struct source_spot *spots = &choice->spots[i];
        uint32_t file = choice->parts[spots->part].file;
        for (end = i + 1; end < choice->spot_count && choice->spots[end].part == spots->part;)
            end++;
        error = choice_read(choice, file);
        if (error != 0 || choice->texts[file].text == NULL)
            continue;
        size_t size = choice_take_part(choice, spots, end - i, false);
        if (size > choice->left) {
            choice->left_out++;
            continue;
        }
        choice_take_part(choice, spots, end - i, true);
        choice->left -= size;
    }
    return error;
}

/* --- the whole ------------------------------------------------------------------------------- */

/* Writes the lines from `from` to `to` as one JSON string. */
static int put_lines(FILE *out, const struct source_file *text, uint32_t from, uint32_t to)
{
    char *lines = NULL;
    size_t size;
    FILE *joined = open_memstream(&lines, &size);

    if (joined == NULL)
        return -ENOMEM;
    for (uint32_t line = from; line <= to; line++) {
        size_t length = line_size(text->lines[line - 1]) - 1;
        /* a character is not cut in two */
        while (length == LINE_SIZE_MAX && length > 0 && (text->lines[line - 1][length] & 0xc0) == 0x80)
            length--;
        fprintf(joined, "%s%.*s", line > from ? "\n" : "", (int)length, text->lines[line - 1]);
    }
    int error = fclose(joined) != 0 ? -ENOMEM : picture_json(out, lines);
    free(lines);
    return error;
}

/* Writes a file as an array: its number, 1 if it is newer than the profile, and for each run of lines the number of
 * the first line, and the text. */
static int put_file(FILE *out, const struct source_choice *choice, uint32_t file)
{
    const struct source_file *text = &choice->texts[file];
    const struct profile_totals *totals = &choice->web->profile->totals;
    bool newer = totals->start_time != 0 && text->written_ns > (int64_t)profile_end_time(totals);
    int error = 0;

    fprintf(out, "[%u,%d", file, newer);
    for (uint32_t i = 0, end; error == 0 && i < text->line_count; i = end + 1) {
        for (end = i; end < text->line_count && choice->shown[file][end];)
            end++;
        if (end == i)
            continue;
        fprintf(out, ",\n%u,", i + 1);
        error = put_lines(out, text, i + 1, end);
    }
    fputs("]", out);
    return error;
}

static int choice_make(struct source_choice *choice)
{
    uint32_t files = choice->web->file_count + 1;

    choice->texts = calloc(files, sizeof *choice->texts);
    choice->tried = calloc(files, sizeof *choice->tried);
    choice->shown = calloc(files, sizeof *choice->shown);
    if (choice->texts == NULL || choice->tried == NULL || choice->shown == NULL)
        return -ENOMEM;
    int error = choice_weigh(choice);
    if (error == 0)
        error = choice_add_nodes(choice);
    if (error == 0)
        error = choice_sort(choice);
    return error == 0 ? choice_show(choice) : error;
}

static void choice_clear(struct source_choice *choice)
{
    for (uint32_t i = 0; i < choice->web->file_count && choice->texts != NULL && choice->shown != NULL; i++) {
        source_file_clear(&choice->texts[i]);
        free(choice->shown[i]);
    }
    free(choice->texts);
    free(choice->tried);
    free(choice->shown);
    free(choice->self);
    free(choice->total);
    free(choice->parts);
    free(choice->spots);
    memo_free(&choice->memo);
}

int web_put_source(FILE *out, const struct web_profile *web)
{
    struct source_choice choice = {.web = web, .left = WEB_SOURCE_SIZE_MAX};
    int error = web->with_source ? choice_make(&choice) : 0;
    bool first = true;

    fputs(",\n\"source\":[", out);
    for (uint32_t i = 0; error == 0 && web->with_source && i < web->file_count; i++) {
        if (choice.texts[i].text == NULL)
            continue;
        fputs(first ? "\n" : ",\n", out);
        error = put_file(out, &choice, i);
        first = false;
    }
    fprintf(out, "],\n\"withSource\":%s,\"sourceLeftOut\":%u,\"sourceLimit\":%u", web->with_source ? "true" : "false",
            choice.left_out, WEB_SOURCE_SIZE_MAX);
    choice_clear(&choice);
    return error;
}
