/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes flame graphs and icicle graphs as SVG. The picture is complete without a script; a browser that runs its
 * script makes it interactive. No font, style or script is fetched. Without a script the picture is 1200 units wide.
 * Frames narrower than a tenth of a unit are not drawn.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/format.h"
#include "format/picture/picture.h"

#define WIDTH 1200u
#define EDGE 10u
#define TOP 66u  /* height of the heading */
#define FOOT 54u /* height of the part below the frames, which has the legend and the details */
#define ROW 18u
#define TITLE 86u   /* columns that the title may take; the buttons are to the right of them */
#define LETTER 7.23 /* width of a letter in a fixed-width font of 12 units */
#define NARROWEST 0.1
#define ROWS 40u /* number of rows of frames that are always drawn */
/* a deeper row is drawn only if its frames together have more than this share of the whole */
#define DEEP 0.02
#define ROUNDED 4.0       /* a frame that is at least this number of units wide has round corners */
#define FRAMES_MAX 20000u /* limit for the number of frames; browsers draw this number without a delay */

/* What is needed while a flame graph is drawn. */
struct drawing {
    FILE *out;
    const struct profile *profile;
    const struct picture_tree *tree;
    bool down;        /* the root is on top, as in an icicle graph */
    double largest;   /* result of picture_largest_change */
    uint64_t *starts; /* an element for each frame: its left edge, in the unit of the values (ns or samples) */
};

static unsigned height_of(const struct picture_tree *tree)
{
    return TOP + (tree->depth + 1) * ROW + FOOT;
}

static double scale_of(const struct picture_tree *tree)
{
    uint64_t all = tree->frames[0].total.value;
    return all == 0 ? 0 : (WIDTH - 2 * EDGE) / (double)all;
}

/* Returns an array with the left edge of each frame, which the caller frees, or NULL if there is no memory. The frames
 * that one frame called are side by side, and the first of them has the same left edge as their caller. */
static uint64_t *find_starts(const struct picture_tree *tree)
{
    uint64_t *starts = calloc(2 * (size_t)tree->frame_count, sizeof *starts);
    /* an element for each frame: left edge of the next frame that it called */
    uint64_t *ends = starts + tree->frame_count;

    for (uint32_t i = 0; starts != NULL && i < tree->frame_count; i++) {
        uint32_t parent = tree->frames[i].parent;
        starts[i] = ends[parent];
        ends[parent] += tree->frames[i].total.value;
        ends[i] = starts[i];
    }
    return starts;
}

/* --- the parts ----------------------------------------------------------------------------- */

static int draw_title(struct drawing *drawing)
{
    const char *what = drawing->down ? "icicle graph" : "flame graph";
    char *title = NULL, *subtitle = NULL;
    int error = picture_title(drawing->profile, drawing->tree->compares ? "difference" : what, &title);

    if (error == 0)
        error = picture_subtitle(drawing->profile, drawing->tree, &subtitle);
    if (error == 0) {
        fputs("<title>", drawing->out);
        picture_escape(drawing->out, title);
        fputs("</title>\n<text id=\"title\" class=\"plain\" x=\"10\" y=\"28\">", drawing->out);
        picture_escape_clipped(drawing->out, title, TITLE);
        fputs("</text>\n<text class=\"plain\" x=\"10\" y=\"48\">", drawing->out);
        picture_escape(drawing->out, subtitle);
        fputs("</text>\n", drawing->out);
    }
    free(title);
    free(subtitle);
    return error;
}

static void draw_swatch(struct drawing *drawing, double *x, struct picture_colour colour,
                        const char *text, unsigned letters)
{
    unsigned y = height_of(drawing->tree) - FOOT + 10;

    fprintf(drawing->out, "<rect x=\"%u\" y=\"%u\" width=\"12\" height=\"12\" rx=\"2\" ", (unsigned)*x, y);
    fprintf(drawing->out, "fill=\"#%02x%02x%02x\"/>", colour.red, colour.green, colour.blue);
    fprintf(drawing->out, "<text class=\"plain\" x=\"%u\" y=\"%u\">%s</text>\n", (unsigned)*x + 17, y + 10, text);
    *x += 36 + letters * 6.6;
}

