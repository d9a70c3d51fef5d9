/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * keys: what each key does, where, and how that is said: one table drives input, the help and
 * the bar at the bottom.
 */
#ifndef TUI_KEYS_H
#define TUI_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A key: a character (Unicode), or one of these. */
enum key_code {
    TUI_KEY_NONE = 0x200000, /* above all characters */
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
    TUI_KEY_F1, /* F1 to F10 in a row */
    TUI_KEY_F10 = TUI_KEY_F1 + 9,
    TUI_KEY_CTRL_C,
    TUI_KEY_CTRL_L,
    TUI_KEY_RESIZE, /* the screen has another size */
    TUI_KEY_CLICK,  /* at row, column of struct key_event */
    TUI_KEY_DOUBLE_CLICK,
    TUI_KEY_WHEEL_UP,
    TUI_KEY_WHEEL_DOWN,
};

struct key_event {
    uint32_t key; /* 0: none */
    int row, column; /* CLICK, WHEEL */
};

enum action {
    ACTION_NONE,
    ACTION_UP,    /* argument: scrolls by so many lines; 0: the selection moves by one */
    ACTION_DOWN,  /* the same */
    ACTION_LEFT,  /* scrolls sideways: long names */
    ACTION_RIGHT,
    ACTION_PAGE_UP,
    ACTION_PAGE_DOWN,
    ACTION_HALF_UP,
    ACTION_HALF_DOWN,
    ACTION_FIRST,
    ACTION_LAST,
    ACTION_ENTER, /* into a function's code; filter to a thread, process, object, system call, state */
    ACTION_BACK,  /* out of it */
    ACTION_VIEW,  /* which: key_binding.argument, enum pprofil_by, or enum keys_view */
    ACTION_CALLERS, /* of a function */
    ACTION_CALLEES,
    ACTION_NEXT_VIEW,
    ACTION_PREVIOUS_VIEW,
    ACTION_SEARCH,
    ACTION_SEARCH_NEXT,
    ACTION_SEARCH_PREVIOUS,
    ACTION_SORT,   /* by: argument, enum table_sort; -1: by the next column */
    ACTION_PAUSE,  /* the display */
    ACTION_CLEAR,  /* counts: startclr */
    ACTION_SAMPLE, /* stop and start sampling */
    ACTION_FASTER,
    ACTION_SLOWER,
    ACTION_WALL,
    ACTION_WINDOW, /* its length */
    ACTION_SAVE,
    ACTION_OUTPUT, /* the program's own */
    ACTION_HELP,
    ACTION_REDRAW,
    ACTION_SUSPEND, /* back to the shell, which continues us */
    ACTION_QUIT,
};

/* Where a key means something: a set of these bits. */
enum key_where {
    KEY_IN_TABLE = 1u << 0,
    KEY_IN_CODE = 1u << 1,
    KEY_IN_OUTPUT = 1u << 2,
    KEY_IN_PICKER = 1u << 3,
    KEY_IN_HELP = 1u << 4,
    KEY_IN_CALLS = 1u << 5,
    KEY_IN_FLAME = 1u << 6,
    KEY_EVERYWHERE = 0x7f,
};

/* Views besides those by enum pprofil_by. */
enum keys_view { KEYS_CALLS = 16, KEYS_FLAME };

struct key_binding {
    uint32_t key;
    unsigned where; /* enum key_where */
    enum action action; /* NONE: a click, which only selects */
    int argument;
    const char *help; /* NULL: another key of the same action says it */
    const char *bar;  /* F keys: at most 7 letters; else NULL */
};

extern const struct key_binding key_bindings[];
extern const size_t key_binding_count;

/* The binding of a key in one place, or NULL. */
const struct key_binding *key_find(uint32_t key, enum key_where where);
/* "page-up": an action's name, for scripts. That of ACTION_VIEW ends with "-": the view's name follows. */
const char *keys_action(enum action action);
/* "F1", "PgUp", "Space", "q": for people. Valid until the next call. */
const char *keys_name(uint32_t key);
/* A character that may be typed into a line of text: its UTF-8; false: it is none. */
bool key_text(uint32_t key, char text[5]);

#endif
