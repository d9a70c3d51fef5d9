/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * model: the state of the live view. Snapshots and actions change the model, and views read it. The
 * model uses neither the terminal nor the session. Instead, an action returns an effect, which says
 * what the loop of top-run.c must do with the terminal or the session.
 */
#ifndef TUI_MODEL_H
#define TUI_MODEL_H

#include "calls.h"
#include "keys.h"
#include "snapshot.h"
#include "table.h"

#define MODEL_MINUTE SNAPSHOT_USE /* seconds of the target's CPU use that the header shows */
#define MODEL_FILTERS SNAPSHOT_CONDITIONS     /* greatest number of filters that can be in force at the same time */
#define MODEL_TEXT 256      /* size of a typed text in bytes */
#define MODEL_PAGES (PAGE_TIMELINE + 1)

enum model_page {
    PAGE_PICKER, /* list of processes to choose from */
    PAGE_TABLE,
    PAGE_CODE,   /* the code of a function */
    PAGE_CALLS,  /* a call tree */
    PAGE_FLAME,
    PAGE_OUTPUT, /* the output of the program */
    PAGE_TIMELINE, /* what each thread did when */
};

enum model_prompt {
    PROMPT_NONE,
    PROMPT_SEARCH,
    PROMPT_SAVE,   /* a file name */
    PROMPT_FILTER, /* typed letters narrow the picker's list */
};

/* What the loop must do after an action. */
enum effect {
    EFFECT_NONE,
    EFFECT_PAINT,    /* the screen must be painted again */
    EFFECT_SNAPSHOT, /* a snapshot is needed now, for another view, filter or function */
    EFFECT_CLEAR,
    EFFECT_SAMPLE, /* stop sampling, or start it */
    EFFECT_RATE,   /* set the rate to model->asked_hz */
    EFFECT_WALL,   /* set the kind of time to model->wall */
    EFFECT_WINDOW, /* set the window to model->window_seconds */
    EFFECT_SAVE,   /* save to the path in model->text */
    EFFECT_ATTACH, /* attach to the processes in model->attach_pids */
    EFFECT_REDRAW, /* send the whole screen to the terminal again */
    EFFECT_SUSPEND,
    EFFECT_QUIT,
};

/* A filter that shows only what belongs to one row, the row that the user entered. When the filter is removed, the view
 * and the selection go back to where the user entered the row. `label` names the row, such as "worker 4711". */
struct model_filter {
    char label[96];
    enum pprofil_by by; /* grouping of the view in which the user entered the row */
    uint64_t selected;  /* id of the row that the user entered */
    struct pprofil_filter filter; /* combination of this filter and all filters before it */
    struct snapshot_condition condition; /* if two profiles are compared: this filter alone, in place of `filter` */
};

/* The position in a list: the selected line, the first line on the screen, and how far the names are scrolled. Each
 * page and each view has a list, whose position is kept while the screen shows another page or view. */
struct model_position {
    uint32_t selected, top;
    uint64_t id;
    unsigned sideways;
    /* true: the user has moved the selection, which now stays on its row wherever the row goes; false: the selection
     * stays on the first line */
    bool chosen;
};

/* Earlier values of counts. The header's figures are differences between present and earlier values. */
struct model_before {
    bool told;              /* there was a report of the supervisor */
    uint64_t told_ns;       /* time of the supervisor's last report; CLOCK_MONOTONIC */
    uint64_t target_cpu_ns, elapsed_ns, stopped_ns;
    bool counted;             /* `running` and `cpu_ns` below are valid */
    uint64_t running, cpu_ns; /* totals.running and totals.cpu_ns of the snapshot at the end of the last window */
    /* time of the last snapshot that had a new `elapsed_ns`, or that was taken while sampling was
     * off; CLOCK_MONOTONIC */
    uint64_t news_ns;
    uint64_t minute_ns;     /* end of the newest second in model->minute; CLOCK_MONOTONIC; 0: none yet */
};

/* Lines of the program's output, borrowed from struct output. */
struct model_output {
    const char *const *lines;
    uint32_t count;
};

