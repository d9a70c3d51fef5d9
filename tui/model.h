/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * model: the state of the screen. Snapshots and actions change it; views read it. It knows neither
 * terminal nor session: an action returns an effect that says what it wants of them.
 */
#ifndef TUI_MODEL_H
#define TUI_MODEL_H

#include "calls.h"
#include "keys.h"
#include "snapshot.h"
#include "table.h"

#define MODEL_MINUTE 60     /* seconds of the target's CPU use that the header shows */
#define MODEL_FILTERS 4     /* filters that may be in force at the same time */
#define MODEL_TEXT 256      /* bytes of a typed line */
#define MODEL_PAGES (PAGE_OUTPUT + 1)

enum model_page {
    PAGE_PICKER, /* the list of processes to choose from */
    PAGE_TABLE,
    PAGE_CODE,   /* the code of a function */
    PAGE_CALLS,  /* a call tree */
    PAGE_FLAME,
    PAGE_OUTPUT, /* the output of the program */
};

enum model_prompt {
    PROMPT_NONE,
    PROMPT_SEARCH,
    PROMPT_SAVE,   /* a file name */
    PROMPT_FILTER, /* typed letters narrow the picker's list */
};

/* What an action wants the loop to do. */
enum effect {
    EFFECT_NONE,
    EFFECT_PAINT,    /* the screen has changed */
    EFFECT_SNAPSHOT, /* a snapshot is needed at once: for another view, filter or function */
    EFFECT_CLEAR,
    EFFECT_SAMPLE, /* stop sampling, or start it */
    EFFECT_RATE,   /* set the rate to model->asked_hz */
    EFFECT_WALL,   /* set the kind of time to model->wall */
    EFFECT_WINDOW, /* set the window to model->window_seconds */
    EFFECT_SAVE,   /* save to the path in model->text */
    EFFECT_ATTACH, /* attach to model->chosen_pid */
    EFFECT_REDRAW, /* draw all of the screen again */
    EFFECT_SUSPEND,
    EFFECT_QUIT,
};

/* A filter, and the way back from it. Its label is like "worker 4711". */
struct model_filter {
    char label[96];
    enum pprofil_by by; /* grouping of the entered row, whose view one goes back to */
    uint64_t selected;  /* id of the entered row */
    struct pprofil_filter filter; /* this filter and those before it, together */
};

/* A position in a list. Each page and each view has one, which is kept while another is shown. */
struct model_position {
    uint32_t selected, top;
    uint64_t id;
    unsigned sideways;
    bool chosen; /* the user moved there: the selection follows its row; else it stays on the first line */
};

/* Former values of counts: the header's figures are differences to them. */
struct model_before {
    bool told;              /* the supervisor's figures have been seen */
    uint64_t told_ns;       /* when they last changed */
    uint64_t target_cpu_ns, elapsed_ns, stopped_ns;
    bool counted;
    uint64_t running, cpu_ns; /* totals at the end of the last window */
    uint64_t news_ns;       /* when elapsed_ns last changed, or last had a reason not to */
    uint64_t minute_ns;     /* end of the last second of the minute; 0: none yet */
};

/* Lines of the program's output, borrowed from struct output. */
struct model_output {
    const char *const *lines;
    uint32_t count;
};

struct model {
    enum model_page page;
    bool help;               /* the help covers the page */
    enum pprofil_by view;    /* grouping of the table */
    enum table_sort sort;
    struct table tables[SNAPSHOT_GROUPINGS];

    struct snapshot now; /* owned: the last snapshot; its rows are in the tables */
    bool have_snapshot;
    /* the header */
    char command[256];
    char targets[128]; /* "PID 4711", "3 PIDs" */
    double target_cpu; /* CPUs that the target used in the last window */
    float minute[MODEL_MINUTE]; /* the same for each second, newest last */
    double achieved_hz;         /* samples for each second of CPU time in the last window */
    double stopped_share;       /* part of its CPU time in the last window for which the target was stopped */
    unsigned silent_seconds; /* seconds without a word from the supervisor; 0: it is not silent */
    uint32_t running, sleeping, uninterruptible; /* threads in state R, S and D */
    const char *blocked_in;     /* system call that most sleeping threads are in; "" */
    uint32_t blocked_in_count;

    /* the position in the page's list; the selection follows its row */
    uint32_t selected; /* index of the line */
    uint64_t selected_id;
    uint32_t top;      /* first line on the screen */
    uint32_t page_rows; /* lines of the list on a screen: set by the view */
    uint32_t list_row;  /* the screen's row of the first of them */
    uint32_t header_row; /* the screen's row of the columns' titles; 0: none */
    unsigned sideways; /* columns by which long names are scrolled */

