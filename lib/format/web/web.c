/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes a profile as an HTML page for a browser: see web.h. The page shares the flame graph with flame-html. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "format/format.h"
#include "format/web/web.h"
#include "report/report.h"

/* --- the profile ----------------------------------------------------------------------------- */

static int web_number_samples(struct web_profile *web)
{
    const struct profile *profile = web->profile;
    uint32_t count = 0;

    web->sample_numbers = calloc(profile->sample_count + 1u, sizeof *web->sample_numbers);
    if (web->sample_numbers == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < profile->sample_count; i++)
        web->sample_numbers[i] = profile_counts_sample(profile, &profile->samples[i]) ? count++ : WEB_LEFT_OUT;
    return 0;
}

static int web_number_files(struct web_profile *web)
{
    const struct picture_store *store = &web->store;

    web->file_numbers = calloc(web->profile->string_count + 1u, sizeof *web->file_numbers);
    web->files = calloc(store->place_count, sizeof *web->files);
    if (web->file_numbers == NULL || web->files == NULL)
        return -ENOMEM;
    for (uint32_t i = 1; i < store->place_count; i++) {
        uint32_t *number = &web->file_numbers[store->places[i].file];
        if (*number != 0)
            continue;
        web->files[web->file_count] = store->places[i].file;
        *number = ++web->file_count;
    }
    return 0;
}

static int web_open(const struct profile *profile, const struct format_options *options, struct web_profile *web)
{
    *web = (struct web_profile){
        .profile = profile, .timed = picture_is_timed(profile), .with_source = !options->no_source};
    web->merge = (struct stack_merge){
        .from = profile, .to = &web->store, .several = stack_merge_has_several(profile), .places = true};
    int error = picture_store_open(&web->store);
    if (error == 0)
        error = stack_merge_profile(&web->merge);
    if (error == 0)
        error = web_number_samples(web);
    if (error == 0)
        error = web_number_files(web);
    return error;
}

static void web_close(struct web_profile *web)
{
    stack_merge_clear(&web->merge);
    picture_store_clear(&web->store);
    free(web->sample_numbers);
    free(web->file_numbers);
    free(web->files);
}

/* --- the page -------------------------------------------------------------------------------- */

static uint64_t web_kinds(const struct web_profile *web)
{
    uint64_t kinds = 0;

    for (uint32_t i = 0; i < web->store.name_count; i++)
        kinds |= UINT64_C(1) << web->store.names[i].kind;
    return kinds;
}

static int put_data(FILE *out, const struct web_profile *web, const char *title)
{
    const struct profile_totals *totals = &web->profile->totals;

    fprintf(out, "<script type=\"application/json\" id=\"data\">\n{\"timed\":%s,\"wall\":%s,\"stacks\":%s",
            web->timed ? "true" : "false", totals->wall ? "true" : "false",
            report_has_stacks(web->profile) ? "true" : "false");
    /* as the time of a JavaScript Date: ms since 1970 */
    fprintf(out, ",\n\"start\":%llu,\n\"title\":", (unsigned long long)totals->start_time / 1000000);
    int error = picture_json(out, title);
    page_put_kinds(out, web_kinds(web));
    if (error == 0)
        error = web_put_tables(out, web);
    if (error == 0)
        error = web_put_source(out, web);
    fputs("}\n</script>\n", out);
    return error;
}

static int put_page(FILE *out, const struct web_profile *web)
{
    const char *const scripts[] = {
        picture_flame_js,  picture_figures_js, picture_frame_trees_js, picture_flame_canvas_js, web_profile_js,
        web_stacks_js,     web_model_js,       web_state_js,           web_flame_view_js,       web_table_view_js,
        web_calls_view_js, web_source_view_js, web_time_columns_js,    web_time_view_js,        web_page_js};
    char *title = NULL;
    int error = picture_title(web->profile, "profile", &title);

    if (error != 0)
        return error;
    page_put_head(out, title, web_page_css);
    fputs(web_page_html, out);
    error = put_data(out, web, title);
    fputs("<script>\n", out);
    for (unsigned i = 0; i < sizeof scripts / sizeof *scripts; i++)
        fputs(scripts[i], out);
    fputs("</script>\n</body>\n</html>\n", out);
    free(title);
    return error;
}

static int write_web(int fd, const struct profile *profile, const struct format_options *options)
{
    struct web_profile web;
    struct page page;
    int error = page_open(&page);

    if (error != 0)
        return error;
    error = web_open(profile, options, &web);
    if (error == 0)
        error = put_page(page.out, &web);
    web_close(&web);
    return page_close(&page, fd, error);
}

const struct format format_web = {
    .name = "web",
    .extensions = ".web.html",
    .summary = "page for a browser: flame graph, functions, calls, source, time line",
    .keeps = "stacks of functions and lines, inlined functions as frames, marks, system calls, states, threads, "
             "when samples were taken; the text of the source",
    .loses = "addresses, build-ids, totals",
    .write_with = write_web,
};
