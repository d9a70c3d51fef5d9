/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes pages, with their headings and other text. Names come from profiles that anybody may have made, so the
 * functions here make the names harmless. */
#include "config.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/utf8.h"
#include "format/bytes.h"
#include "format/picture/picture.h"

#define NAME_CHARACTERS_MAX 500u
#define REPLACEMENT 0xfffdu
#define ELLIPSIS "\xe2\x80\xa6"

/* --- pages --------------------------------------------------------------------------------- */

int page_open(struct page *page)
{
    page->text = NULL;
    page->out = open_memstream(&page->text, &page->size);
    return page->out == NULL ? -ENOMEM : 0;
}

static int page_write(int fd, const char *text, size_t size)
{
    struct bytes_out out;

    bytes_begin(&out, fd, 8, false);
    bytes_put_all(&out, text, size);
    return bytes_finish(&out);
}

int page_close(struct page *page, int fd, int error)
{
    if (fclose(page->out) != 0 && error == 0)
        error = -ENOMEM;
    if (error == 0)
        error = page_write(fd, page->text, page->size);
    free(page->text);
    return error;
}

/* --- characters ---------------------------------------------------------------------------- */

/* Replaces a character that XML 1.0 forbids even if it is escaped (a control character), and a character that hides
 * something. Returns other characters unchanged. */
static uint32_t clean_character(uint32_t character)
{
    if (character < 0x20)
        return 0x2400 + character; /* the symbol that Unicode has for this control character */
    return utf8_is_harmless(character) ? character : REPLACEMENT;
}

char *picture_clean(const char *text)
{
    const char *at = text;
    size_t length = strlen(text), used = 0;
    char *clean = malloc((length < NAME_CHARACTERS_MAX ? length : NAME_CHARACTERS_MAX) * 4 + sizeof ELLIPSIS);

    if (clean == NULL)
        return NULL;
    for (unsigned count = 0; *at != '\0' && count < NAME_CHARACTERS_MAX; count++)
        used += utf8_encode(clean_character(utf8_decode(&at)), clean + used);
    strcpy(clean + used, *at != '\0' ? ELLIPSIS : "");
    return clean;
}

/* Returns approximately how many columns a character takes in a fixed-width font: two for East Asian characters and
 * emoji, else one. */
static unsigned columns_of(uint32_t character)
{
    bool wide = (character >= 0x1100 && character <= 0x115f) || (character >= 0x2e80 && character <= 0xa4cf) ||
                (character >= 0xac00 && character <= 0xd7a3) || (character >= 0xf900 && character <= 0xfaff) ||
                (character >= 0xfe30 && character <= 0xfe6f) || (character >= 0xff00 && character <= 0xff60) ||
                character >= 0x1f000;
    return wide ? 2 : 1;
}

/* --- escaping ------------------------------------------------------------------------------ */

static void escape_bytes(FILE *out, const char *text, size_t size)
{
    static const struct {
        char character;
        const char *entity;
    } entities[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};

    for (size_t i = 0; i < size; i++) {
        const char *entity = NULL;
        for (size_t j = 0; j < sizeof entities / sizeof *entities; j++)
            if (entities[j].character == text[i])
                entity = entities[j].entity;
        if (entity != NULL)
            fputs(entity, out);
        else
            putc(text[i], out);
    }
}

void picture_escape(FILE *out, const char *text)
{
    escape_bytes(out, text, strlen(text));
}

void picture_escape_clipped(FILE *out, const char *text, unsigned columns)
{
    const char *at = text, *fits = at;
    unsigned used = 0;

    if (columns < 3)
        return;
    while (*at != '\0') {
        used += columns_of(utf8_decode(&at));
        if (used > columns) {
            escape_bytes(out, text, (size_t)(fits - text));
            fputs(ELLIPSIS, out);
            return;
        }
        if (used < columns)
            fits = at;
    }
    picture_escape(out, text);
}

/* The characters <, > and & are written as \u and four digits, which JSON allows for every character. So no text can
 * end the script element that contains it, or begin a comment in it. */
