/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * keys: the table of what each key does on which page, and functions to search it. The input, the
 * help and the bar at the bottom use the same table.
 */
#ifndef TUI_KEYS_H
#define TUI_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A key is a character (Unicode), or an enum key_code. */
enum key_code {
    TUI_KEY_NONE = 0x200000, /* greater than any character */
    TUI_KEY_UP,
    TUI_KEY_DOWN,
    TUI_KEY_LEFT,
    TUI_KEY_RIGHT,
    TUI_KEY_PAGE_UP,
    TUI_KEY_PAGE_DOWN,
    TUI_KEY_HOME,
    TUI_KEY_END,
    TUI_KEY_BACKSPACE,
    TUI_KEY_DELETE,
    TUI_KEY_ENTER,
    TUI_KEY_ESCAPE,
    TUI_KEY_TAB,
    TUI_KEY_BACK_TAB,
    TUI_KEY_F1, /* F1 to F10 follow each other */
    TUI_KEY_F10 = TUI_KEY_F1 + 9,
    TUI_KEY_CTRL_C,
    TUI_KEY_CTRL_L,
    TUI_KEY_RESIZE, /* the size of the screen has changed */
    TUI_KEY_CLICK,  /* struct key_event has the place of the click */
    TUI_KEY_DOUBLE_CLICK,
    TUI_KEY_WHEEL_UP,
    TUI_KEY_WHEEL_DOWN,
};

struct key_event {
    uint32_t key; /* a character or enum key_code; 0: no key */
    int row, column; /* place on the screen, for clicks and the wheel */
};

enum action {
    ACTION_NONE,
    /* argument: number of lines by which the list scrolls; 0: the selection moves by one line */
    ACTION_UP,
    ACTION_DOWN,  /* argument: as for ACTION_UP */
    /* scrolls long names; in the list of calls: folds a row; in the flame view: selects another box; on the time line:
     * moves the cursor. argument: number of columns; 0: the usual number */
    ACTION_LEFT,
    ACTION_RIGHT,
    ACTION_PAGE_UP,
    ACTION_PAGE_DOWN,
    ACTION_HALF_UP,
    ACTION_HALF_DOWN,
    ACTION_FIRST,
    ACTION_LAST,
    /* in a table: shows the code of a function, or sets a filter for a thread, process, object, system call or state */
    ACTION_ENTER,
    ACTION_MARK,  /* on the time line: begins a range of time; in the picker: marks a process */
    ACTION_MARK_CHILDREN, /* in the picker: marks a process and its children */
    ACTION_MARK_ALL,      /* in the picker: marks all processes that the filter shows */
    ACTION_BACK,  /* goes back: leaves the help, the page, or the last filter */
    ACTION_VIEW,  /* argument: enum pprofil_by or enum keys_view */
    ACTION_CALLERS, /* shows the callers of the selected function */
    ACTION_CALLEES,
    ACTION_NEXT_VIEW,
    ACTION_PREVIOUS_VIEW,
    ACTION_SEARCH,
    ACTION_SEARCH_NEXT,
    ACTION_SEARCH_PREVIOUS,
    ACTION_SORT,   /* argument: enum table_sort; -1: by the next column */
    ACTION_NAMES,  /* shows whole names of functions, or names that fit */
    ACTION_PAUSE,  /* holds the display still */
    ACTION_CLEAR,  /* clears all counts */
    ACTION_SAMPLE, /* stops sampling, or starts it */
    ACTION_FASTER,
    ACTION_SLOWER,
    ACTION_WALL,
    ACTION_WINDOW, /* changes the window's length */
    ACTION_SAVE,
    ACTION_OUTPUT, /* shows the program's output */
    ACTION_HELP,
    ACTION_REDRAW,
    /* stops pprofil and goes back to the shell, which continues pprofil later */
    ACTION_SUSPEND,
    ACTION_QUIT,
};

/* A set of pages on which a key is valid. */
enum key_where {
    KEY_IN_TABLE = 1u << 0,
    KEY_IN_CODE = 1u << 1,
    KEY_IN_OUTPUT = 1u << 2,
    KEY_IN_PICKER = 1u << 3,
    KEY_IN_HELP = 1u << 4,
    KEY_IN_CALLS = 1u << 5,
    KEY_IN_FLAME = 1u << 6,
    KEY_IN_TIMELINE = 1u << 7,
    KEY_EVERYWHERE = 0xff,
};

/* Views that are not in enum pprofil_by. */
enum keys_view { KEYS_CALLS = 16, KEYS_FLAME, KEYS_TIMELINE };

struct key_binding {
    uint32_t key;
    unsigned where; /* pages on which the key is valid: set of enum key_where */
    enum action action; /* ACTION_NONE: the key is a click that only selects */
    int argument;
    const char *help; /* NULL: another key with this action has the help text */
    const char *bar;  /* name in the bar at the bottom, of at most 7 letters; only for F keys */
};

extern const struct key_binding key_bindings[];
extern const size_t key_binding_count;

/* Returns the binding of a key on a page, or NULL if there is none. */
const struct key_binding *key_find(uint32_t key, enum key_where where);
/* Returns an action's name for scripts, such as "page-up". For ACTION_VIEW it is "view-", to which
 * the caller adds the name of the view. */
const char *keys_action(enum action action);
/* Returns a key's name for people, such as "F1", "PgUp", "Space" or "q". The name is valid until the next call. */
const char *keys_name(uint32_t key);
/* Converts a key to UTF-8 if it is a character that may be typed into a line of text. Returns false for other keys. */
bool key_text(uint32_t key, char text[5]);

#endif
