/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes what the heat maps, which are SVG pages, have in common. */
#include "config.h"

#include <math.h>

#include "format/picture/picture.h"

#define LABEL_DISTANCE 80.0 /* between the labels of a time axis, at least */

void page_put_svg_head(FILE *out, unsigned width, unsigned height)
{
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
            "viewBox=\"0 0 %u %u\" xml:lang=\"en\">\n<style>\n%s</style>\n",
            width, height, width, height, picture_flame_svg_css);
    fprintf(out, "<rect class=\"paper\" width=\"%u\" height=\"%u\"/>\n", width, height);
}

void page_put_svg_title(FILE *out, const char *title)
{
    fputs("<title>", out);
    picture_escape(out, title);
    fputs("</title>\n<text id=\"title\" class=\"plain\" x=\"10\" y=\"28\">", out);
    picture_escape_clipped(out, title, 110);
    fputs("</text>\n", out);
}

void page_put_rect(FILE *out, double x, double y, double width, double height)
{
    fputs("<rect x=\"", out);
    page_put_number(out, x, 2);
    fputs("\" y=\"", out);
    page_put_number(out, y, 2);
    fputs("\" width=\"", out);
    page_put_number(out, width, 2);
    fputs("\" height=\"", out);
    page_put_number(out, height, 2);
    fputs("\"", out);
}

/* Returns the smallest number that is not less than `wanted` and is 1, 2 or 5 times a power of ten. */
static double page_axis_step(double wanted)
{
    double power = pow(10, floor(log10(wanted)));

    if (wanted <= power)
        return power;
    return wanted <= 2 * power ? 2 * power : wanted <= 5 * power ? 5 * power : 10 * power;
}

void page_put_time_axis(FILE *out, double left, double y, double width, double seconds)
{
    double step = page_axis_step(LABEL_DISTANCE / width * seconds);

    for (double time = 0; time <= seconds * 1.0001; time += step) {
        fputs("<text class=\"plain\" text-anchor=\"middle\" x=\"", out);
        page_put_number(out, left + time / seconds * width, 1);
        fputs("\" y=\"", out);
        page_put_number(out, y, 1);
        fputs("\">", out);
        page_put_number(out, time, 2);
        fputs(" s</text>\n", out);
    }
}

void page_put_svg_end(FILE *out, unsigned x, unsigned y)
{
    fprintf(out, "<text id=\"details\" class=\"plain\" aria-live=\"polite\" x=\"%u\" y=\"%u\"></text>\n", x, y);
    fprintf(out, "<script><![CDATA[\n%s]]></script>\n</svg>\n", picture_heat_svg_js);
}
