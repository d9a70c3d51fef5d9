/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes flame graphs as HTML pages: the tree as JSON, and a script that draws only the visible part of it. So the time
 * to draw depends on the number of visible frames, not on the number of all frames. The page fetches nothing, and its
 * content security policy forbids fetching.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "format/format.h"
#include "format/picture/picture.h"

#define FRAMES_MAX 250000u

/* Writes how a function has changed, as pprofil diff says: an array [self, total, verdicts]. self and total are changes
 * of shares, in points. verdicts is 1 if the first change is significant, plus 2 if the second is. If a name is not the
 * name of a function of the linker, the array is empty. */
static void put_function(FILE *out, const struct picture_tree *tree, const struct pprofil_diff_row *function)
{
    fputs(",[", out);
    if (function != NULL) {
        const struct pprofil_change *total = diff_row_total(&tree->tests, function);
        page_put_number(out, 100 * function->self.change, 4);
        fputs(",", out);
        page_put_number(out, 100 * total->change, 4);
        fprintf(out, ",%d", function->self.significant + 2 * total->significant);
    }
    fputs("]", out);
}

/* Writes the names. Each name is an array, which page_put_name begins; in a comparison, the array of put_function
 * follows. */
static int put_names(FILE *out, const struct picture_tree *tree)
{
    int error = 0;

    fputs(",\n\"names\":[", out);
    for (uint32_t i = 0; error == 0 && i < tree->name_count; i++) {
        const struct picture_name *name = &tree->names[i];
        fputs(i > 0 ? ",\n[" : "\n[", out);
        error = page_put_name(out, name);
        if (tree->compares)
            put_function(out, tree, name->function);
        fputs("]", out);
    }
    fputs("]", out);
    return error;
}

/* Writes the frames as one array of numbers. A frame is five numbers: depth, name, total, self, samples. In a
 * comparison, four more numbers follow: total, self and samples of the baseline, and the verdict on the change of
 * the total (enum diff_verdict). */
static void put_frames(FILE *out, const struct picture_tree *tree)
{
    fputs(",\n\"frames\":[", out);
    for (uint32_t i = 0; i < tree->frame_count; i++) {
        const struct picture_frame *frame = &tree->frames[i];
        fprintf(out, "%s%u,%u,%llu,%llu,%llu", i > 0 ? ",\n" : "\n", frame->depth, frame->name,
                (unsigned long long)frame->total.value, (unsigned long long)frame->self.value,
                (unsigned long long)frame->total.samples);
        if (tree->compares)
            fprintf(out, ",%llu,%llu,%llu,%d", (unsigned long long)frame->old_total.value,
                    (unsigned long long)frame->old_self.value, (unsigned long long)frame->old_total.samples,
                    (int)frame->verdict);
    }
    fputs("]", out);
}

static int put_data(FILE *out, const struct picture_tree *tree, const char *title, const char *subtitle)
{
    fprintf(out, "<script type=\"application/json\" id=\"data\">\n{\"timed\":%s,\"compares\":%s",
            tree->timed ? "true" : "false", tree->compares ? "true" : "false");
    fputs(",\n\"title\":", out);
    int error = picture_json(out, title);
    fputs(",\n\"subtitle\":", out);
    if (error == 0)
        error = picture_json(out, subtitle);
    page_put_kinds(out, tree->kinds);
    if (error == 0)
        error = put_names(out, tree);
    put_frames(out, tree);
    fputs("}\n</script>\n", out);
    return error;
}

static int put_page(FILE *out, const struct picture_tree *tree, const char *title, const char *subtitle)
{
    page_put_head(out, title, picture_flame_html_css);
    fputs(picture_flame_html_html, out);
    int error = put_data(out, tree, title, subtitle);
    fprintf(out, "<script>\n%s%s%s%s%s</script>\n</body>\n</html>\n", picture_flame_js, picture_figures_js,
            picture_frame_trees_js, picture_flame_canvas_js, picture_flame_html_js);
    return error;
}

static int write_tree(int fd, const struct profile *profile, const struct picture_tree *tree)
{
    char *title = NULL, *subtitle = NULL;
    struct page page;
    int error = page_open(&page);

    if (error != 0)
        return error;
    error = picture_title(profile, tree->compares ? "difference" : "flame graph", &title);
    if (error == 0)
        error = picture_subtitle(profile, tree, &subtitle);
    if (error == 0)
        error = put_page(page.out, tree, title, subtitle);
    free(title);
    free(subtitle);
    return page_close(&page, fd, error);
}

static int compare_html(int fd, const struct profile *baseline, const struct profile *profile)
{
    const struct picture_limits limits = {
        .most = FRAMES_MAX, .rows = UINT32_MAX, .keep_old = true};
    struct picture_tree tree;
    int error = picture_tree_make(profile, baseline, &limits, &tree);

    if (error != 0)
        return error;
    error = write_tree(fd, profile, &tree);
    picture_tree_clear(&tree);
    return error;
}

static int write_html(int fd, const struct profile *profile)
{
    return compare_html(fd, NULL, profile);
}

const struct format format_flame_html = {
    .name = "flame-html",
    .extensions = ".html",
    .summary = "flame graph, a page with callers, search and a table",
    .keeps = "the shares of stacks of functions, inlined functions as frames, marks, "
             "system calls; the 250000 widest frames",
    .loses = "addresses, lines, threads, totals",
    .write = write_html,
    .compare = compare_html,
};
