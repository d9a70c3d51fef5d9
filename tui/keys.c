/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of keys. Many keys do what they do in htop, less or vim. Each action of an F key has another key, too,
 * because some terminals use F keys for themselves.
 *
 * The picker is the page with the list of processes to choose from. Characters that are typed there go into the filter
 * of the list. But while no filter is typed, some characters, such as q, have actions instead.
 */
#include "config.h"

#include <stdio.h>

#include "keys.h"
#include "base/utf8.h"
#include "pprofil.h"

#define CONTROL(letter) ((letter)&0x1fu)
#define CALLS (KEY_IN_CALLS | KEY_IN_FLAME)
#define TEXTS (KEY_IN_TABLE | KEY_IN_CODE | KEY_IN_OUTPUT)
#define PAGES (TEXTS | CALLS | KEY_IN_TIMELINE)
#define LISTS (PAGES | KEY_IN_PICKER)
#define TABLE_AND_CODE (KEY_IN_TABLE | KEY_IN_CODE)
#define FUNCTIONS (TABLE_AND_CODE | CALLS)
#define WHEEL_LINES 3
#define TIMELINE_LEAP 10

const struct key_binding key_bindings[] = {
    {TUI_KEY_UP, KEY_EVERYWHERE, ACTION_UP, 0, "up", NULL},
    {'k', PAGES | KEY_IN_HELP, ACTION_UP, 0, NULL, NULL},
    {TUI_KEY_DOWN, KEY_EVERYWHERE, ACTION_DOWN, 0, "down", NULL},
    {'j', PAGES | KEY_IN_HELP, ACTION_DOWN, 0, NULL, NULL},
    {TUI_KEY_LEFT, TEXTS | KEY_IN_PICKER, ACTION_LEFT, 0, "scroll long names back", NULL},
    {'h', TEXTS, ACTION_LEFT, 0, NULL, NULL},
    {TUI_KEY_RIGHT, TEXTS | KEY_IN_PICKER, ACTION_RIGHT, 0, "scroll long names", NULL},
    {'l', TEXTS, ACTION_RIGHT, 0, NULL, NULL},
    {TUI_KEY_LEFT, KEY_IN_CALLS, ACTION_LEFT, 0, "calls: fold; to the caller", NULL},
    {'h', KEY_IN_CALLS, ACTION_LEFT, 0, NULL, NULL},
    {TUI_KEY_RIGHT, KEY_IN_CALLS, ACTION_RIGHT, 0, "calls: unfold; to what it calls most", NULL},
    {'l', KEY_IN_CALLS, ACTION_RIGHT, 0, NULL, NULL},
    {TUI_KEY_LEFT, KEY_IN_FLAME, ACTION_LEFT, 0, "flame: to the left", NULL},
    {'h', KEY_IN_FLAME, ACTION_LEFT, 0, NULL, NULL},
    {TUI_KEY_RIGHT, KEY_IN_FLAME, ACTION_RIGHT, 0, "flame: to the right", NULL},
    {'l', KEY_IN_FLAME, ACTION_RIGHT, 0, NULL, NULL},
    {TUI_KEY_LEFT, KEY_IN_TIMELINE, ACTION_LEFT, 0, "time line: earlier", NULL},
    {'h', KEY_IN_TIMELINE, ACTION_LEFT, 0, NULL, NULL},
    {TUI_KEY_RIGHT, KEY_IN_TIMELINE, ACTION_RIGHT, 0, "time line: later", NULL},
    {'l', KEY_IN_TIMELINE, ACTION_RIGHT, 0, NULL, NULL},
    {'H', KEY_IN_TIMELINE, ACTION_LEFT, TIMELINE_LEAP, "time line: ten columns earlier", NULL},
    {'L', KEY_IN_TIMELINE, ACTION_RIGHT, TIMELINE_LEAP, "time line: ten columns later", NULL},
    {' ', KEY_IN_TIMELINE, ACTION_MARK, 0, "time line: begin a range; Enter takes it", NULL},
    {' ', KEY_IN_PICKER, ACTION_MARK, 0, "mark this process; Enter attaches to all marked", NULL},
    {CONTROL('T'), KEY_IN_PICKER, ACTION_MARK_CHILDREN, 0, "mark it and its children", NULL},
    {CONTROL('A'), KEY_IN_PICKER, ACTION_MARK_ALL, 0, "mark all that the filter shows", NULL},
    {TUI_KEY_PAGE_UP, KEY_EVERYWHERE, ACTION_PAGE_UP, 0, "a page up", NULL},
    {CONTROL('B'), KEY_EVERYWHERE, ACTION_PAGE_UP, 0, NULL, NULL},
    {TUI_KEY_PAGE_DOWN, KEY_EVERYWHERE, ACTION_PAGE_DOWN, 0, "a page down", NULL},
    {CONTROL('F'), KEY_EVERYWHERE, ACTION_PAGE_DOWN, 0, NULL, NULL},
    {CONTROL('U'), PAGES | KEY_IN_HELP, ACTION_HALF_UP, 0, "half a page up", NULL},
    {CONTROL('D'), PAGES | KEY_IN_HELP, ACTION_HALF_DOWN, 0, "half a page down", NULL},
    {TUI_KEY_HOME, KEY_EVERYWHERE, ACTION_FIRST, 0, "the first line, and stay there", NULL},
    {'g', PAGES | KEY_IN_HELP, ACTION_FIRST, 0, NULL, NULL},
    {TUI_KEY_END, KEY_EVERYWHERE, ACTION_LAST, 0, "the last line", NULL},
    {'G', PAGES | KEY_IN_HELP, ACTION_LAST, 0, NULL, NULL},
    {TUI_KEY_WHEEL_UP, KEY_EVERYWHERE, ACTION_UP, WHEEL_LINES, "scroll up", NULL},
    {TUI_KEY_WHEEL_DOWN, KEY_EVERYWHERE, ACTION_DOWN, WHEEL_LINES, "scroll down", NULL},
    {TUI_KEY_CLICK, LISTS & ~KEY_IN_OUTPUT, ACTION_NONE, 0, "select; on a header: sort", NULL},

    {TUI_KEY_ENTER, KEY_IN_TABLE, ACTION_ENTER, 0, "a function's code; only this thread, object, call, state", NULL},
    {TUI_KEY_ENTER, KEY_IN_CALLS, ACTION_ENTER, 0, "calls: fold, unfold", NULL},
    {TUI_KEY_ENTER, KEY_IN_FLAME, ACTION_ENTER, 0, "flame: only this; Backspace: all again", NULL},
    {TUI_KEY_ENTER, KEY_IN_TIMELINE, ACTION_ENTER, 0, "time line: only this range, or this thread", NULL},
    {TUI_KEY_ENTER, KEY_IN_PICKER, ACTION_ENTER, 0, "attach to this process, or to all marked", NULL},
    {TUI_KEY_DOUBLE_CLICK, KEY_IN_TABLE | KEY_IN_PICKER | CALLS, ACTION_ENTER, 0, NULL, NULL},
    {TUI_KEY_BACKSPACE, PAGES | KEY_IN_HELP, ACTION_BACK, 0, "back", NULL},
    {TUI_KEY_ESCAPE, PAGES | KEY_IN_HELP, ACTION_BACK, 0, NULL, NULL},
    {'q', KEY_IN_HELP, ACTION_BACK, 0, NULL, NULL},

    {'1', PAGES, ACTION_VIEW, PPROFIL_BY_FUNCTION, "functions", NULL},
    {'2', PAGES, ACTION_VIEW, PPROFIL_BY_OBJECT, "objects", NULL},
    {'3', PAGES, ACTION_VIEW, PPROFIL_BY_THREAD, "threads", NULL},
    {'4', PAGES, ACTION_VIEW, PPROFIL_BY_PROCESS, "processes", NULL},
    {'5', PAGES, ACTION_VIEW, PPROFIL_BY_SYSCALL, "system calls", NULL},
    {'6', PAGES, ACTION_VIEW, PPROFIL_BY_LINE, "lines", NULL},
    {'7', PAGES, ACTION_VIEW, KEYS_CALLS, "calls, from where threads begin (-g)", NULL},
    {'8', PAGES, ACTION_VIEW, KEYS_FLAME, "a flame graph of the calls (-g)", NULL},
    {'f', PAGES, ACTION_VIEW, KEYS_FLAME, NULL, NULL},
    {'9', PAGES, ACTION_VIEW, PPROFIL_BY_STATE, "states: running, waiting, asleep (-w)", NULL},
    {'0', PAGES, ACTION_VIEW, PPROFIL_BY_WAIT, "waits: locks, files, ... that threads wait for (-w)", NULL},
    {'t', PAGES, ACTION_VIEW, KEYS_TIMELINE, "the time line: what each thread did when", NULL},
    {'c', FUNCTIONS, ACTION_CALLERS, 0, "callers of this function (-g)", NULL},
    {'e', FUNCTIONS, ACTION_CALLEES, 0, "callees: what this function calls (-g)", NULL},
    {TUI_KEY_TAB, PAGES, ACTION_NEXT_VIEW, 0, "the next view", NULL},
    {TUI_KEY_BACK_TAB, PAGES, ACTION_PREVIOUS_VIEW, 0, "the view before", NULL},
    {'o', PAGES, ACTION_OUTPUT, 0, "the program's output, and back", NULL},

    {'/', LISTS, ACTION_SEARCH, 0, "search", NULL},
    {'n', PAGES, ACTION_SEARCH_NEXT, 0, "the next match", NULL},
    {'N', PAGES, ACTION_SEARCH_PREVIOUS, 0, "the match before", NULL},
    {'s', KEY_IN_TABLE, ACTION_SORT, -1, "sort by the next column", NULL},
    {'s', CALLS, ACTION_SORT, -1, "calls, flame: of the last window, or of all", NULL},
    {'p', KEY_IN_TABLE | CALLS, ACTION_NAMES, 0, "whole names of functions, or names that fit", NULL},
    {' ', FUNCTIONS, ACTION_PAUSE, 0, "hold the display still; sampling goes on", NULL},
    {'z', PAGES, ACTION_CLEAR, 0, "clear all counts", NULL},
    {'x', PAGES, ACTION_SAMPLE, 0, "stop sampling, and start it", NULL},
    {'+', PAGES, ACTION_FASTER, 0, "more samples", NULL},
    {'=', PAGES, ACTION_FASTER, 0, NULL, NULL},
    {'-', PAGES, ACTION_SLOWER, 0, "fewer samples", NULL},
    {'w', PAGES, ACTION_WALL, 0, "CPU time, or elapsed time", NULL},
    {'d', PAGES, ACTION_WINDOW, 0, "the window's length", NULL},
    {'S', PAGES, ACTION_SAVE, 0, "save the profile", NULL},
    {'?', KEY_EVERYWHERE, ACTION_HELP, 0, "this help", NULL},
    {TUI_KEY_CTRL_L, KEY_EVERYWHERE, ACTION_REDRAW, 0, "draw the screen again", NULL},
    {CONTROL('Z'), KEY_EVERYWHERE, ACTION_SUSPEND, 0, "stop, back to the shell; fg goes on", NULL},
    {'q', LISTS, ACTION_QUIT, 0, "quit", NULL},
    {TUI_KEY_CTRL_C, KEY_EVERYWHERE, ACTION_QUIT, 0, NULL, NULL},

    {TUI_KEY_F1, KEY_EVERYWHERE, ACTION_HELP, 0, NULL, "Help"},
    {TUI_KEY_F1 + 1, PAGES, ACTION_NEXT_VIEW, 0, NULL, "View"},
    {TUI_KEY_F1 + 2, PAGES, ACTION_SEARCH, 0, NULL, "Search"},
    {TUI_KEY_F1 + 2, KEY_IN_PICKER, ACTION_SEARCH, 0, NULL, "Filter"},
    {TUI_KEY_F1 + 3, KEY_IN_TABLE | CALLS, ACTION_SORT, -1, NULL, "Sort"},
    {TUI_KEY_F1 + 4, KEY_IN_PICKER, ACTION_MARK, 0, NULL, "Mark"},
    {TUI_KEY_F1 + 5, KEY_IN_PICKER, ACTION_MARK_CHILDREN, 0, NULL, "Tree"},
    {TUI_KEY_F1 + 6, KEY_IN_PICKER, ACTION_MARK_ALL, 0, NULL, "All"},
    {TUI_KEY_F1 + 4, PAGES, ACTION_WINDOW, 0, NULL, "Window"},
    {TUI_KEY_F1 + 5, PAGES, ACTION_WALL, 0, NULL, "Wall"},
    {TUI_KEY_F1 + 6, PAGES, ACTION_SLOWER, 0, NULL, "Slower"},
    {TUI_KEY_F1 + 7, PAGES, ACTION_FASTER, 0, NULL, "Faster"},
    {TUI_KEY_F1 + 8, PAGES, ACTION_SAMPLE, 0, NULL, "Sample"},
    {TUI_KEY_F10, KEY_EVERYWHERE, ACTION_QUIT, 0, NULL, "Quit"},
};