static void draw_legend(struct drawing *drawing)
{
    double x = EDGE;

    fputs("<g id=\"legend\">\n", drawing->out);
    for (unsigned kind = PICTURE_PROCESS; !drawing->tree->compares && kind < PICTURE_KINDS; kind++)
        if (drawing->tree->kinds >> kind & 1)
            draw_swatch(drawing, &x, picture_colour_of_kind(kind), picture_kind_name(kind),
                        (unsigned)strlen(picture_kind_name(kind)));
    if (drawing->tree->compares) {
        draw_swatch(drawing, &x, picture_colour_of_direction(1), "more than before", 16);
        draw_swatch(drawing, &x, picture_colour_of_direction(-1), "less than before", 16);
        draw_swatch(drawing, &x, picture_colour_of_direction(0), "may be chance", 13);
    }
    fputs("</g>\n", drawing->out);
}

static void draw_button(struct drawing *drawing, const char *id, unsigned x, unsigned width, const char *text)
{
    fprintf(drawing->out,
            "<g id=\"%s\" class=\"button\" role=\"button\" tabindex=\"0\" "
            "transform=\"translate(%u 14)\" style=\"display:none\">"
            "<rect width=\"%u\" height=\"28\" rx=\"6\"/>"
            "<text class=\"plain\" x=\"%u\" y=\"18\">%s</text></g>\n",
            id, x, width, width / 2, text);
}

/* Draws the heading. The script keeps the heading and the legend visible when the picture is taller than its window. So
 * both have a background, and are drawn over the frames. */
static int draw_head(struct drawing *drawing)
{
    fprintf(drawing->out, "<g id=\"head\"><rect class=\"paper\" width=\"%u\" height=\"%u\"/>\n", WIDTH, TOP - 4);
    int error = draw_title(drawing);
    draw_button(drawing, "reset", WIDTH - EDGE - 256, 106, "Reset  Esc");
    draw_button(drawing, "search", WIDTH - EDGE - 140, 140, "Search  /");
    fputs("</g>\n", drawing->out);
    return error;
}

static const char help[] = "Click or Enter: zoom \xc2\xb7 arrows: move \xc2\xb7 Backspace: out "
                           "\xc2\xb7 / or Ctrl-F: search "
                           "\xc2\xb7 n, N: next, previous \xc2\xb7 Esc: reset";

static void draw_foot(struct drawing *drawing)
{
    unsigned height = height_of(drawing->tree);

    fprintf(drawing->out, "<g id=\"foot\"><rect class=\"paper\" y=\"%u\" width=\"%u\" height=\"%u\"/>\n",
            height - FOOT + 2, WIDTH, FOOT - 2);
    draw_legend(drawing);
    fprintf(drawing->out,
            "<text id=\"details\" class=\"plain\" aria-live=\"polite\" x=\"%u\" y=\"%u\" "
            "style=\"display:none\" data-help=\"%s\"></text>\n</g>\n",
            EDGE, height - 12, help);
}

/* --- frames -------------------------------------------------------------------------------- */

static void draw_tip(struct drawing *drawing, uint32_t index)
{
    const struct picture_tree *tree = drawing->tree;
    const struct picture_name *name = &tree->names[tree->frames[index].name];
    FILE *out = drawing->out;

    fputs("<title>", out);
    picture_escape(out, name->text);
    fputs("\n", out);
    if (name->object[0] != '\0') {
        picture_escape(out, name->object);
        fputs(" \xc2\xb7 ", out);
    }
    fprintf(out, "%s\n", picture_kind_name(name->kind));
    page_put_figures(out, tree, index);
    fputs("</title>", out);
}

/* Sets *x to the left edge of a frame and *width to its width. Both are in units of the picture. */
static void place_frame(const struct drawing *drawing, uint32_t index, double *x, double *width)
{
    *x = EDGE + (double)drawing->starts[index] * scale_of(drawing->tree);
    *width = (double)drawing->tree->frames[index].total.value * scale_of(drawing->tree);
}

static unsigned top_of(const struct drawing *drawing, uint32_t index)
{
    uint32_t depth = drawing->tree->frames[index].depth;
    return TOP + ROW * (drawing->down ? depth : drawing->tree->depth - depth);
}

static void draw_frame(struct drawing *drawing, uint32_t index)
{
    const struct picture_tree *tree = drawing->tree;
    struct picture_colour colour = tree->compares ? picture_colour_of_change(tree, index, drawing->largest)
                                                  : picture_colour_of(&tree->names[tree->frames[index].name]);
    FILE *out = drawing->out;
    double x, width;

    place_frame(drawing, index, &x, &width);
    fputs("<rect x=\"", out);
    page_put_number(out, x, 4);
    fprintf(out, "\" y=\"%u\" width=\"", top_of(drawing, index));
    page_put_number(out, width, 4);
    fprintf(out, "\" height=\"%u\"%s fill=\"#%02x%02x%02x\">", ROW - 1,
            width >= ROUNDED ? " rx=\"2\"" : "", colour.red, colour.green, colour.blue);
    draw_tip(drawing, index);
    fputs("</rect>\n", out);
}

