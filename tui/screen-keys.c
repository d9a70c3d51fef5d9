/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads keys and mouse events from curses, and converts them to the keys of keys.h. */
#include "config.h"

#include "base/clock.h"
#include "screen-curses.h"

#include <time.h>

#include "screen.h"

#define DOUBLE_NS 400000000 /* greatest time between the two clicks of a double click */
#define MOUSE_EVENTS 16     /* size of mice.events; the queue of curses is shorter */

static const struct {
    wint_t curses;
    uint32_t key;
} codes[] =
    {
        {KEY_UP, TUI_KEY_UP},
        {KEY_DOWN, TUI_KEY_DOWN},
        {KEY_LEFT, TUI_KEY_LEFT},
        {KEY_RIGHT, TUI_KEY_RIGHT},
        {KEY_PPAGE, TUI_KEY_PAGE_UP},
        {KEY_NPAGE, TUI_KEY_PAGE_DOWN},
        {KEY_HOME, TUI_KEY_HOME},
        {KEY_END, TUI_KEY_END},
        {KEY_FIND, TUI_KEY_HOME},
        {KEY_SELECT, TUI_KEY_END},
        {KEY_BACKSPACE, TUI_KEY_BACKSPACE},
        {KEY_DC, TUI_KEY_DELETE},
        {KEY_ENTER, TUI_KEY_ENTER},
        {KEY_BTAB, TUI_KEY_BACK_TAB},
        {KEY_RESIZE, TUI_KEY_RESIZE},
},
  characters[] = {
      {'\r', TUI_KEY_ENTER},     {'\n', TUI_KEY_ENTER}, {'\b', TUI_KEY_BACKSPACE},
      {0x7f, TUI_KEY_BACKSPACE}, {033, TUI_KEY_ESCAPE}, {'\t', TUI_KEY_TAB},
      {3, TUI_KEY_CTRL_C},       {12, TUI_KEY_CTRL_L},
};

/* Returns the key for a click. Two clicks on the same line within DOUBLE_NS are a double click. */
static uint32_t mouse_click(int row)
{
    static uint64_t last_ns;
    static int last_row = -1;
    uint64_t now = time_now();
    bool is_double = row == last_row && now - last_ns < DOUBLE_NS;

    last_ns = now;
    last_row = is_double ? -1 : row;
    return is_double ? TUI_KEY_DOUBLE_CLICK : TUI_KEY_CLICK;
}

/* Mouse events that screen_key has not returned yet, newest first. Curses gives one KEY_MOUSE for
 * several events that came together, and getmouse(3) returns the newest event first. */
static struct {
    MEVENT events[MOUSE_EVENTS];
    int count;
} mice;

static void mouse_take_events(void)
{
    while (mice.count < MOUSE_EVENTS && getmouse(&mice.events[mice.count]) == OK)
        mice.count++;
}

static void mouse_next_event(struct key_event *event)
{
    const MEVENT *mouse = &mice.events[--mice.count];

    event->row = mouse->y;
    event->column = mouse->x;
    if (mouse->bstate & BUTTON4_PRESSED)
        event->key = TUI_KEY_WHEEL_UP;
    else if (mouse->bstate & BUTTON5_PRESSED)
        event->key = TUI_KEY_WHEEL_DOWN;
    else if (mouse->bstate & BUTTON1_PRESSED)
        event->key = mouse_click(mouse->y);
}

static uint32_t key_of_code(wint_t code)
{
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i].curses == code)
            return codes[i].key;
    if (code >= KEY_F(1) && code <= KEY_F(10))
        return TUI_KEY_F1 + (uint32_t)(code - KEY_F(1));
    return 0;
}

static uint32_t key_of_character(wint_t character)
{
    for (size_t i = 0; i < sizeof characters / sizeof *characters; i++)
        if (characters[i].curses == character)
            return characters[i].key;
    return (uint32_t)character;
}

bool screen_key(struct key_event *event)
{
    wint_t got;

    *event = (struct key_event){0};
    if (screen_resized()) {
        event->key = TUI_KEY_RESIZE;
        return true;
    }
    if (mice.count == 0) {
        int kind = get_wch(&got);
        if (kind == ERR)
            return false;
        if (kind == KEY_CODE_YES && got == KEY_MOUSE)
            mouse_take_events();
        else
            event->key = kind == KEY_CODE_YES ? key_of_code(got) : key_of_character(got);
    }
    if (mice.count > 0)
        mouse_next_event(event);
    return true; /* event->key may be 0, for a key without a meaning */
}
