/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Helpers of test-report-style-*.c: print a report in the style of another program, and compare the output. */
#ifndef PPROFIL_TEST_REPORT_STYLE_FIXTURE_H
#define PPROFIL_TEST_REPORT_STYLE_FIXTURE_H

#include <criterion/criterion.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dialect/dialect.h"
#include "report/style.h"

#define UNUSED __attribute__((unused)) /* not every file uses all functions of this header */

#define COUNT(array) (sizeof(array) / sizeof *(array))

static char *report, *complaint; /* output and error messages of the last report */

UNUSED static void forget(void)
{
    free(report);
    free(complaint);
}

UNUSED static int run(style_function *style, const struct histogram_file *file,
               const struct symbol_table *symbols, struct pprofil_style_options options)
{
    size_t size;

    free(report);
    free(complaint);
    FILE *out = open_memstream(&report, &size), *errors = open_memstream(&complaint, &size);
    int error = style(file, symbols, &options, out, errors);

    fclose(out);
    fclose(errors);
    return error;
}

#define PLAIN ((struct pprofil_style_options){0})

UNUSED static void expect(style_function *style, const struct histogram_file *file, const struct symbol_table *symbols,
                          struct pprofil_style_options options, const char *text, const char *errors)
{
    int error = run(style, file, symbols, options);

    cr_assert_str_eq(report, text);
    cr_assert_str_eq(complaint, errors);
    cr_assert(error == 0 || error == PPROFIL_ERROR_EXPLAINED);
}

UNUSED static struct symbol_table table_of(struct symbol *symbols, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        symbols[i].order = (uint32_t)i;
        if (symbols[i].type == STT_NOTYPE && symbols[i].size > 0)
            symbols[i].type = STT_FUNC;
        if (symbols[i].binding == 0)
            symbols[i].binding = STB_GLOBAL;
    }
    return (struct symbol_table){.symbols = symbols, .count = count};
}

#endif
