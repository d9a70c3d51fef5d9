/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "format/bytes.h"
#include "picture/page.h"

int page_open(struct page *page)
{
    page->text = NULL;
    page->out = open_memstream(&page->text, &page->size);
    return page->out == NULL ? -ENOMEM : 0;
}

static int write_all(int fd, const char *text, size_t size)
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
        error = write_all(fd, page->text, page->size);
    free(page->text);
    return error;
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
    char words[PICTURE_WORDS];

    fprintf(out, "%s ", what);
    put_percent(out, weight.value, all);
    picture_say_value(tree, weight.value, words);
    fprintf(out, ", %s", words);
    if (!tree->timed)
        return;
    picture_say_count(weight.samples, words);
    fprintf(out, ", %s sample%s", words, weight.samples == 1 ? "" : "s");
}

void page_put_figures(FILE *out, const struct picture_tree *tree, uint32_t index)
{
    const struct picture_frame *frame = &tree->frames[index], *root = &tree->frames[0];

    put_weight(out, tree, "total", frame->total, root->total.value);
    fputs("\n", out);
    put_weight(out, tree, "self", frame->self, root->total.value);
    if (!tree->compares)
        return;
    fputs("\n", out);
    put_weight(out, tree, "before", frame->old_total, root->old_total.value);
    double points = 100 * picture_change(tree, index);
    fprintf(out, "\nchange %s", points > 0 ? "+" : "");
    page_put_number(out, points, 2);
    fprintf(out, " points%s",
            picture_is_significant(tree, index) ? "" : ", no more than chance explains");
}
