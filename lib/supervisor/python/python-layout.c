/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The layouts of CPython's structures, by version.
 *
 * For 3.8 to 3.12, they are in a table. The headers of these versions define them: Include/cpython/pystate.h,
 * frameobject.h (cpython/ and internal/pycore_frame.h), code.h, unicodeobject.h, internal/pycore_interp.h and
 * pycore_runtime.h. They are the same on all 64-bit machines, and in all releases of a version. From 3.13 on, they are
 * published at the beginning of _PyRuntime, as a struct _Py_DebugOffsets (pycore_debug_offsets.h), whose fields are 64
 * bits wide.
 *
 * An interpreter with other compile options (Py_TRACE_REFS) has other layouts. Its memory fails the check, which looks
 * for links that must lead back.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "supervisor/python/python.h"
#include "supervisor/target-memory.h"

#define OFFSET_MAX 1048576u /* no offset is as large */
#define PUBLISHED_WORDS 93u /* number of 64-bit words of struct _Py_DebugOffsets that are used, at most */

/* PyObject, PyUnicodeObject and PyBytesObject, up to 3.11 and in 3.12 */
#define OBJECTS_BEFORE_3_12 \
    .object_type = 8, .type_name = 24, .text_length = 16, .text_state = 32, .text_ascii = 48, .text_compact = 72, \
    .bytes_length = 16, .bytes_data = 32
#define OBJECTS_SINCE_3_12 \
    .object_type = 8, .type_name = 24, .text_length = 16, .text_state = 32, .text_ascii = 40, .text_compact = 56, \
    .bytes_length = 16, .bytes_data = 32
/* what 3.8, 3.9 and 3.10 have in common */
#define COMMON_BEFORE_3_11 \
    .runtime_interpreters = 32, .interpreter_next = 0, .interpreter_states = 8, .state_next = 8, \
    .state_interpreter = 16, .state_thread = 176, .state_frame = 24, .frame_previous = 24, .frame_code = 32, \
    .code_file = 104, .code_name = 112, .code_line = 40, .code_lines = 120, OBJECTS_BEFORE_3_12

static const struct {
    unsigned minor;
    struct python_layout layout;
} layouts[] = {
    {8, {COMMON_BEFORE_3_11, .frame_instruction = 104, .instruction_unit = 1}},
    {9, {COMMON_BEFORE_3_11, .frame_instruction = 104, .instruction_unit = 1}},
    {10, {COMMON_BEFORE_3_11, .frame_instruction = 96, .instruction_unit = 2}},
    {11,
     {.runtime_interpreters = 40, .interpreter_next = 0, .interpreter_states = 16, .state_next = 8,
      .state_interpreter = 16, .state_thread = 152, .state_tid = 160, .state_frame = 56, .has_cframes = true,
      .cframe_frame = 8, .cframe_previous = 16, .frame_previous = 48, .frame_code = 32, .frame_instruction = 56,
      .frame_owner = 69, .frame_entry = 68, .owner_c = UINT8_MAX, .code_file = 112, .code_name = 128, .code_line = 72,
      .code_lines = 136, .code_start = 184, OBJECTS_BEFORE_3_12}},
    {12,
     {.runtime_interpreters = 40, .interpreter_next = 0, .interpreter_states = 72, .state_next = 8,
      .state_interpreter = 16, .state_thread = 136, .state_tid = 144, .state_frame = 56, .has_cframes = true,
      .cframe_frame = 0, .cframe_previous = 8, .frame_previous = 8, .frame_code = 0, .frame_instruction = 56,
      .frame_owner = 70, .owner_c = 3, .code_file = 112, .code_name = 128, .code_line = 68, .code_lines = 136,
      .code_start = 192, OBJECTS_SINCE_3_12}},
};

/* --- layouts that the interpreter publishes ---------------------------------------------------- */

/* Where the fields of struct _Py_DebugOffsets are, in 64-bit words. */
struct published {
    unsigned minor;
    uint8_t interpreter_next, interpreter_states;
    uint8_t state;  /* size; then prev, next, interp, current_frame */
    uint8_t thread; /* thread_id; then native_thread_id */
    uint8_t frame;  /* size; then previous, executable, instr_ptr, localsplus, owner */
    uint8_t code;   /* size; then filename, name, qualname, linetable, firstlineno, three more, co_code_adaptive */
    uint8_t object; /* size; then ob_type, the size of a type, tp_name */
    uint8_t bytes;  /* size; then ob_size, ob_sval; then size, state, length, asciiobject_size of a text */
};

static const struct published published_layouts[] = {
    {13, 8, 9, 19, 24, 28, 34, 44, 64},
    {14, 8, 9, 22, 27, 31, 39, 50, 74},
    {15, 8, 9, 22, 30, 39, 47, 58, 86},
};