int picture_json(FILE *out, const char *text)
{
    json_t *string = json_string(text);
    char *quoted = string == NULL ? NULL : json_dumps(string, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);

    json_decref(string);
    if (quoted == NULL)
        return -ENOMEM;
    for (const char *at = quoted; *at != '\0'; at++)
        if (*at == '<' || *at == '>' || *at == '&')
            fprintf(out, "\\u%04x", (unsigned)*at);
        else
            putc(*at, out);
    free(quoted);
    return 0;
}

/* --- figures ------------------------------------------------------------------------------- */

void picture_format_count(uint64_t count, char text[PICTURE_FIGURE_SIZE])
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    char *to = text;

    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
}

/* Writes a time with three significant digits. Does not use %f of printf, which writes a comma in some locales. */
static void format_time(uint64_t ns, char text[PICTURE_FIGURE_SIZE])
{
    static const struct {
        uint64_t ns;
        const char *name;
    } units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "\xc2\xb5s"}, {1, "ns"}};
    unsigned unit = 0;

    while (unit < 3 && ns < units[unit].ns)
        unit++;
    uint64_t whole = ns / units[unit].ns, rest = ns % units[unit].ns;
    unsigned digits = unit == 3 || whole >= 100 ? 0 : whole >= 10 ? 1 : 2;
    uint64_t step = units[unit].ns / (digits == 2 ? 100 : digits == 1 ? 10 : 1);
    rest = (rest + step / 2) / (step == 0 ? 1 : step);
    if (digits == 0 || rest >= (digits == 2 ? 100u : 10u)) {
        whole += rest > 0;
        rest = 0;
    }
    picture_format_count(whole, text);
    char *end = text + strlen(text);
    if (digits > 0)
        end += sprintf(end, ".%0*u", (int)digits, (unsigned)rest % 100);
    sprintf(end, " %s", units[unit].name);
}

void picture_format_value(const struct picture_tree *tree, uint64_t value, char text[PICTURE_FIGURE_SIZE])
{
    if (tree->timed) {
        format_time(value, text);
        return;
    }
    picture_format_count(value, text);
    strcat(text, value == 1 ? " sample" : " samples");
}

void page_put_number(FILE *out, double number, unsigned decimals)
{
    static const unsigned long long powers[] = {1, 10, 100, 1000, 10000};
    unsigned long long power = powers[decimals];
    unsigned long long scaled = (unsigned long long)(fabs(number) * (double)power + 0.5);

    fprintf(out, "%s%llu", number < 0 && scaled > 0 ? "-" : "", scaled / power);
    unsigned long long rest = scaled % power;
    for (; rest != 0 && rest % 10 == 0; rest /= 10)
        decimals--;
    if (rest != 0)
        fprintf(out, ".%0*llu", (int)decimals, rest);
}

static void put_percent(FILE *out, uint64_t part, uint64_t all)
{
    page_put_number(out, all == 0 ? 0 : 100.0 * (double)part / (double)all, 2);
    fputs(" %", out);
}

static void put_weight(FILE *out, const struct picture_tree *tree, const char *what,
                       struct picture_weight weight, uint64_t all)
{
    char text[PICTURE_FIGURE_SIZE];

    fprintf(out, "%s ", what);
    put_percent(out, weight.value, all);
    picture_format_value(tree, weight.value, text);
    fprintf(out, ", %s", text);
    if (!tree->timed)
        return;
    picture_format_count(weight.samples, text);
    fprintf(out, ", %s sample%s", text, weight.samples == 1 ? "" : "s");
}

/* Writes a change of a share with its sign. */
static void put_points(FILE *out, double change)
{
    fputs(change > 0 ? "+" : "", out);
    page_put_number(out, 100 * change, 2);
}

static void put_change(FILE *out, const char *what, const struct pprofil_change *change)
{
    fputs(what, out);
    put_points(out, change->change);
    fputs(change->significant ? " points, significant" : " points, may be chance", out);
}

/* Writes what pprofil diff says about a function, if it says that the function has changed. */
static void put_function(FILE *out, const struct picture_tree *tree, const struct pprofil_diff_row *function)
{
    if (function == NULL || !diff_row_is_significant(function))
        return;
    put_change(out, "\nfunction: self ", &function->self);
    put_change(out, "; total ", diff_row_total(&tree->tests, function));
}

