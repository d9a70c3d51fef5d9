/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The search goes through the list on the screen, line by line, and at its end goes on at the
 * other. */
#include "config.h"

#include <string.h>

#include "model-internal.h"

static bool model_search_matches(const struct model *model, uint32_t index)
{
    const char *texts[LIST_TEXTS];

    list_texts(model, index, texts);
    for (unsigned i = 0; i < LIST_TEXTS; i++)
        if (strcasestr(texts[i], model->search) != NULL)
            return true;
    return false;
}

/* So many lines on from the selection, around the end of the list. */
static uint32_t line_after(const struct model *model, uint32_t steps, bool backwards)
{
    uint32_t count = model_list_count(model);
    uint64_t on = backwards ? (uint64_t)count - steps : steps;

    return (uint32_t)((model->selected + on) % count);
}

bool search_next(struct model *model, bool backwards, bool here_too)
{
    uint32_t count = model_list_count(model);

    if (model->search[0] == '\0') {
        model_answer(model, "nothing to search for yet: / asks what");
        return false;
    }
    for (uint32_t steps = here_too ? 0 : 1; steps < count + (here_too ? 0 : 1); steps++) {
        uint32_t index = line_after(model, steps, backwards);
        if (!model_search_matches(model, index))
            continue;
        bool around = backwards ? index > model->selected : index < model->selected;
        if (around)
            model_answer(model, "search went on at the %s", backwards ? "end" : "top");
        list_select(model, index);
        return true;
    }
    model_answer(model, "\"%.80s\" is nowhere in this list", model->search);
    return false;
}
