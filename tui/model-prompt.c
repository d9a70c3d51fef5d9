/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The prompt, in which the user types a text to search for, a file name, or the picker's filter.
 * This file also has the search. */
#include "config.h"

#include <string.h>

#include "model-internal.h"

#define CTRL_U ('U' & 0x1f)
#define CTRL_Z ('Z' & 0x1f)

enum effect prompt_open(struct model *model, enum model_prompt prompt)
{
    model->prompt = prompt;
    model->text[0] = '\0';
    return EFFECT_PAINT;
}

static enum effect prompt_leave(struct model *model)
{
    return prompt_open(model, PROMPT_NONE);
}

/* Returns true if the typed text is a reasonable file name. "-" is not, because other programs take it for standard
 * output. A name of blanks is not, because such a file is hard to find and to remove. */
static bool prompt_is_file_name(struct model *model)
{
    const char *text = model->text;
    bool blank = text[strspn(text, " ")] == '\0', dash = strcmp(text, "-") == 0;

    if (dash)
        model_answer(model, "not saved: the screen is on standard output; give a file's name");
    else if (blank && text[0] != '\0')
        model_answer(model, "not saved: a name of blanks");
    return !dash && !blank;
}

static enum effect prompt_accept(struct model *model)
{
    enum model_prompt prompt = model->prompt;

    model->prompt = PROMPT_NONE;
    if (prompt == PROMPT_SAVE) /* the name remains in model->text, because top_save needs it */
        return prompt_is_file_name(model) ? EFFECT_SAVE : EFFECT_PAINT;
    if (prompt != PROMPT_SEARCH)
        return EFFECT_PAINT;
    if (model->text[0] != '\0')
        memcpy(model->search, model->text, sizeof model->search);
    search_next(model, false, true);
    return prompt_leave(model);
}

/* Deletes the last character. If the line is empty, leaves the prompt. */
static enum effect prompt_delete(struct model *model)
{
    size_t length = strlen(model->text);

    if (length == 0)
        return prompt_leave(model);
    do
        length--;
    while (length > 0 && ((unsigned char)model->text[length] & 0xc0) == 0x80);
    model->text[length] = '\0';
    return EFFECT_PAINT;
}

static enum effect prompt_type(struct model *model, uint32_t key)
{
    char character[5];
    size_t length = strlen(model->text);

    if (!key_text(key, character) || length + strlen(character) >= sizeof model->text)
        return EFFECT_NONE;
    strcpy(model->text + length, character);
    return EFFECT_PAINT;
}

enum effect prompt_key(struct model *model, uint32_t key)
{
    switch (key) {
    case TUI_KEY_ENTER:
        return prompt_accept(model);
    case TUI_KEY_ESCAPE:
    case TUI_KEY_CTRL_C:
        return prompt_leave(model);
    case TUI_KEY_BACKSPACE:
        return prompt_delete(model);
    case CTRL_U:
        model->text[0] = '\0';
        return EFFECT_PAINT;
    case TUI_KEY_CTRL_L:
        return EFFECT_REDRAW;
    case CTRL_Z:
        return EFFECT_SUSPEND;
    case TUI_KEY_F10:
        return EFFECT_QUIT;
    default:
        return prompt_type(model, key);
    }
}

/* --- the search: goes through the list line by line, and wraps around -------------------- */

static bool search_matches(const struct model *model, uint32_t index)
{
    const char *texts[LIST_TEXTS];

    list_texts(model, index, texts);
    for (unsigned i = 0; i < LIST_TEXTS; i++)
        if (strcasestr(texts[i], model->search) != NULL)
            return true;
    return false;
}

/* Returns the index of the line that is `steps` lines after the selected line, or before it if
 * `backwards` is true. The first line follows the last line. */
static uint32_t search_line(const struct model *model, uint32_t steps, bool backwards)
{
    uint32_t count = model_list_count(model);
    uint64_t on = backwards ? (uint64_t)count - steps : steps;

    return (uint32_t)((model->selected + on) % count);
}

bool search_next(struct model *model, bool backwards, bool here_too)
{
    uint32_t count = model_list_count(model);

    if (model->search[0] == '\0') {
        model_answer(model, "nothing to search for yet: / asks for a text");
        return false;
    }
    for (uint32_t steps = here_too ? 0 : 1; steps < count + (here_too ? 0 : 1); steps++) {
        uint32_t index = search_line(model, steps, backwards);
        if (!search_matches(model, index))
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