/* Translates a published layout. words: the beginning of struct _Py_DebugOffsets. */
static void layout_translate(struct python_layout *layout, const struct published *where, const uint64_t *words)
{
    const uint64_t *state = words + where->state, *frame = words + where->frame, *code = words + where->code;
    const uint64_t *object = words + where->object, *bytes = words + where->bytes;

    *layout = (struct python_layout){
        .runtime_interpreters = (uint32_t)words[5],
        .interpreter_next = (uint32_t)words[where->interpreter_next],
        .interpreter_states = (uint32_t)words[where->interpreter_states],
        .state_next = (uint32_t)state[2],
        .state_interpreter = (uint32_t)state[3],
        .state_frame = (uint32_t)state[4],
        .state_thread = (uint32_t)words[where->thread],
        .state_tid = (uint32_t)words[where->thread + 1],
        .frame_previous = (uint32_t)frame[1],
        .frame_code = (uint32_t)frame[2],
        .frame_instruction = (uint32_t)frame[3],
        .frame_owner = (uint32_t)frame[5],
        .owner_c = 3, /* FRAME_OWNED_BY_CSTACK of 3.13, FRAME_OWNED_BY_INTERPRETER since 3.14 */
        .code_file = (uint32_t)code[1],
        .code_name = (uint32_t)code[3],
        .code_lines = (uint32_t)code[4],
        .code_line = (uint32_t)code[5],
        .code_start = (uint32_t)code[9],
        .object_type = (uint32_t)object[1],
        .type_name = (uint32_t)object[3],
        .bytes_length = (uint32_t)bytes[1],
        .bytes_data = (uint32_t)bytes[2],
        .text_state = (uint32_t)bytes[4],
        .text_length = (uint32_t)bytes[5],
        .text_ascii = (uint32_t)bytes[6],
        .text_compact = (uint32_t)bytes[6] + 16, /* PyCompactUnicodeObject adds utf8_length and utf8 */
    };
}

/* Returns true if all words that layout_translate uses may be offsets. */
static bool layout_is_plausible(const uint64_t *words, const struct published *where)
{
    /* word 6 is a size; all words from word 8 on are offsets, or sizes of small structures */
    const unsigned first = 8, last = where->bytes + 6u;

    if (memcmp(words, "xdebugpy", sizeof *words) != 0 || words[1] >> 16 != (3u << 8 | where->minor) ||
        words[5] >= OFFSET_MAX)
        return false;
    for (unsigned i = first; i <= last; i++)
        if (words[i] >= OFFSET_MAX)
            return false;
    return true;
}

static int layout_read_published(struct python_layout *layout, const struct published *where, pid_t pid,
                                 uint64_t runtime)
{
    uint64_t words[PUBLISHED_WORDS];
    int error = target_memory_read(pid, runtime, words, sizeof words);

    if (error != 0)
        return error;
    if (!layout_is_plausible(words, where))
        return -EPROTO;
    layout_translate(layout, where, words);
    return 0;
}

/* --- any version -------------------------------------------------------------------------------- */

/* Widens [*low, *high) so that it includes a field of `size` bytes at `offset`. */
static void layout_include(uint32_t *low, uint32_t *high, uint32_t offset, uint32_t size)
{
    *low = offset < *low ? offset : *low;
    *high = offset + size > *high ? offset + size : *high;
}

/* Computes which parts of frames and of code objects must be read. Returns 0, or -EPROTO if a part is too large for the
 * reader's buffers: a program that only looks like an interpreter may publish any offsets. */
static int layout_complete(struct python_layout *layout)
{
    uint32_t low = UINT32_MAX, high = 0;

    layout_include(&low, &high, layout->frame_previous, 8);
    layout_include(&low, &high, layout->frame_code, 8);
    layout_include(&low, &high, layout->frame_instruction, layout->instruction_unit == 0 ? 8 : 4);
    if (layout->frame_owner != 0)
        layout_include(&low, &high, layout->frame_owner, 1);
    if (layout->frame_entry != 0)
        layout_include(&low, &high, layout->frame_entry, 1);
    layout->frame_low = low;
    layout->frame_size = high - low;
    low = UINT32_MAX;
    high = 0;
    layout_include(&low, &high, layout->object_type, 8);
    layout_include(&low, &high, layout->code_file, 8);
    layout_include(&low, &high, layout->code_name, 8);
    layout_include(&low, &high, layout->code_line, 4);
    layout_include(&low, &high, layout->code_lines, 8);
    layout->code_low = low;
    layout->code_size = high - low;
    low = high = 0;
    layout_include(&low, &high, layout->object_type, 8);
    layout_include(&low, &high, layout->text_length, 8);
    layout_include(&low, &high, layout->text_state, 4);
    layout_include(&low, &high, layout->bytes_length, 8);
    return layout->frame_size <= PYTHON_FRAME_BYTES && layout->code_size <= PYTHON_CODE_BYTES &&
                   high <= PYTHON_HEAD_BYTES
               ? 0
               : -EPROTO;
}

int python_layout_find(struct python_layout *layout, pid_t pid, uint64_t runtime, uint32_t version)
{
    unsigned minor = version >> 16 & 0xff;
    int error = -ENOTSUP;

    if (version >> 24 != 3)
        return -ENOTSUP;
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (layouts[i].minor == minor) {
            *layout = layouts[i].layout;
            error = 0;
        }
    for (size_t i = 0; i < sizeof published_layouts / sizeof *published_layouts; i++)
        if (published_layouts[i].minor == minor)
            error = layout_read_published(layout, &published_layouts[i], pid, runtime);
    return error == 0 ? layout_complete(layout) : error;
}
