/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * model: what the screen says. Snapshots and actions go in; views read it. It knows no terminal
 * and no session: what an action wants of them is its effect.
 */
#ifndef TUI_MODEL_H
#define TUI_MODEL_H

#include "calls.h"
#include "keys.h"
#include "snapshot.h"
#include "table.h"

#define MODEL_MINUTE 60     /* seconds of the target's CPU use that are kept */
#define MODEL_FILTERS 4     /* filters on top of each other */
#define MODEL_TEXT 256      /* what may be typed */
#define MODEL_PAGES (PAGE_OUTPUT + 1)

enum model_page {
    PAGE_PICKER, /* which process? */
    PAGE_TABLE,
    PAGE_CODE,   /* of one function */
    PAGE_CALLS,  /* a call tree */
    PAGE_FLAME,
    PAGE_OUTPUT, /* the program's */
};

enum model_prompt {
    PROMPT_NONE,
    PROMPT_SEARCH,
    PROMPT_SAVE,   /* the file's name */
    PROMPT_FILTER, /* the picker's: typed letters narrow the list */
};

/* What an action wants done. */
enum effect {
    EFFECT_NONE,
    EFFECT_PAINT,    /* the screen says something else now */
    EFFECT_SNAPSHOT, /* a snapshot is wanted at once: another view, filter, code */
    EFFECT_CLEAR,
    EFFECT_SAMPLE, /* stop, or start */
    EFFECT_RATE,   /* model->asked_hz */
    EFFECT_WALL,   /* model->wall */
    EFFECT_WINDOW, /* model->window_seconds */
    EFFECT_SAVE,   /* to the path in model->text */
    EFFECT_ATTACH, /* to the picker's choice: model->chosen_pid */
    EFFECT_REDRAW, /* all of the screen */
    EFFECT_SUSPEND,
    EFFECT_QUIT,
};

/* One step into the data: "thread 4711 worker". */
struct model_filter {
    char label[96];
    enum pprofil_by by; /* of the row that was entered, and the view to go back to */
    uint64_t selected;  /* that row's id */
    struct pprofil_filter filter; /* all steps up to this one together */
};

/* Where one is in a list; kept for each page and view while another is on the screen. */
struct model_position {
    uint32_t selected, top;
    uint64_t id;
    unsigned sideways;
    bool chosen; /* someone moved there, so it stays with its row; else it stays at the head */
};

/* What the header's figures are differences to. */
struct model_before {
    bool told;              /* the supervisor's figures were seen once */
    uint64_t told_ns;       /* time they last changed */
    uint64_t target_cpu_ns, elapsed_ns, stopped_ns;
    bool counted;
    uint64_t running, cpu_ns; /* of the totals, when the last window ended */
    uint64_t news_ns;       /* time elapsed_ns last changed, or was not to */
    uint64_t minute_ns;     /* time of the end of the minute's last second; 0: none yet */
};

/* A line of the program's output. Borrowed from tui/output. */
struct model_output {
    const char *const *lines;
    uint32_t count;
};

struct model {
    enum model_page page;
    bool help;               /* the overlay is on */
    enum pprofil_by view;    /* of the table */
    enum table_sort sort;
    struct table tables[SNAPSHOT_GROUPINGS];

    struct snapshot now; /* owned: the last that was taken; its rows are in the tables */
    bool have_snapshot;
    /* the header */
    char command[256];
    char targets[128]; /* "PID 4711", "3 PIDs" */
    double target_cpu; /* CPUs that the target used in the last window: 1.0 is one CPU */
    float minute[MODEL_MINUTE]; /* the same, second by second, newest last */
    double achieved_hz;         /* samples per CPU second in the last window */
    double stopped_share;       /* of the target's CPU time in the last window */
    unsigned silent_seconds; /* that the supervisor has said nothing for; 0: it speaks */
    uint32_t running, sleeping, uninterruptible; /* threads: R; S; D */
    const char *blocked_in;     /* the system call most of the sleepers are in; "" */
    uint32_t blocked_in_count;

    /* where one is in the page's list; the selection stays on its row while rows move */
    uint32_t selected; /* index */
    uint64_t selected_id;
    uint32_t top;      /* first line shown */
    uint32_t page_rows; /* how many a page shows: the view says it when it paints */
    uint32_t list_row;  /* the screen's line of the first of them: for clicks */
    uint32_t header_row; /* the screen's line with the columns' names; 0: none */
    unsigned sideways; /* columns that long names are scrolled by */