static void draw_label(struct drawing *drawing, uint32_t index)
{
    FILE *out = drawing->out;
    double x, width;

    place_frame(drawing, index, &x, &width);
    if (width < 3 * LETTER + 6)
        return;
    fprintf(out, "<text data-frame=\"%u\" x=\"", index);
    page_put_number(out, x + 4, 2);
    fprintf(out, "\" y=\"%u\">", top_of(drawing, index) + 13);
    picture_escape_clipped(out, drawing->tree->names[drawing->tree->frames[index].name].text,
                           (unsigned)((width - 6) / LETTER));
    fputs("</text>\n", out);
}

/* Draws the frames, and then their labels in a layer of their own. To group each frame with its label would take one
 * more element for each frame. But most frames are too narrow for a label, and a browser needs time for every
 * element. */
static void draw_frames(struct drawing *drawing)
{
    fprintf(drawing->out, "<g id=\"frames\" data-down=\"%d\">\n", drawing->down);
    for (uint32_t i = 0; i < drawing->tree->frame_count; i++)
        draw_frame(drawing, i);
    fputs("</g>\n<g id=\"labels\">\n", drawing->out);
    for (uint32_t i = 0; i < drawing->tree->frame_count; i++)
        draw_label(drawing, i);
    fputs("</g>\n", drawing->out);
}

/* --- the whole ----------------------------------------------------------------------------- */

static int draw_flame_svg(struct drawing *drawing)
{
    const struct picture_tree *tree = drawing->tree;
    unsigned height = height_of(tree);
    FILE *out = drawing->out;

    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
            "viewBox=\"0 0 %u %u\" xml:lang=\"en\">\n",
            WIDTH, height, WIDTH, height);
    fprintf(out, "<style>\n%s</style>\n", picture_flame_svg_css);
    fprintf(out, "<rect class=\"paper\" width=\"%u\" height=\"%u\"/>\n", WIDTH, height);
    draw_frames(drawing);
    int error = draw_head(drawing);
    if (error != 0)
        return error;
    draw_foot(drawing);
    fprintf(out, "<script><![CDATA[\n%s%s]]></script>\n</svg>\n", picture_flame_js, picture_flame_svg_js);
    return 0;
}

static int write_graph(int fd, const struct profile *profile, const struct profile *baseline, bool down)
{
    struct picture_tree tree;
    struct page page;
    const struct picture_limits limits = {
        .most = FRAMES_MAX, .share = NARROWEST / (WIDTH - 2 * EDGE), .rows = ROWS, .deep = DEEP};
    int error = picture_tree_make(profile, baseline, &limits, &tree);

    if (error != 0)
        return error;
    error = page_open(&page);
    if (error == 0) {
        struct drawing drawing = {.out = page.out,
                                  .profile = profile,
                                  .tree = &tree,
                                  .down = down,
                                  .largest = picture_largest_change(&tree),
                                  .starts = find_starts(&tree)};
        error = page_close(&page, fd, drawing.starts == NULL ? -ENOMEM : draw_flame_svg(&drawing));
        free(drawing.starts);
    }
    picture_tree_clear(&tree);
    return error;
}

static int write_flame(int fd, const struct profile *profile)
{
    return write_graph(fd, profile, NULL, false);
}

static int compare_flame(int fd, const struct profile *baseline, const struct profile *profile)
{
    return write_graph(fd, profile, baseline, false);
}

static int write_icicle(int fd, const struct profile *profile)
{
    return write_graph(fd, profile, NULL, true);
}

static int compare_icicle(int fd, const struct profile *baseline, const struct profile *profile)
{
    return write_graph(fd, profile, baseline, true);
}

const struct format format_flame_svg = {
    .name = "flame-svg",
    .extensions = ".svg",
    .summary = "flame graph, an interactive picture",
    .keeps = "the shares of stacks of functions, inlined functions as frames, marks, "
             "system calls; the 20000 widest frames",
    .loses = "addresses, lines, threads, totals",
    .write = write_flame,
    .compare = compare_flame,
};

const struct format format_icicle_svg = {
    .name = "icicle-svg",
    .extensions = "icicle.svg",
    .summary = "the same, callers on top",
    .keeps = "the shares of stacks of functions, inlined functions as frames, marks, "
             "system calls; the 20000 widest frames",
    .loses = "addresses, lines, threads, totals",
    .write = write_icicle,
    .compare = compare_icicle,
};