/* The time line. The cursor and the mark are columns of its picture. */
struct model_timeline {
    struct snapshot_timeline now; /* owned */
    uint32_t cursor, mark;
    bool marked;     /* the range from the mark to the cursor is selected */
    int at, columns; /* first column of the screen that the picture has, and their number; set by the view */
};

struct model {
    enum model_page page;
    bool help;               /* the help covers the page */
    enum pprofil_by view;    /* grouping of the table */
    enum table_sort sort;
    struct table tables[SNAPSHOT_GROUPINGS];

    struct snapshot now; /* owned: the last snapshot, without its rows, which the model has in `tables` */
    bool have_snapshot;
    /* the header */
    char command[256];
    char targets[128]; /* the targets in words, such as "PID 4711" or "3 PIDs" */
    /* average number of CPUs that the target used between the supervisor's last two reports */
    double target_cpu;
    /* values of `target_cpu` in the last seconds, newest last; of a saved profile: in equal parts of its time */
    float minute[MODEL_MINUTE];
    double achieved_hz;         /* samples per second of CPU time in the last window */
    /* between the supervisor's last two reports: time for which the target was stopped, divided by its CPU time */
    double stopped_share;
    unsigned silent_seconds; /* seconds without a report of the supervisor; 0: the reports come regularly */
    uint32_t running, sleeping, uninterruptible; /* numbers of threads in the states R, S and D */
    const char *blocked_in;     /* the system call that the most threads sleep in (states S and D); "": none */
    uint32_t blocked_in_count;

    /* the position in the list of the present page */
    uint32_t selected; /* index of the line */
    uint64_t selected_id;
    uint32_t top;      /* first line on the screen */
    uint32_t page_rows; /* number of lines of the list that are on the screen; set by the view */
    uint32_t list_row;  /* row of the screen on which the list begins; set by the view */
    /* row of the screen with the titles of the columns; set by the view; 0: there are no titles */
    uint32_t header_row;
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
    uint64_t calls_ns;       /* end of the last window of calls; CLOCK_MONOTONIC; 0: none */
    char calls_name[256];    /* function whose callers or callees are shown */
    uint64_t flame_zoom, flame_selected; /* ids of rows; 0: the box "all" */
    /* The view sets flame_columns (width of the screen), flame_top (first level on the screen) and
     * flame_levels (number of levels). */
    int flame_columns;
    uint32_t flame_top, flame_levels;

    struct model_timeline timeline;

    struct model_output output;
    bool output_follows; /* the page scrolls when lines are added, so that it always shows the last line */
    bool has_output;     /* top started a program, whose output goes to PAGE_OUTPUT */

    /* the picker */
    struct pprofil_candidate *candidates; /* owned */
    /* owned: for each candidate, the average number of CPUs that it used since the previous list */
    double *candidate_cpu;
    /* owned: indexes in `candidates` of the processes that match the filter, in the order of the list */
    uint32_t *picked;
    uint32_t candidate_count, picked_count;
    uint64_t candidates_ns; /* time when the list was made; CLOCK_MONOTONIC */
    /* owned: pids of the marked processes, which are in `candidates` and can be attached to */
    uint32_t *marked;
    uint32_t marked_count;
    pid_t *attach_pids; /* owned: the processes to attach to */
    uint32_t attach_count;

    enum model_prompt prompt;
    char text[MODEL_TEXT];   /* text that is being typed */
    char search[MODEL_TEXT]; /* text that was searched for last */
    /* file name that the user typed. A file of this name exists, so a warning was shown. If the user types the same
     * name again, the file is overwritten. */
    char asked[MODEL_TEXT];
    /* number of existing files that saving under the name `asked` would overwrite; a format may make several files */
    uint32_t asked_files;
    char message[MODEL_TEXT]; /* shown until message_until_ns */
    uint64_t message_until_ns;

    bool saved;       /* a saved profile is shown, in which nothing changes */
    bool compares;    /* two saved profiles are compared; `saved` is true, too */
    const char *paths[2], *commands[2]; /* borrowed; of the old and the new profile, if they are compared */
    bool paused;      /* the display is held still */
    bool whole_names; /* names of functions are not made to fit */
    bool wall;
    double asked_hz;
    double window_seconds;
    uint32_t help_top; /* first line of the help on the screen */
    /* `help_last` is the greatest value that `help_top` may have. `help_rows` is the number of
     * lines of the help on the screen. The view sets both. */
    uint32_t help_last;
    uint32_t help_rows;

