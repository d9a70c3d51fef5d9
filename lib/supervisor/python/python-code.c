/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Gives ids to code objects, and reads the names and line table of each of them once.
 *
 * A code object is known by its address. The interpreter may free it, and put another one in its place. So at each
 * sample, the addresses of its texts and its first line are compared with those that were found when it got its id.
 *
 * While a thread is stopped, its frames keep their code objects alive. So the names of new ones are read before the
 * thread is resumed, but only of a few at each stop. The others are read when they are met again.
 */
#include "config.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "supervisor/python/python-internal.h"

#define KNOWN_SIZE_FIRST 1024u
#define KEPT_STACKS 100000u /* a code object that is not in so many stacks may be forgotten */
#define IDS_MAX 0xffffffu   /* ids that a reader may give */
#define FAILURES_MAX 4u     /* after so many texts that cannot be read, the others are not read */

/* --- the table of known code objects -------------------------------------------------------------- */

/* Returns the entry of a code object, or the free entry where it would be. */
static struct known_code *known_find(const struct python_reader *reader, uint32_t runtime, uint64_t address)
{
    uint32_t at = hash_pair(runtime, address) & (reader->known_size - 1);

    while (reader->known[at].address != 0 &&
           (reader->known[at].address != address || reader->known[at].runtime != runtime))
        at = (at + 1) & (reader->known_size - 1);
    return &reader->known[at];
}

/* Makes a table of `size` entries, with the code objects that were met in the last `kept` stacks. If memory is short,
 * the table stays as it is. */
static void known_rebuild(struct python_reader *reader, uint32_t size, uint32_t kept)
{
    uint32_t old_size = reader->known_size;
    struct known_code *old = reader->known, *known = calloc(size, sizeof *known);

    if (known == NULL)
        return;
    reader->known = known;
    reader->known_size = size;
    reader->known_count = 0;
    for (uint32_t i = 0; i < old_size; i++)
        if (old[i].address != 0 && reader->takes - old[i].used <= kept) {
            *known_find(reader, old[i].runtime, old[i].address) = old[i];
            reader->known_count++;
        }
    free(old);
}

/* Makes room in the table. Code objects that were not met lately are forgotten: their processes may have ended. If they
 * are met again, they get new ids. */
static void known_make_room(struct python_reader *reader)
{
    if (reader->known_size == 0)
        known_rebuild(reader, KNOWN_SIZE_FIRST, UINT32_MAX);
    else
        known_rebuild(reader, reader->known_size, KEPT_STACKS);
    if (reader->known_count >= reader->known_size / 4)
        known_rebuild(reader, reader->known_size * 2, UINT32_MAX);
}

void python_reader_settle(struct python_reader *reader, bool lost)
{
    for (uint32_t i = 0; lost && i < reader->unsent_count; i++)
        reader->known[reader->unsent[i]].sent = false;
    reader->unsent_count = 0;
    reader->codes_size = 0;
    if (reader->known_count >= reader->known_size / 2)
        known_make_room(reader);
}

struct wire_python_code *python_reader_codes(struct python_reader *reader, size_t *size)
{
    *size = reader->codes_size;
    return (void *)reader->codes;
}

/* --- the types of objects -------------------------------------------------------------------------- */

/* Returns true if `type`, the type of an object, is the one with this name. *known: address of that type; 0: not known
 * yet. */
static bool type_is(struct python_reader *reader, const struct python_layout *layout, uint64_t type, const char *name,
                    _Atomic uint64_t *known)
{
    uint64_t expected = atomic_load(known), at;
    char found[8] = "";
    size_t size = strlen(name) + 1;

    if (expected != 0)
        return type == expected;
    if (type == 0 || !python_reader_read(reader, type + layout->type_name, &at, sizeof at, false) ||
        !python_reader_read(reader, at, found, size, false) || memcmp(found, name, size) != 0)
        return false;
    atomic_store(known, type);
    return true;
}

static uint64_t word_of(const uint8_t *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof word);
    return word;
}

/* --- the names of a code object -------------------------------------------------------------------- */

/* Finds the size of a character, and whether all are ASCII, in PyASCIIObject.state (unicodeobject.h). The bits before
 * `kind` are 2, 8 or 16, by version and options. Returns false if the object is no compact text. */
