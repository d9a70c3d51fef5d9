/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keeps the code objects of Python interpreters, and makes locations for frames that execute them. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "profile/named-locations.h"
#include "script/script.h"

/* A code object. Code objects with equal contents, in any process, are one. */
struct script_code {
    uint32_t version, first_line;
    bool hidden;                     /* it is the interpreter's own code, which calls __init__ in 3.12 and later */
    uint32_t object, function, file; /* indexes in the profile's tables objects, functions and strings */
    uint8_t *lines;                  /* owned; the line table */
    uint32_t lines_size;
};

struct script_id {
    uint32_t id, pid;
    uint32_t code; /* index in script_codes.codes */
};

struct script_codes {
    struct profile *profile; /* borrowed */
    struct script_code *codes;
    uint32_t count;
    struct hash_index by_content;
    struct script_id *ids; /* the ids of code objects of processes that live */
    uint32_t id_count;
    struct hash_index by_id;
    /* finds the location of a code object and a line */
    struct script_place {
        uint32_t code; /* index in `codes`, plus 1; 0: the code object is not known */
        uint32_t line, location;
    } * places;
    uint32_t place_count;
    struct hash_index by_place;
};

struct script_codes *script_codes_new(struct profile *profile)
{
    struct script_codes *codes = calloc(1, sizeof *codes);

    if (codes != NULL)
        codes->profile = profile;
    return codes;
}

void script_codes_free(struct script_codes *codes)
{
    if (codes == NULL)
        return;
    for (uint32_t i = 0; i < codes->count; i++)
        free(codes->codes[i].lines);
    free(codes->codes);
    free(codes->ids);
    free(codes->places);
    hash_free(&codes->by_content);
    hash_free(&codes->by_id);
    hash_free(&codes->by_place);
    free(codes);
}

/* --- code objects ------------------------------------------------------------------------------------ */

/* Returns the index of the code object with this id, plus 1; 0: it is not known. */
static uint32_t script_find_id(const struct script_codes *codes, uint32_t id)
{
    uint32_t hash = hash_pair(id, 0), at = hash, found;

    while ((found = hash_next(&codes->by_id, hash, &at)) != HASH_NONE)
        if (codes->ids[found].id == id)
            return codes->ids[found].code + 1;
    return 0;
}

/* Converts a text of the interpreter to UTF-8. Returns memory that the caller frees; NULL: no memory. */
static char *script_text(const struct wire_python_text *text, const unsigned char *bytes)
{
    uint32_t length = text->size / text->width;
    char *result = malloc(4 * (size_t)length + 1), *at = result;

    if (result == NULL)
        return NULL;
    for (uint32_t i = 0; i < length; i++) {
        uint32_t character = 0;
        memcpy(&character, bytes + (size_t)i * text->width, text->width); /* both machines are little-endian */
        bool valid = character != 0 && character <= 0x10ffff && (character < 0xd800 || character > 0xdfff);
        at += utf8_encode(valid ? character : 0xfffd, at);
    }
    *at = '\0';
    return result;
}

static int script_code_name(struct script_codes *codes, const struct wire_python_code *event, struct script_code *code)
{
    const unsigned char *bytes = (const unsigned char *)(event + 1);
    char *file = script_text(&event->file, bytes);
    char *name = script_text(&event->name, bytes + event->file.size);
    int error = file == NULL || name == NULL ? -ENOMEM : 0;

    if (error == 0) {
        code->hidden = strcmp(file, name) == 0 && strcmp(name, "__init__") == 0; /* _Py_InitCleanup of frame.c */
        error = profile_named_object(codes->profile, file, &code->object);
    }
    if (error == 0)
        error = profile_string(codes->profile, file, &code->file);
    if (error == 0)
        error = profile_named_function(codes->profile, code->object, name, file, event->first_line, &code->function);
    free(file);
    free(name);
    return error;
}

static uint32_t script_code_hash(const struct script_code *code)
{
    return hash_pair(code->function, hash_bytes(code->lines, code->lines_size));
}

static bool script_code_equals(const struct script_code *a, const struct script_code *b)
{
    return a->function == b->function && a->object == b->object && a->version == b->version &&
           a->lines_size == b->lines_size && memcmp(a->lines, b->lines, a->lines_size) == 0;
}

/* Finds or adds a code object by its contents. `code`: its line table is borrowed. Stores its index in *index. */
static int script_code_intern(struct script_codes *codes, const struct script_code *code, uint32_t *index)
{
    uint32_t hash = script_code_hash(code), at = hash, found;

    while ((found = hash_next(&codes->by_content, hash, &at)) != HASH_NONE)
        if (script_code_equals(&codes->codes[found], code)) {
            *index = found;
            return 0;
        }
    int error = array_grow(&codes->codes, codes->count, sizeof *codes->codes);
    uint8_t *lines = error == 0 ? malloc(code->lines_size > 0 ? code->lines_size : 1) : NULL;
    if (lines == NULL)
        return error != 0 ? error : -ENOMEM;
    memcpy(lines, code->lines, code->lines_size);
    error = hash_add(&codes->by_content, hash, codes->count);
    if (error != 0) {
        free(lines);
        return error;
    }
    codes->codes[codes->count] = *code;
    codes->codes[codes->count].lines = lines;
    *index = codes->count++;
    return 0;
}