    struct model_filter filters[MODEL_FILTERS];
    unsigned filter_count;

    /* code page */
    enum pprofil_by code_by;
    uint64_t code_id;
    char code_name[256];

    /* pages of calls */
    bool stacks; /* they are taken */
    struct calls calls;
    uint64_t calls_ns;       /* time of its last window's end */
    char calls_name[256];    /* of the function whose callers or callees they are */
    uint64_t flame_zoom, flame_selected; /* ids; 0: all */
    int flame_columns;       /* of the screen: the view says it, as the next two */
    uint32_t flame_top, flame_levels;

    struct model_output output;
    bool output_follows; /* the last line stays in view */
    bool has_output;     /* there is a program with a pane */

    /* picker */
    struct pprofil_candidate *candidates; /* owned */
    double *candidate_cpu;  /* owned: CPUs used since the last list */
    uint32_t *picked;       /* owned: indexes of those that match, in order */
    uint32_t candidate_count, picked_count;
    uint64_t candidates_ns; /* time of the list */
    uint32_t chosen_pid;

    enum model_prompt prompt;
    char text[MODEL_TEXT];   /* typed so far */
    char search[MODEL_TEXT]; /* looked for last */
    char asked[MODEL_TEXT];  /* a file that exists; saving to it once more overwrites it */
    uint32_t asked_files;    /* that exist, with those that a format makes beside it */
    char message[MODEL_TEXT]; /* one line for people, until message_until_ns */
    uint64_t message_until_ns;

    bool paused;      /* the display */
    bool wall;
    double asked_hz;
    double window_seconds;
    uint32_t help_top; /* the help's first line shown */
    uint32_t help_last; /* the last that may be, and lines shown at a time: the view says it */
    uint32_t help_rows;

    /* of tui/model*.c alone */
    struct table frozen[SNAPSHOT_GROUPINGS]; /* paused: what the screen goes on to show */
    uint64_t table_ns[SNAPSHOT_GROUPINGS];   /* time of a table's last report */
    uint64_t began_ns; /* all counts were 0 then: the first report's window; 0: not known */
    struct model_before before;
    bool closed;              /* the last window there is has ended */
    struct model_position positions[SNAPSHOT_GROUPINGS + MODEL_PAGES];
    unsigned position;          /* which of them selected, top, ... are now */
    bool chosen;              /* as in struct model_position */
    enum model_page back;     /* from the output */
    bool own_targets;         /* nobody else says what targets is */
    bool candidates_compared; /* there were two lists: candidate_cpu is known */
    bool message_waits;       /* its time runs from the next snapshot on */
    uint64_t *shown;          /* owned: what model_wants points to */
    uint32_t shown_size;
};

struct model *model_new(void); /* NULL: no memory */
void model_free(struct model *model);

/* What to ask for next. shown points into the model. */
void model_wants(struct model *model, struct snapshot_wants *wants);
/* Takes a snapshot over, and leaves *snapshot empty. due: a whole window has passed since the
 * last; else (EFFECT_SNAPSHOT) windows and histories stay as they are. */
void model_take(struct model *model, struct snapshot *snapshot, bool due);
/* Would another snapshot before the window's end show names that this one lacks? */
bool model_awaits_names(const struct model *model);
/* Takes a list of processes over. */
void model_take_candidates(struct model *model, struct pprofil_candidate *candidates,
                           uint32_t count, uint64_t time_ns);
/* Counts were cleared. */
void model_cleared(struct model *model);
/* A line for people, for some seconds. */
void model_say(struct model *model, uint64_t now_ns, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A key, by the table of keys.h or into the prompt that is open. */
enum effect model_key(struct model *model, const struct key_event *event);
enum effect model_act(struct model *model, enum action action, int argument);
enum key_where model_where(const struct model *model);

/* The table of the present view. */
const struct table *model_table(const struct model *model);
/* Lines of the present page's list. */
uint32_t model_list_count(const struct model *model);
/* The task of a row BY_THREAD, as of the last snapshot, or NULL. */
const struct pprofil_task *model_task(const struct model *model, uint32_t tid);
/* "main › worker 4711": the filters in force; "" for none. */
void model_breadcrumb(const struct model *model, char *text, size_t size);

#endif