    struct model_filter filters[MODEL_FILTERS];
    unsigned filter_count;

    /* the code page */
    enum pprofil_by code_by;
    uint64_t code_id;
    char code_name[256];

    /* the pages of calls */
    bool stacks; /* stacks are recorded */
    struct calls calls;
    uint64_t calls_ns;       /* when its last window ended */
    char calls_name[256];    /* function whose callers or callees are shown */
    uint64_t flame_zoom, flame_selected; /* ids of rows; 0: the whole */
    int flame_columns;       /* of the screen: set by the view, as are the next two */
    uint32_t flame_top, flame_levels;

    struct model_output output;
    bool output_follows; /* the last line stays on the screen */
    bool has_output;     /* there is a program whose output goes to a pane */

    /* the picker */
    struct pprofil_candidate *candidates; /* owned */
    double *candidate_cpu;  /* owned: CPUs used since the list before */
    uint32_t *picked;       /* owned: indexes of the candidates that match the filter, in order */
    uint32_t candidate_count, picked_count;
    uint64_t candidates_ns; /* when the list was made */
    uint32_t chosen_pid;

    enum model_prompt prompt;
    char text[MODEL_TEXT];   /* what is being typed */
    char search[MODEL_TEXT]; /* what was searched for last */
    char asked[MODEL_TEXT];  /* an existing file: saving to it a second time overwrites it */
    uint32_t asked_files;    /* existing files of that name, with those that the format makes beside it */
    char message[MODEL_TEXT]; /* shown until message_until_ns */
    uint64_t message_until_ns;

    bool paused;      /* the display is held still */
    bool wall;
    double asked_hz;
    double window_seconds;
    uint32_t help_top; /* first line of the help on the screen */
    uint32_t help_last; /* greatest help_top, and lines on a screen: set by the view */
    uint32_t help_rows;

    /* only for tui/model*.c */
    struct table frozen[SNAPSHOT_GROUPINGS]; /* while paused: the tables that the screen shows */
    uint64_t table_ns[SNAPSHOT_GROUPINGS];   /* when each table got its last report */
    uint64_t began_ns; /* when all counts were 0, for the first report's window; 0: not known */
    struct model_before before;
    bool closed;              /* the last of all windows has ended */
    struct model_position positions[SNAPSHOT_GROUPINGS + MODEL_PAGES];
    unsigned position;          /* index in positions of the present selected, top, ... */
    bool chosen;              /* as in struct model_position */
    enum model_page back;     /* page to go back to from the output */
    bool own_targets;         /* targets is set here, and not by the caller */
    bool candidates_compared; /* there were two lists, so that candidate_cpu is known */
    bool message_waits;       /* the message's time begins with the next snapshot */
    uint64_t *shown;          /* owned: the rows in view, for model_wants */
    uint32_t shown_size;
};

struct model *model_new(void); /* returns NULL for want of memory */
void model_free(struct model *model);

/* Says what the next snapshot must have. wants->shown points into the model. */
void model_wants(struct model *model, struct snapshot_wants *wants);
/* Takes a snapshot over and leaves *snapshot empty. due: a window ends with it. Otherwise
 * windows and histories stay as they are. */
void model_take(struct model *model, struct snapshot *snapshot, bool due);
/* Would another snapshot before the end of the window have names that this one lacks? */
bool model_awaits_names(const struct model *model);
/* Takes a list of processes over. */
void model_take_candidates(struct model *model, struct pprofil_candidate *candidates,
                           uint32_t count, uint64_t time_ns);
/* To be called after all counts were cleared. */
void model_cleared(struct model *model);
/* Shows a message for some seconds. */
void model_say(struct model *model, uint64_t now_ns, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Handles a key: by the table of keys, or as input of the open prompt. */
enum effect model_key(struct model *model, const struct key_event *event);
enum effect model_act(struct model *model, enum action action, int argument);
enum key_where model_where(const struct model *model);

/* Returns the table of the present view. */
const struct table *model_table(const struct model *model);
/* Returns the number of lines in the present page's list. */
uint32_t model_list_count(const struct model *model);
/* Returns the task of a row BY_THREAD in the last snapshot, or NULL. */
const struct pprofil_task *model_task(const struct model *model, uint32_t tid);
/* Makes the text of the filters in force, such as "main › worker 4711"; "" for none. */
void model_breadcrumb(const struct model *model, char *text, size_t size);

#endif