int script_codes_add(struct script_codes *codes, const struct wire_python_code *event)
{
    /* the constness of the line table is only cast away: script_code_intern copies it */
    uint8_t *lines = (uint8_t *)(uintptr_t)(event + 1) + event->file.size + event->name.size;
    struct script_code code = {
        .version = event->version, .first_line = event->first_line, .lines = lines, .lines_size = event->lines_size};
    struct script_id id = {.id = event->code, .pid = event->pid};

    if (script_find_id(codes, event->code) != 0)
        return 0;
    int error = script_code_name(codes, event, &code);
    if (error == 0)
        error = script_code_intern(codes, &code, &id.code);
    if (error == 0)
        error = array_grow(&codes->ids, codes->id_count, sizeof *codes->ids);
    if (error == 0)
        error = hash_add(&codes->by_id, hash_pair(id.id, 0), codes->id_count);
    if (error == 0)
        codes->ids[codes->id_count++] = id;
    return error;
}

int script_codes_forget(struct script_codes *codes, uint32_t pid)
{
    uint32_t kept = 0, count = codes->id_count;
    int error = 0;

    for (uint32_t i = 0; i < count; i++)
        if (codes->ids[i].pid != pid)
            codes->ids[kept++] = codes->ids[i];
    if (kept == count)
        return 0;
    hash_clear(&codes->by_id);
    for (codes->id_count = 0; error == 0 && codes->id_count < kept; codes->id_count++)
        error = hash_add(&codes->by_id, hash_pair(codes->ids[codes->id_count].id, 0), codes->id_count);
    return error;
}

/* --- locations --------------------------------------------------------------------------------------- */

static int script_place_add(struct script_codes *codes, const struct script_place *place)
{
    int error = array_grow(&codes->places, codes->place_count, sizeof *codes->places);

    if (error == 0)
        error = hash_add(&codes->by_place, hash_pair(place->code, place->line), codes->place_count);
    if (error == 0)
        codes->places[codes->place_count++] = *place;
    return error;
}

static int script_make_location(struct script_codes *codes, const struct script_code *code, uint32_t number,
                                uint32_t *location)
{
    struct profile_line line = {0};
    uint32_t object = 0;
    int error = 0;

    if (code != NULL) {
        object = code->object;
        line = (struct profile_line){.function = code->function, .file = code->file, .line = number};
    } else {
        error = profile_unknown_object(codes->profile, &object);
        if (error == 0)
            error = profile_named_function(codes->profile, object, "[Python code]", "", 0, &line.function);
    }
    return error == 0 ? profile_named_location(codes->profile, object, &line, 1, location) : error;
}

int script_codes_location(struct script_codes *codes, const struct wire_python_frame *frame, uint32_t *location)
{
    struct script_place place = {.code = script_find_id(codes, frame->code)};
    const struct script_code *code = place.code != 0 ? &codes->codes[place.code - 1] : NULL;

    *location = PROFILE_NONE;
    if (code != NULL && code->hidden)
        return 0;
    if (code != NULL)
        place.line = script_line(code->version, code->lines, code->lines_size, code->first_line, frame->instruction);
    if (code != NULL && place.line == 0) /* instructions that set the function up */
        place.line = code->first_line;
    uint32_t hash = hash_pair(place.code, place.line), at = hash, found;
    while ((found = hash_next(&codes->by_place, hash, &at)) != HASH_NONE)
        if (codes->places[found].code == place.code && codes->places[found].line == place.line) {
            *location = codes->places[found].location;
            return 0;
        }
    int error = script_make_location(codes, code, place.line, &place.location);
    *location = place.location;
    return error == 0 ? script_place_add(codes, &place) : error;
}

/* --- periods ----------------------------------------------------------------------------------------- */

static int script_code_move(struct script_codes *codes, const struct profile *ended, struct script_code *code)
{
    const struct profile_function *function = &ended->functions[code->function];
    const char *path = ended->strings[ended->objects[code->object].path];
    int error = profile_named_object(codes->profile, path, &code->object);

    if (error == 0)
        error = profile_string(codes->profile, ended->strings[code->file], &code->file);
    if (error == 0)
        error = profile_named_function(codes->profile, code->object, ended->strings[function->name],
                                       ended->strings[function->file], function->line, &code->function);
    return error;
}

/* Removes code objects that no living process has. kept: scratch space, an element for each code object. */
static void script_drop_codes(struct script_codes *codes, uint32_t *kept)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < codes->id_count; i++)
        kept[codes->ids[i].code] = 1;
    for (uint32_t i = 0; i < codes->count; i++) {
        if (kept[i] == 0) {
            free(codes->codes[i].lines);
            continue;
        }
        codes->codes[count] = codes->codes[i];
        kept[i] = count++;
    }
    codes->count = count;
    for (uint32_t i = 0; i < codes->id_count; i++)
        codes->ids[i].code = kept[codes->ids[i].code];
}

int script_codes_end_period(struct script_codes *codes, const struct profile *ended)
{
    uint32_t *kept = calloc(codes->count + 1u, sizeof *kept);
    int error = kept == NULL ? -ENOMEM : 0;

    if (error == 0)
        script_drop_codes(codes, kept);
    free(kept);
    hash_clear(&codes->by_content);
    hash_clear(&codes->by_place);
    codes->place_count = 0;
    for (uint32_t i = 0; error == 0 && i < codes->count; i++) {
        struct script_code *code = &codes->codes[i];
        error = script_code_move(codes, ended, code);
        if (error == 0)
            error = hash_add(&codes->by_content, script_code_hash(code), i);
    }
    return error;
}