const size_t key_binding_count = sizeof key_bindings / sizeof key_bindings[0];

const struct key_binding *key_find(uint32_t key, enum key_where where)
{
    for (size_t i = 0; i < key_binding_count; i++)
        if (key_bindings[i].key == key && (key_bindings[i].where & where) != 0)
            return &key_bindings[i];
    return NULL;
}

/* --- names -------------------------------------------------------------------------------- */

static const struct {
    uint32_t key;
    const char *name;
} names[] = {
    {' ', "Space"},
    {TUI_KEY_UP, "Up"},
    {TUI_KEY_DOWN, "Down"},
    {TUI_KEY_LEFT, "Left"},
    {TUI_KEY_RIGHT, "Right"},
    {TUI_KEY_PAGE_UP, "PgUp"},
    {TUI_KEY_PAGE_DOWN, "PgDn"},
    {TUI_KEY_HOME, "Home"},
    {TUI_KEY_END, "End"},
    {TUI_KEY_BACKSPACE, "Backspace"},
    {TUI_KEY_DELETE, "Del"},
    {TUI_KEY_ENTER, "Enter"},
    {TUI_KEY_ESCAPE, "Esc"},
    {TUI_KEY_TAB, "Tab"},
    {TUI_KEY_BACK_TAB, "Shift-Tab"},
    {TUI_KEY_CTRL_C, "Ctrl-C"},
    {TUI_KEY_CTRL_L, "Ctrl-L"},
    {TUI_KEY_CLICK, "Click"},
    {TUI_KEY_DOUBLE_CLICK, "Double click"},
    {TUI_KEY_WHEEL_UP, "Wheel up"},
    {TUI_KEY_WHEEL_DOWN, "Wheel down"},
};

