/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes the names of rows fit into a terminal: finds the widths of the columns, and shortens what is too long.
 *
 * Short names have no arguments of templates and no parameters: vector<int, allocator<int>>::push_back(int const&)
 * becomes vector<>::push_back. A name that is still too long loses its middle, because names of one program often begin
 * alike, and their ends say what they do. A path loses its beginning.
 */
#include "config.h"

#include <ctype.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "report.h"

#define NAME_MIN 20 /* least width of the column of names */
#define OBJECT_MIN 10
#define PLACE_MIN 12
#define GAP 2 /* columns between two columns */

bool report_in_utf8(void)
{
    locale_t users = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    bool utf8 = users != (locale_t)0 && strcmp(nl_langinfo_l(CODESET, users), "UTF-8") == 0;

    if (users != (locale_t)0)
        freelocale(users);
    return utf8;
}

bool report_is_fitted(const struct report_view *view)
{
    return view->columns > 0 && view->names != REPORT_NAMES_FULL;
}

size_t report_width(const char *text)
{
    size_t width = 0;

    for (; *text != '\0'; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

/* --- names --------------------------------------------------------------------------------- */

/* Returns true if a sign at `at` is a part of an operator's name, such as operator<< or operator->. */
static bool is_in_operator(const char *name, const char *at)
{
    static const char word[] = "operator";
    const char *begin = at;

    while (begin > name && strchr("<>=-( ", begin[-1]) != NULL)
        begin--;
    size_t length = sizeof word - 1, before = (size_t)(begin - name);
    return before >= length && strncmp(begin - length, word, length) == 0 &&
           (before == length || (!isalnum((unsigned char)begin[-length - 1]) && begin[-length - 1] != '_'));
}

/* Returns true if arguments of a template, or parameters of a function, begin at `at`. Names such as <module> and
 * (anonymous namespace) begin with a bracket, as do names of Rust: <Vec<T> as Drop>::drop. */
static bool begins_arguments(const char *name, const char *at)
{
    if (at == name || (*at != '<' && *at != '('))
        return false;
    if (is_in_operator(name, at)) /* the parameters of an operator, but not the brackets of operator() itself */
        return *at == '(' && (at[-1] != 'r' || at[1] != ')');
    bool go_method = *at == '(' && at[-1] == '.'; /* main.(*server).serve */
    return strchr(" <(&", at[-1]) == NULL && strncmp(at, "(anonymous", 10) != 0 && !go_method;
}

/* Returns the end of the arguments that begin at `at`, or NULL if their brackets are not balanced. */
static const char *end_of_arguments(const char *name, const char *at)
{
    unsigned depth = 0;

    for (; *at != '\0'; at++) {
        bool sign = (*at == '<' || *at == '>') && is_in_operator(name, at);
        if (*at == '(' || (*at == '<' && !sign))
            depth++;
        else if ((*at == ')' || (*at == '>' && !sign && at[-1] != '-')) && --depth == 0)
            return at + 1;
    }
    return NULL;
}

/* Returns the end of the qualifiers of a member function, such as " const &", which begin at `at`. */
static const char *end_of_qualifiers(const char *at)
{
    size_t const_length = strncmp(at, " const", 6) == 0 ? 6 : 0;
    const char *reference = at + const_length + (at[const_length] == ' ');

    return *reference == '&' ? reference + strspn(reference, "&") : at + const_length;
}

void report_short_name(const char *name, char *text, size_t size)
{
    size_t used = 0;

    for (const char *at = name; *at != '\0' && used + 2 < size;) {
        const char *end = begins_arguments(name, at) ? end_of_arguments(name, at) : NULL;
        if (end == NULL) {
            text[used++] = *at++;
            continue;
        }
        if (*at == '<') {
            text[used++] = '<';
            text[used++] = '>';
        } else {
            end = end_of_qualifiers(end);
        }
        at = end;
    }
    text[used] = '\0';
}

/* Returns the beginning of the character with this index in a text of UTF-8, or the end of the text. */
static const char *character_at(const char *text, size_t index)
{
    while (index > 0 && *text != '\0') {
        utf8_decode(&text);
        index--;
    }
    return text;
}

/* Shortens a text to `width` characters. `head`: how many of its first characters are kept at most. */
static void shorten(const char *text, size_t width, size_t head, bool utf8, char *to, size_t size)
{
    const char *mark = utf8 ? "\xe2\x80\xa6" : "..";
    size_t length = report_width(text), mark_width = utf8 ? 1 : 2;

    if (length <= width || width <= mark_width) {
        snprintf(to, size, "%s", text);
        return;
    }
    size_t tail = width - mark_width - head;
    snprintf(to, size, "%.*s%s%s", (int)(character_at(text, head) - text), text, mark,
             character_at(text, length - tail));
}

void report_fit_name(const char *text, size_t width, bool utf8, char *to, size_t size)
{
    shorten(text, width, width / 2, utf8, to, size);
}

void report_fit_path(const char *text, size_t width, bool utf8, char *to, size_t size)
{
    shorten(text, width, 0, utf8, to, size);
}

/* --- widths -------------------------------------------------------------------------------- */

/* Returns the width of a line number with what is printed around it. */
static size_t line_width(const struct report_layout *layout, uint32_t line)
{
    if (line == 0 && layout->lines)
        return 0;
    return (size_t)snprintf(NULL, 0, layout->lines ? ":%u" : "(:%u)", line);
}

static void layout_measure(struct report_layout *layout, const struct pprofil_row *row)
{
    size_t name = report_width(row->name), object = report_width(row->object), place = 0;

    if (layout->lines)
        name += line_width(layout, row->line);
    else if (row->file[0] != '\0' || row->line != 0)
        place = report_width(row->file) + line_width(layout, row->line);
    layout->name = name > layout->name ? name : layout->name;
    layout->object = object > layout->object ? object : layout->object;
    layout->place = place > layout->place ? place : layout->place;
}

/* Takes `*excess` columns from a column that is wider than `least`, as far as it has them. */
static void layout_take(size_t *column, size_t least, size_t *excess)
{
    size_t most = *column > least ? *column - least : 0, taken = *excess < most ? *excess : most;

    *column -= taken;
    *excess -= taken;
}

/* Makes the columns of texts narrower until they fit: first what says where a function is, then the rest. */
static void layout_narrow(struct report_layout *layout, size_t available)
{
    size_t gaps = (layout->object > 0 ? GAP : 0) + (layout->place > 0 ? GAP : 0);
    size_t wanted = layout->name + layout->object + layout->place + gaps;
    size_t excess = wanted > available ? wanted - available : 0;

    layout_take(&layout->place, 2 * PLACE_MIN, &excess);
    layout_take(&layout->name, 3 * NAME_MIN, &excess);
    layout_take(&layout->object, 2 * OBJECT_MIN, &excess);
    layout_take(&layout->place, PLACE_MIN, &excess);
    layout_take(&layout->name, 2 * NAME_MIN, &excess);
    layout_take(&layout->object, OBJECT_MIN, &excess);
    if (excess > 0 && layout->place > 0) { /* a very narrow terminal */
        excess = excess > layout->place + GAP ? excess - layout->place - GAP : 0;
        layout->place = 0;
    }
    layout_take(&layout->name, NAME_MIN, &excess);
    layout_take(&layout->object, OBJECT_MIN / 2, &excess);
    layout_take(&layout->name, NAME_MIN / 2, &excess);
}

void report_layout_make(struct report_layout *layout, const pprofil_report *report, const struct report_view *view,
                        size_t figures)
{
    struct pprofil_row row;
    char name[4096];

    *layout = (struct report_layout){.name = REPORT_NAME_WIDTH,
                                     .object = REPORT_OBJECT_WIDTH,
                                     .place = SIZE_MAX,
                                     .short_names = report_wants_short_names(view),
                                     .utf8 = report_in_utf8(),
                                     .lines = view->by == PPROFIL_BY_LINE,
                                     .fits = report_is_fitted(view)};
    if (!layout->fits)
        return;
    layout->name = layout->object = layout->place = 0;
    for (uint32_t i = 0; i < pprofil_report_count(report); i++) {
        pprofil_report_row(report, i, &row, sizeof row);
        if (layout->short_names) {
            report_short_name(row.name, name, sizeof name);
            row.name = name;
        }
        layout_measure(layout, &row);
    }
    layout_narrow(layout, view->columns > figures ? view->columns - figures : 0);
    if (layout->name < NAME_MIN / 2)
        layout->name = NAME_MIN / 2;
}

void report_layout_row(const struct report_layout *layout, struct pprofil_row *row, struct report_texts *texts)
{
    size_t line = line_width(layout, row->line), place = layout->place > line ? layout->place - line : 0;

    if (layout->short_names && !layout->lines) {
        report_short_name(row->name, texts->full, sizeof texts->full);
        row->name = texts->full;
    }
    if (!layout->fits)
        return;
    if (layout->lines)
        report_fit_path(row->name, layout->name > line ? layout->name - line : 0, layout->utf8, texts->name,
                        sizeof texts->name);
    else
        report_fit_name(row->name, layout->name, layout->utf8, texts->name, sizeof texts->name);
    report_fit_name(row->object, layout->object, layout->utf8, texts->object, sizeof texts->object);
    report_fit_path(row->file, place, layout->utf8, texts->file, sizeof texts->file);
    row->name = texts->name;
    row->object = texts->object;
    row->file = layout->place == 0 ? "" : texts->file;
}
