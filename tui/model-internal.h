/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* model-internal: functions that the files of the model share, with a section for each file. */
#ifndef TUI_MODEL_INTERNAL_H
#define TUI_MODEL_INTERNAL_H

#include "model.h"

#define MESSAGE_NS (5 * UINT64_C(1000000000)) /* time for which a message is shown */

/* --- model.c ----------------------------------------------------------------------------- */

/* Shows a message in answer to a key, for MESSAGE_NS. Key events have no time stamp, so the time of the message begins
 * with the next snapshot or list of processes. */
void model_answer(struct model *model, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* If a message of model_answer has no end yet, sets its end to MESSAGE_NS after time_ns. Called
 * with the time of each snapshot or list of processes. */
void model_answer_seen(struct model *model, uint64_t time_ns);

/* --- model-list.c: the selection in the list on the screen --------------------------------- */

/* Adapts the selection to the present page and view. Any function that may run after a change of
 * page or view calls list_settle first. */
void list_settle(struct model *model);
/* Adapts the selection after rows have moved: selects the row with model->selected_id, or the first
 * line if model->chosen is not set. */
void list_follow(struct model *model);
void list_select(struct model *model, uint32_t index);
/* Selects the row with this id. If the list does not have it yet, it is selected when it comes into the list. */
void list_select_id(struct model *model, uint64_t id);
void list_move(struct model *model, int64_t lines);
void list_scroll(struct model *model, int64_t lines);
void list_first(struct model *model);
void list_last(struct model *model);
void list_sideways(struct model *model, int columns);
/* Finds the line of the list that is on this row of the screen. Returns false if there is none. */
bool list_at(const struct model *model, int row, uint32_t *index);
/* number of texts that a search looks through in each line of a list */
#define LIST_TEXTS 3
void list_texts(const struct model *model, uint32_t index, const char *texts[LIST_TEXTS]);

/* --- model-view.c: the table on the screen and its order --------------------------------- */

enum effect view_open(struct model *model, enum pprofil_by by);
enum effect view_step(struct model *model, int step);
enum effect view_sort_by(struct model *model, int sort);
enum effect view_pause(struct model *model);
void view_clear_tables(struct model *model);
/* Sorts a table in the order model->sort, or by TABLE_BY_WINDOW if tables of its view do not have that order. Processes
 * are sorted as a tree for TABLE_BY_WINDOW. */
void view_arrange(const struct model *model, struct table *table, enum pprofil_by by, const struct snapshot *snapshot);

/* --- model-calls.c: who calls whom --------------------------------------------------------- */

bool calls_is_page(const struct model *model);
enum effect calls_open(struct model *model, enum model_page page);
/* Opens the tree of the selected function, on any page that has functions. */
enum effect calls_open_function(struct model *model, enum pprofil_tree_kind kind);
void calls_take_snapshot(struct model *model, const struct snapshot *snapshot, bool due);
enum effect calls_enter(struct model *model);
/* If the flame view is on the screen and zoomed, shows the whole tree again and returns true.
 * Otherwise returns false. */
bool flame_unzoom(struct model *model);
/* In the list, `steps` < 0 folds the selected row. If the row is folded already, its parent is selected instead.
 * `steps` > 0 unfolds the row. If the row is unfolded already, its largest child is selected instead. In the flame
 * view, the selection moves `steps` boxes to the right, or to the left if `steps` < 0. */
enum effect calls_sideways(struct model *model, int steps);
/* Selects the box that is `levels` levels below the selected box, or above it if `levels` < 0. */
enum effect flame_move(struct model *model, int levels);
void flame_click(struct model *model, int row, int column);
/* Switches between shares of the last window and shares of the time since the start. */
enum effect calls_measure(struct model *model);

/* --- model-timeline.c: what each thread did when ------------------------------------------- */

enum effect timeline_open(struct model *model);
void timeline_want(const struct model *model, struct snapshot_wants *wants);
/* Takes over the time line of a snapshot, if it has one. */
void timeline_take(struct model *model, struct snapshot *snapshot);
/* Moves the cursor by `steps` columns. */
enum effect timeline_sideways(struct model *model, int steps);
/* Marks the cursor's column as one end of a range, or removes the mark. */
enum effect timeline_mark(struct model *model);
/* Moves the cursor to this column of the screen. */
void timeline_click(struct model *model, int column);
/* Adds a filter: the selected range, or, if nothing is marked, the selected thread. */
enum effect timeline_enter(struct model *model);
/* If the time line is on the screen and has a mark, removes the mark and returns true. */
bool timeline_unmark(struct model *model);

/* --- model-control.c: the actions that control the sampling; for actions of the model ----------- */

enum effect control_sample(struct model *model, int argument);
/* direction: 1: more samples; -1: fewer */
enum effect control_rate(struct model *model, int direction);
enum effect control_wall(struct model *model, int argument);
enum effect control_window(struct model *model, int argument);

/* --- model-filter.c: entering rows and going back ------------------------------------------ */

enum effect filter_enter(struct model *model);
/* Adds a filter: only what was sampled from one time until another, ns since the beginning of the profile. */
enum effect filter_push_range(struct model *model, uint64_t from_ns, uint64_t to_ns);
/* Adds a filter: only this row of a report by thread. */
enum effect filter_push_thread(struct model *model, const struct pprofil_row *row);
enum effect filter_back(struct model *model);

/* --- model-idle.c: threads and processes without samples ----------------------------------- */

/* Adds rows without counts for living threads (or processes) that the report lacks and the filter lets through. Returns
 * 0, or -ENOMEM with no row added. */
int idle_add(const struct model *model, struct snapshot *snapshot, enum pprofil_by by);

/* --- model-marks.c: processes that the user has marked in the picker ------------------------- */

/* Marks the selected process, or removes its mark, and selects the next one. */
enum effect marks_toggle(struct model *model);
/* Marks the selected process and all processes below it, or removes their marks. */
enum effect marks_toggle_children(struct model *model);
/* Marks all processes that the filter shows, or removes their marks if all have one. */
enum effect marks_toggle_all(struct model *model);
/* Removes the marks of processes that are not in the list any more, or cannot be attached to any more. */
void marks_follow(struct model *model);

/* --- model-prompt.c, model-picker.c ------------------------------------------------ */

bool search_next(struct model *model, bool backwards, bool here_too);
enum effect prompt_open(struct model *model, enum model_prompt prompt);
enum effect prompt_key(struct model *model, uint32_t key);
void picker_narrow(struct model *model);
/* Returns true if the key edits the text of the picker's filter, or would be the first character of this text.
 * picker_key handles such a key. */
bool picker_is_input(const struct model *model, uint32_t key);
enum effect picker_key(struct model *model, uint32_t key);
enum effect picker_choose(struct model *model);

#endif