const char *keys_action(enum action action)
{
    static const char *const actions[] = {
        [ACTION_NONE] = "select",
        [ACTION_UP] = "up",
        [ACTION_DOWN] = "down",
        [ACTION_LEFT] = "left",
        [ACTION_RIGHT] = "right",
        [ACTION_PAGE_UP] = "page-up",
        [ACTION_PAGE_DOWN] = "page-down",
        [ACTION_HALF_UP] = "half-up",
        [ACTION_HALF_DOWN] = "half-down",
        [ACTION_FIRST] = "first",
        [ACTION_LAST] = "last",
        [ACTION_ENTER] = "enter",
        [ACTION_MARK] = "mark",
        [ACTION_MARK_CHILDREN] = "mark-children",
        [ACTION_MARK_ALL] = "mark-all",
        [ACTION_BACK] = "back",
        [ACTION_VIEW] = "view-",
        [ACTION_CALLERS] = "callers",
        [ACTION_CALLEES] = "callees",
        [ACTION_NEXT_VIEW] = "next-view",
        [ACTION_PREVIOUS_VIEW] = "previous-view",
        [ACTION_SEARCH] = "search",
        [ACTION_SEARCH_NEXT] = "search-next",
        [ACTION_SEARCH_PREVIOUS] = "search-previous",
        [ACTION_SORT] = "sort",
        [ACTION_NAMES] = "names",
        [ACTION_PAUSE] = "pause",
        [ACTION_CLEAR] = "clear",
        [ACTION_SAMPLE] = "sample",
        [ACTION_FASTER] = "faster",
        [ACTION_SLOWER] = "slower",
        [ACTION_WALL] = "wall",
        [ACTION_WINDOW] = "window",
        [ACTION_SAVE] = "save",
        [ACTION_OUTPUT] = "output",
        [ACTION_HELP] = "help",
        [ACTION_REDRAW] = "redraw",
        [ACTION_SUSPEND] = "suspend",
        [ACTION_QUIT] = "quit",
    };

    return actions[action];
}

bool key_text(uint32_t key, char text[5])
{
    bool control = key < ' ' || (key >= 0x7f && key < 0xa0);
    bool surrogate = key >= 0xd800 && key < 0xe000;

    if (control || surrogate || key > 0x10ffff)
        return false;
    text[utf8_encode(key, text)] = '\0';
    return true;
}

const char *keys_name(uint32_t key)
{
    static char name[16];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].key == key)
            return names[i].name;
    if (key >= TUI_KEY_F1 && key <= TUI_KEY_F10)
        snprintf(name, sizeof name, "F%u", key - TUI_KEY_F1 + 1);
    else if (key > 0 && key < ' ')
        snprintf(name, sizeof name, "Ctrl-%c", (int)(key + '@'));
    else if (!key_text(key, name))
        snprintf(name, sizeof name, "?");
    return name;
}