void page_put_figures(FILE *out, const struct picture_tree *tree, uint32_t index)
{
    static const char *const verdicts[] = {[DIFF_CHANCE] = "may be chance",
                                           [DIFF_PART] = "part of a significant change",
                                           [DIFF_SIGNIFICANT] = "significant"};
    const struct picture_frame *frame = &tree->frames[index], *root = &tree->frames[0];

    put_weight(out, tree, "total", frame->total, root->total.value);
    fputs("\n", out);
    put_weight(out, tree, "self", frame->self, root->total.value);
    if (!tree->compares)
        return;
    fputs("\n", out);
    put_weight(out, tree, "before", frame->old_total, root->old_total.value);
    fputs("\nchange ", out);
    put_points(out, picture_change(tree, index));
    fprintf(out, " points, %s", verdicts[frame->verdict]);
    put_function(out, tree, tree->names[frame->name].function);
}

/* --- headings ------------------------------------------------------------------------------ */

int picture_title(const struct profile *profile, const char *what, char **title)
{
    char *command = picture_clean(profile->command != NULL ? profile->command : "");
    int length = -1;

    if (command != NULL)
        length = asprintf(title, "%s%s%s", command, command[0] != '\0' ? " \xe2\x80\x94 " : "", what);
    free(command);
    return length < 0 ? -ENOMEM : 0;
}

static void put_start_time(const struct profile *profile, FILE *out)
{
    time_t seconds = (time_t)(profile->totals.start_time / 1000000000);
    struct tm day;
    char text[PICTURE_FIGURE_SIZE];

    if (profile->totals.start_time != 0 && gmtime_r(&seconds, &day) != NULL &&
        strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &day) > 0)
        fprintf(out, " \xc2\xb7 %s", text);
}

static void put_left_out(const struct picture_tree *tree, FILE *out)
{
    char text[PICTURE_FIGURE_SIZE], value[PICTURE_FIGURE_SIZE];

    if (tree->dropped > 0) {
        picture_format_count(tree->dropped, text);
        picture_format_value(tree, tree->cut, value);
        fprintf(out, " \xc2\xb7 not shown: %s frame%s of %s or less", text, tree->dropped == 1 ? "" : "s", value);
    }
    if (tree->deeper > 0) {
        picture_format_count(tree->deeper, text);
        fprintf(out, "%s%s frames deeper than %u calls",
                tree->dropped > 0 ? ", " : " \xc2\xb7 not shown: ", text, tree->depth);
    }
}

/* Writes how large a share of the baseline was in frames that the profile does not have. These frames are not drawn. */
static void put_gone(const struct picture_tree *tree, FILE *out)
{
    double share = (double)tree->gone / (double)tree->frames[0].old_total.value;
    unsigned tenths = tree->gone == 0 ? 0 : (unsigned)(1000 * share + 0.5);

    if (tenths > 0)
        fprintf(out, " \xc2\xb7 gone: %u.%u %% of it", tenths / 10, tenths % 10);
}

int picture_subtitle(const struct profile *profile, const struct picture_tree *tree, char **subtitle)
{
    char value[PICTURE_FIGURE_SIZE], count[PICTURE_FIGURE_SIZE];
    const struct picture_frame *root = &tree->frames[0];
    size_t size;
    FILE *out = open_memstream(subtitle, &size);

    if (out == NULL)
        return -ENOMEM;
    picture_format_value(tree, root->total.value, value);
    picture_format_count(root->total.samples, count);
    fputs(value, out);
    if (tree->timed)
        fprintf(out, " of %s \xc2\xb7 %s samples", tree->wall ? "elapsed time" : "CPU time", count);
    if (tree->compares) {
        picture_format_value(tree, root->old_total.value, value);
        fprintf(out, " \xc2\xb7 compared with %s", value);
        put_gone(tree, out);
        fprintf(out, " \xc2\xb7 %u of %u function%s changed significantly", tree->tests.significant,
                tree->tests.row_count, tree->tests.row_count == 1 ? "" : "s");
    }
    put_start_time(profile, out);
    put_left_out(tree, out);
    return fclose(out) == 0 ? 0 : -ENOMEM;
}