static bool text_decode_state(uint32_t state, uint32_t *width, bool *is_ascii)
{
    static const unsigned shifts[] = {2, 8, 16};

    for (size_t i = 0; i < sizeof shifts / sizeof *shifts; i++) {
        uint32_t bits = state >> shifts[i], kind = bits & 7;
        if ((kind == 1 || kind == 2 || kind == 4) && (bits >> 3 & 1) != 0) {
            *width = kind;
            *is_ascii = (bits >> 4 & 1) != 0;
            return !*is_ascii || kind == 1;
        }
    }
    return false;
}

/* Finds where the characters of a text are. Returns false if the object is no text. */
static bool text_decode(struct python_reader *reader, struct python_runtime *runtime, struct object *text)
{
    const struct python_layout *layout = &runtime->layout;
    uint64_t length = word_of(text->head + layout->text_length);
    uint32_t state;
    bool is_ascii;

    memcpy(&state, text->head + layout->text_state, sizeof state);
    if (!type_is(reader, layout, word_of(text->head + layout->object_type), "str", &runtime->text_type) ||
        !text_decode_state(state, &text->width, &is_ascii))
        return false;
    if (length > WIRE_PYTHON_TEXT_MAX / text->width)
        length = WIRE_PYTHON_TEXT_MAX / text->width;
    text->size = (uint32_t)length * text->width;
    text->data = text->address + (is_ascii ? layout->text_ascii : layout->text_compact);
    return true;
}

static void lines_decode(const struct python_layout *layout, struct object *lines)
{
    uint64_t length = word_of(lines->head + layout->bytes_length);

    lines->size = length > WIRE_PYTHON_LINES_MAX ? 0 : (uint32_t)length;
    lines->data = lines->address + layout->bytes_data;
}

static void object_add_head(struct gather *gather, const struct python_layout *layout, struct object *object,
                            bool is_text)
{
    size_t size = is_text ? layout->text_state + 4 : layout->bytes_length + 8;

    object->piece = gather_add(gather, object->address, object->head, size);
}

/* Begins an event for a code object, whose texts are then read to the right places. Returns NULL if there is no room.
 * */
static struct wire_python_code *code_begin_event(struct python_reader *reader, struct new_code *code)
{
    size_t size = sizeof(struct wire_python_code) + code->file.size + code->name.size + code->lines.size;
    struct wire_python_code *event = (void *)(reader->codes + reader->codes_size);

    size = (size + 7) / 8 * 8;
    if (size > sizeof reader->codes - reader->codes_size)
        return NULL;
    *event = (struct wire_python_code){
        .header = {WIRE_PYTHON_CODE, (uint32_t)size},
        .code = code->known->id,
        .first_line = code->first_line,
        .file = {code->file.size, code->file.width},
        .name = {code->name.size, code->name.width},
        .lines_size = code->lines.size,
    };
    uint8_t *at = (uint8_t *)(event + 1);
    code->file.piece = gather_add(&reader->pages.gather, code->file.data, at, code->file.size);
    at += code->file.size;
    code->name.piece = gather_add(&reader->pages.gather, code->name.data, at, code->name.size);
    at += code->name.size;
    code->lines.piece = gather_add(&reader->pages.gather, code->lines.data, at, code->lines.size);
    reader->codes_size += size;
    return event;
}

/* Reads the texts of one code object whose heads have been read, and makes its event. */
static void code_read_texts(struct python_reader *reader, struct python_runtime *runtime, struct new_code *code)
{
    struct gather *gather = &reader->pages.gather;
    size_t before = reader->codes_size;

    if (!text_decode(reader, runtime, &code->file) || !text_decode(reader, runtime, &code->name))
        return;
    lines_decode(&runtime->layout, &code->lines);
    gather->count = 0;
    struct wire_python_code *event = code_begin_event(reader, code);
    if (event == NULL)
        return;
    event->version = runtime->version;
    gather_read(gather, reader->pages.tid, FAILURES_MAX);
    if (!gather->done[0] || !gather->done[1] || !gather->done[2] ||
        reader->unsent_count == sizeof reader->unsent / sizeof *reader->unsent) {
        reader->codes_size = before;
        return;
    }
    code->known->sent = true;
    reader->unsent[reader->unsent_count++] = (uint32_t)(code->known - reader->known);
}

