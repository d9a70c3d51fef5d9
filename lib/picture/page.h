/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files that draw share: a page while it is written, and figures on it. */
#ifndef PPROFIL_PICTURE_PAGE_H
#define PPROFIL_PICTURE_PAGE_H

#include "picture/picture.h"

/* A page is made in memory, and written when all of it is there. */
struct page {
    FILE *out;
    char *text;
    size_t size;
};

/* 0 or -ENOMEM. */
int page_open(struct page *page);
/* Writes it, unless error is not 0, and frees it. 0 or the first error. */
int page_close(struct page *page, int fd, int error);

/* A number with so many decimals at most, and a point whatever the locale. */
void page_put_number(FILE *out, double number, unsigned decimals);

/* Lines that say a frame's time, share, samples and self; and what it was before. */
void page_put_figures(FILE *out, const struct picture_tree *tree, uint32_t frame);

#endif