    /* only for tui/model*.c */
    struct table frozen[SNAPSHOT_GROUPINGS]; /* while paused: the tables that the screen shows */
    uint64_t table_ns[SNAPSHOT_GROUPINGS];   /* end of each table's last window; CLOCK_MONOTONIC */
    /* time when all counts were 0; 0: unknown. If a table begins with the next snapshot, its first window began at
     * this time. */
    uint64_t began_ns;
    struct model_before before;
    bool closed;              /* the last window has ended, and no other will begin */
    struct model_position positions[SNAPSHOT_GROUPINGS + MODEL_PAGES];
    /* index in `positions` of the list on the screen. This element is written when the user leaves the list. Until
     * then, the position is in the members `selected`, `top`, `selected_id`, `sideways` and `chosen`. */
    unsigned position;
    bool chosen;              /* true: the user has moved the selection; see struct model_position */
    enum model_page back;     /* page to which the user goes back from the page with the output */
    /* true: the model itself writes `targets` when it takes a snapshot; false: other code writes it */
    bool own_targets;
    bool candidates_compared; /* at least two lists of processes have come, so `candidate_cpu` is known */
    bool message_waits;       /* `message_until_ns` is not set yet: see model_answer */
    uint64_t *shown;          /* owned: ids of the rows on the screen, for model_wants */
    uint32_t shown_size;
};

struct model *model_new(void); /* returns NULL for want of memory */
void model_free(struct model *model);

/* Writes to *wants what the next snapshot must have. wants->shown points into the model. */
void model_wants(struct model *model, struct snapshot_wants *wants);
/* Takes over a snapshot, and leaves *snapshot empty. If `due` is true, a window ends with the
 * snapshot. Otherwise windows and histories do not change. */
void model_take(struct model *model, struct snapshot *snapshot, bool due);
/* Returns true if the table of the present view has rows without names, and will therefore be cleared and begin again
 * with the next snapshot. */
bool model_awaits_names(const struct model *model);
/* Takes over a list of processes, which the model frees. `time_ns` is the time when the list was made. */
void model_take_candidates(struct model *model, struct pprofil_candidate *candidates, uint32_t count, uint64_t time_ns);
/* Clears all tables, so that they begin anew. Call this function after all counts of the session were cleared. */
void model_cleared(struct model *model);
/* Shows a message for MESSAGE_NS from now_ns on. */
void model_say(struct model *model, uint64_t now_ns, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Handles a key. While a prompt is open, the key is input of the prompt. Otherwise the table of
 * keys says which action it has. */
enum effect model_key(struct model *model, const struct key_event *event);
enum effect model_act(struct model *model, enum action action, int argument);
enum key_where model_where(const struct model *model);

/* Returns the table of the present view. */
const struct table *model_table(const struct model *model);
/* Returns true if the picker has a mark on the process with this pid. */
bool marks_have(const struct model *model, uint32_t pid);
/* Returns the number of lines in the present page's list. */
uint32_t model_list_count(const struct model *model);
/* Returns the thread with this tid in the last snapshot, or NULL. */
const struct pprofil_task *model_task(const struct model *model, uint32_t tid);
/* Returns the number of lines of the time line: one for all threads, and one for each; 0: nothing is known. */
uint32_t timeline_lines(const struct model *model);
/* Returns the time at which a column of the time line begins, ns since the beginning of the profile. */
uint64_t timeline_time(const struct snapshot_timeline *line, uint32_t column);
/* Finds the selected columns, from *first to *end - 1: those between the mark and the cursor. Returns false if there is
 * no mark, so that only the cursor's column is selected. */
bool timeline_range(const struct model_timeline *timeline, uint32_t *first, uint32_t *end);

/* Writes the text of the filters in force, such as "main › worker 4711"; "" for no filter. */
void model_breadcrumb(const struct model *model, char *text, size_t size);

#endif