void python_code_read_names(struct python_reader *reader, struct python_runtime *runtime)
{
    struct gather *gather = &reader->pages.gather;
    struct new_code *codes = reader->new_codes;
    bool done[NEW_CODES_MAX];

    gather->count = 0;
    for (unsigned i = 0; i < reader->new_code_count; i++) {
        object_add_head(gather, &runtime->layout, &codes[i].file, true);
        object_add_head(gather, &runtime->layout, &codes[i].name, true);
        object_add_head(gather, &runtime->layout, &codes[i].lines, false);
    }
    gather_read(gather, reader->pages.tid, FAILURES_MAX);
    for (unsigned i = 0; i < reader->new_code_count; i++)
        done[i] = gather->done[3 * i] && gather->done[3 * i + 1] && gather->done[3 * i + 2];
    for (unsigned i = 0; i < reader->new_code_count; i++)
        if (done[i])
            code_read_texts(reader, runtime, &codes[i]);
}

/* --- the code objects of a sample ------------------------------------------------------------------ */

/* The code object of a frame, as far as it has been read. */
struct frame_code {
    uint64_t address;
    uint8_t bytes[PYTHON_CODE_BYTES]; /* from code_low on */
};

/* Returns a field of a code object: `field` is one of the layout's code_ fields. */
static const uint8_t *code_field(const struct python_layout *layout, const struct frame_code *code, uint32_t field)
{
    return code->bytes + (field - layout->code_low);
}

/* Returns the hash of the fields that tell a code object from another one that is at the same address later. */
static uint64_t code_print(const struct python_layout *layout, const struct frame_code *code)
{
    uint64_t sum = HASH_FNV_START;

    sum = hash_fnv(sum, code_field(layout, code, layout->code_file), 8);
    sum = hash_fnv(sum, code_field(layout, code, layout->code_name), 8);
    sum = hash_fnv(sum, code_field(layout, code, layout->code_lines), 8);
    return hash_fnv(sum, code_field(layout, code, layout->code_line), 4);
}

/* Finds the entry of a code object, or makes one. NULL: the table is full. */
static struct known_code *code_know(struct python_reader *reader, const struct python_runtime *runtime,
                                    const struct frame_code *code)
{
    struct known_code *known = known_find(reader, runtime->number, code->address);
    uint64_t print = code_print(&runtime->layout, code);

    if (known->address != 0 && known->print == print) {
        known->used = reader->takes;
        return known;
    }
    if (reader->last_id == IDS_MAX || (known->address == 0 && reader->known_count >= reader->known_size / 4 * 3))
        return NULL;
    reader->known_count += known->address == 0;
    *known = (struct known_code){
        .address = code->address, .runtime = runtime->number, .print = print, .used = reader->takes};
    known->id = reader->number << 24 | ++reader->last_id;
    return known;
}

/* Adds a code object to those whose names are to be read, if it is not there yet and there is room. */
static void code_add_new(struct python_reader *reader, const struct python_layout *layout,
                         const struct frame_code *code, struct known_code *known)
{
    for (unsigned i = 0; i < reader->new_code_count; i++)
        if (reader->new_codes[i].known == known)
            return;
    if (reader->new_code_count == NEW_CODES_MAX)
        return;
    struct new_code *new = &reader->new_codes[reader->new_code_count++];
    *new = (struct new_code){.known = known};
    memcpy(&new->first_line, code_field(layout, code, layout->code_line), sizeof new->first_line);
    new->file.address = word_of(code_field(layout, code, layout->code_file));
    new->name.address = word_of(code_field(layout, code, layout->code_name));
    new->lines.address = word_of(code_field(layout, code, layout->code_lines));
}

int64_t python_code_instruction(const struct python_layout *layout, const struct read_frame *frame)
{
    if (layout->instruction_unit != 0)
        return (int64_t)frame->instruction * layout->instruction_unit;
    return (int64_t)(frame->instruction - (frame->code + layout->code_start));
}

struct known_code *python_code_identify(struct python_reader *reader, struct python_runtime *runtime, uint64_t address)
{
    const struct python_layout *layout = &runtime->layout;
    struct frame_code code = {.address = address};

    if (!python_reader_read(reader, address + layout->code_low, code.bytes, layout->code_size, false) ||
        !type_is(reader, layout, word_of(code_field(layout, &code, layout->object_type)), "code", &runtime->code_type))
        return NULL;
    struct known_code *known = code_know(reader, runtime, &code);
    if (known != NULL && !known->sent)
        code_add_new(reader, layout, &code, known);
    return known;
}
