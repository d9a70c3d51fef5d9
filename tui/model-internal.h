/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the model's files share: one for each of its subjects. */
#ifndef TUI_MODEL_INTERNAL_H
#define TUI_MODEL_INTERNAL_H

#include "model.h"

#define MESSAGE_NS (5 * UINT64_C(1000000000))

/* --- model.c ----------------------------------------------------------------------------- */

/* A line for people in answer to a key; its time begins with the next snapshot, for keys have
 * none. */
void model_answer(struct model *model, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The next snapshot (at time_ns) is here: such an answer's time begins. */
void model_answer_seen(struct model *model, uint64_t time_ns);

/* --- model-list.c: the selection, in whatever list is on the screen ------------------------ */

/* To be called first where page or view may have changed: by us, or by the loop. */
void list_settle(struct model *model);
/* Rows have moved: the selection goes with its row. */
void list_follow(struct model *model);
void list_select(struct model *model, uint32_t index);
/* The row with this id, once it is there. */
void list_select_id(struct model *model, uint64_t id);
void list_move(struct model *model, int64_t lines);
void list_scroll(struct model *model, int64_t lines);
void list_first(struct model *model);
void list_last(struct model *model);
void list_sideways(struct model *model, int columns);
/* The line of the list on this row of the screen; false: there is none. */
bool list_at(const struct model *model, int row, uint32_t *index);
/* What can be looked for in a line of the list: so many texts. */
#define LIST_TEXTS 3
void list_texts(const struct model *model, uint32_t index, const char *texts[LIST_TEXTS]);

/* --- model-view.c: which table, in which order ------------------------------------------- */

enum effect view_open(struct model *model, enum pprofil_by by);
enum effect view_step(struct model *model, int step);
enum effect view_sort_by(struct model *model, int sort);
enum effect view_pause(struct model *model);
void view_clear_tables(struct model *model);
/* Sorts a table as its view is sorted. */
void view_arrange(const struct model *model, struct table *table, enum pprofil_by by,
                  const struct snapshot *snapshot);
/* Taken with each snapshot, whatever is on the screen. */
bool view_is_kept(enum pprofil_by by);

/* --- model-calls.c: who calls whom --------------------------------------------------------- */

bool calls_is_page(const struct model *model);
enum effect calls_open(struct model *model, enum model_page page);
/* Opens the tree of the selected function, on whatever page that is. */
enum effect calls_open_function(struct model *model, enum pprofil_tree_kind kind);
void calls_take_snapshot(struct model *model, const struct snapshot *snapshot, bool due);
enum effect calls_enter(struct model *model);
enum effect calls_back(struct model *model);
/* In the list: to the left is the caller. In the flame view, too, by boxes and levels. */
enum effect calls_sideways(struct model *model, int steps);
enum effect flame_move(struct model *model, int levels);
void flame_click(struct model *model, int row, int column);
/* Changes whether calls are those of the last window, or all. */
enum effect calls_measure(struct model *model);

/* --- model-filter.c: into rows, and out ---------------------------------------------------- */

enum effect filter_enter(struct model *model);
enum effect filter_back(struct model *model);

/* --- model-idle.c: those who have used no CPU time ----------------------------------------- */

/* Adds rows without figures for living threads (or processes) that the report has none of, where
 * no filter leaves them out. 0 or -ENOMEM: none is added. */
int idle_add(const struct model *model, struct snapshot *snapshot, enum pprofil_by by);

/* --- model-prompt.c, model-picker.c------------------------------------------------- */

bool search_next(struct model *model, bool backwards, bool here_too);
enum effect prompt_open(struct model *model, enum model_prompt prompt);
enum effect prompt_key(struct model *model, uint32_t key);
void picker_narrow(struct model *model);
enum effect picker_key(struct model *model, const struct key_event *event);
enum effect picker_choose(struct model *model);

/* --- model-act.c --------------------------------------------------------------------------- */

/* A key that no prompt takes. */
enum effect act_on_key(struct model *model, const struct key_event *event);

#endif
