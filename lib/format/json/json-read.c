/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads pprofil's own JSON into a profile, table by table. A table is read after the tables that it refers to. Equal
 * entries of a table become one entry of the profile. So the number that an entry has in the file may differ from its
 * index in the profile. For each table, an array (became) translates the numbers to indexes.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/format.h"
#include "format/json/json.h"
#include "format/profile-builder.h"
#include "format/text.h"
#include "pprofil/error.h"

enum table { PROCESSES, THREADS, OBJECTS, FUNCTIONS, LOCATIONS, NODES, SYSCALLS, SAMPLES, TABLES };

struct reader {
    struct profile *profile;
    struct {
        uint32_t *became; /* owned; became[i] is the index in the profile of the entry with number i in the file */
        size_t count;     /* how many entries have been read, plus 1 */
    } tables[TABLES];
};

/* Finds the entry with this number in the file, and sets *index to its index in the profile. The number 0 means "none",
 * and is valid unless `need` is true. Returns false if the number is not valid. */
static bool find_index(const struct reader *reader, enum table table, uint64_t number, bool need, uint32_t *index)
{
    *index = 0;
    if (number == 0)
        return !need;
    if (number >= reader->tables[table].count)
        return false;
    *index = reader->tables[table].became[number];
    return true;
}

static bool find_member_index(const struct reader *reader, const json_t *entry, const char *key,
                              enum table table, bool need, uint32_t *index)
{
    uint64_t number;
    return json_member(entry, key, UINT32_MAX, &number) && find_index(reader, table, number, need, index);
}

static bool read_whole32(const json_t *entry, const char *key, uint32_t *number)
{
    uint64_t value;
    bool valid = json_member(entry, key, UINT32_MAX, &value);

    *number = (uint32_t)value;
    return valid;
}

/* Reads a hexadecimal number from a text like "0x1f30". If the member is missing, the number is 0. */
static bool read_hex(const json_t *entry, const char *key, uint64_t *number)
{
    const char *text = json_text(entry, key, NULL), *at;

    *number = 0;
    if (text == NULL)
        return json_object_get(entry, key) == NULL;
    at = text + 2;
    return strncmp(text, "0x", 2) == 0 && text_number(&at, 16, number) && *at == '\0';
}

static int read_string(const struct reader *reader, const json_t *entry, const char *key, uint32_t *index)
{
    return profile_string(reader->profile, json_text(entry, key, ""), index);
}

/* --- entries ------------------------------------------------------------------------- */

static int32_t read_signed32(const json_t *entry, const char *key, int32_t instead)
{
    const json_t *value = json_object_get(entry, key);
    json_int_t number = json_integer_value(value);

    return json_is_integer(value) && number >= INT32_MIN && number <= INT32_MAX ? (int32_t)number : instead;
}

static int read_process(const struct reader *reader, const json_t *entry, uint32_t *index)
{
    struct profile_process process = {.status = read_signed32(entry, "status", -1)};

    if (!read_whole32(entry, "pid", &process.pid) || !read_whole32(entry, "ppid", &process.ppid) ||
        !read_whole32(entry, "generation", &process.generation) ||
        !json_member(entry, "start", INT64_MAX, &process.start) ||
        !json_member(entry, "end", INT64_MAX, &process.end) ||
        !json_member(entry, "cpu_ns", INT64_MAX, &process.cpu_ns))
        return PPROFIL_ERROR_DAMAGED;
    int error = read_string(reader, entry, "comm", &process.comm);
    if (error == 0)
        error = read_string(reader, entry, "host", &process.host);
    if (error == 0)
        error = read_string(reader, entry, "job", &process.job);
    if (error == 0)
        error = read_string(reader, entry, "rank", &process.rank);
    return error == 0 ? profile_add_process(reader->profile, &process, index) : error;
}

static int read_thread(const struct reader *reader, const json_t *entry, uint32_t *index)
{
    struct profile_thread thread;

    if (!find_member_index(reader, entry, "process", PROCESSES, true, &thread.process) ||
        !read_whole32(entry, "tid", &thread.tid))
        return PPROFIL_ERROR_DAMAGED;
    int error = read_string(reader, entry, "comm", &thread.comm);
    return error == 0 ? profile_add_thread(reader->profile, &thread, index) : error;
}

static enum profile_object_kind json_kind(const json_t *entry)
{
    const char *kind = json_text(entry, "kind", "");

    for (unsigned i = PROFILE_OBJECT_FILE; i <= PROFILE_OBJECT_MARK; i++)
        if (strcmp(kind, json_kinds[i]) == 0)
            return (enum profile_object_kind)i;
    return (enum profile_object_kind)0;
}

static bool json_build_id(const json_t *entry, struct profile_object *object)
{
    const char *text = json_text(entry, "build_id", "");
    size_t length = strlen(text);
    uint64_t byte;

    if (length % 2 != 0 || length / 2 > PROFILE_BUILD_ID_MAX)
        return false;
    for (size_t i = 0; i < length / 2; i++) {
        char digits[3] = {text[2 * i], text[2 * i + 1], '\0'};
        const char *at = digits;
        if (!text_number(&at, 16, &byte) || *at != '\0')
            return false;
        object->build_id[i] = (uint8_t)byte;
    }
    object->build_id_size = (uint32_t)(length / 2);
    return true;
}

static int read_object(const struct reader *reader, const json_t *entry, uint32_t *index)
{
    struct profile_object object = {.fd = -1};

    object.kind = json_kind(entry);
    bool process = object.kind == PROFILE_OBJECT_ANON;
    if (object.kind == 0 || !read_hex(entry, "start", &object.start) ||
        !read_hex(entry, "end", &object.end) || !read_hex(entry, "offset", &object.offset) ||
        !read_hex(entry, "device", &object.device) || !read_hex(entry, "inode", &object.inode) ||
        !read_whole32(entry, "pid", &object.pid) || !json_build_id(entry, &object) ||
        (process && !find_member_index(reader, entry, "process", PROCESSES, true, &object.process)))
        return PPROFIL_ERROR_DAMAGED;
    if (object.end < object.start)
        object.end = object.start;
    object.deleted = json_is_true(json_object_get(entry, "deleted"));
    object.invented = json_is_true(json_object_get(entry, "invented"));
    int error = read_string(reader, entry, "path", &object.path);
    return error == 0 ? profile_object(reader->profile, &object, index) : error;
}

static int read_function(const struct reader *reader, const json_t *entry, uint32_t *index)
{
    const char *name = json_text(entry, "name", NULL);
    struct profile_function function = {0};
    uint32_t object;
    uint64_t number;

    if (name == NULL || !json_member(entry, "object", UINT32_MAX, &number) ||
        !find_index(reader, OBJECTS, number, false, &object) || !read_whole32(entry, "line", &function.line))
        return PPROFIL_ERROR_DAMAGED;
    function.object = number == 0 ? 0 : object + 1;
    int error = profile_string(reader->profile, name, &function.name);
    if (error == 0)
        error = profile_string(reader->profile, json_text(entry, "system_name", name), &function.system_name);
    if (error == 0)
        error = read_string(reader, entry, "file", &function.file);
    return error == 0 ? profile_function(reader->profile, &function, index) : error;
}

static int json_read_line(const struct reader *reader, const json_t *entry, struct profile_line *line)
{
    if (!find_member_index(reader, entry, "function", FUNCTIONS, false, &line->function) ||
        !read_whole32(entry, "line", &line->line))
        return PPROFIL_ERROR_DAMAGED;
    return read_string(reader, entry, "file", &line->file);
}

static int read_location(const struct reader *reader, const json_t *entry, uint32_t *index)
{
    const json_t *list = json_list(entry, "lines");
    uint32_t object, looked, count = (uint32_t)json_array_size(list);
    uint64_t address;

    if (!find_member_index(reader, entry, "object", OBJECTS, true, &object) || !read_hex(entry, "address", &address) ||
        !read_whole32(entry, "looked", &looked) || looked > (PROFILE_LOOKED_NAME | PROFILE_LOOKED_LINE))
        return PPROFIL_ERROR_DAMAGED;
    struct profile_line *lines = calloc(count + 1u, sizeof *lines);
    int error = lines == NULL ? -ENOMEM : 0;
    for (uint32_t i = 0; error == 0 && i < count; i++)
        error = json_read_line(reader, json_array_get(list, i), &lines[i]);
    if (error == 0)
        error = profile_location(reader->profile, object, address, index);
    if (error == 0)
        error = profile_set_lines(reader->profile, *index, lines, count, looked);
    free(lines);
    return error;
}

/* Reads a node. In the file it is an array [caller, location]: the number of the caller's node, which comes before this
 * node (0: there is no caller), and the number of a location. */
static int read_node(const struct reader *reader, const json_t *entry, uint32_t *index)
{
    uint64_t numbers[2];
    uint32_t parent, location;

    if (!json_is_array(entry) || !json_whole(json_array_get(entry, 0), UINT32_MAX, &numbers[0]) ||
        !json_whole(json_array_get(entry, 1), UINT32_MAX, &numbers[1]) ||
        !find_index(reader, NODES, numbers[0], false, &parent) ||
        !find_index(reader, LOCATIONS, numbers[1], true, &location))
        return PPROFIL_ERROR_DAMAGED;
    return profile_node(reader->profile, parent, location, index);
}

static int read_syscall(const struct reader *reader, const json_t *entry, uint32_t *index)
{
    const char *name = json_text(entry, "name", NULL);

    if (name == NULL)
        return PPROFIL_ERROR_DAMAGED;
    return profile_syscall(reader->profile, name, read_signed32(entry, "number", -1),
                           json_is_true(json_object_get(entry, "compat")), index);
}

static int read_sample(const struct reader *reader, const json_t *entry, uint32_t *index)
{
    struct profile_sample sample = {.state = profile_state_named(json_text(entry, "state", ""))};

    uint64_t holder;

    *index = PROFILE_NO_SAMPLE;
    if (!find_member_index(reader, entry, "thread", THREADS, true, &sample.thread) ||
        !find_member_index(reader, entry, "node", NODES, true, &sample.node) ||
        !find_member_index(reader, entry, "syscall", SYSCALLS, false, &sample.syscall) ||
        !json_member(entry, "holder", UINT32_MAX, &holder) ||
        !json_member(entry, "count", INT64_MAX, &sample.count) ||
        !json_member(entry, "cpu_ns", INT64_MAX, &sample.cpu_ns) ||
        !json_member(entry, "wall_ns", INT64_MAX, &sample.wall_ns))
        return PPROFIL_ERROR_DAMAGED;
    int error = profile_wait(reader->profile, json_text(entry, "wait", ""), (uint32_t)holder, &sample.wait);
    if (error == 0)
        error = builder_count_sample(reader->profile, &sample);
    if (error == 0)
        *index = profile_find_sample(reader->profile, &sample);
    return error;
}

/* --- the whole ----------------------------------------------------------------------- */

static const struct {
    const char *name;
    int (*read)(const struct reader *reader, const json_t *entry, uint32_t *index);
} tables[TABLES] = {
    [PROCESSES] = {"processes", read_process},  [THREADS] = {"threads", read_thread},
    [OBJECTS] = {"objects", read_object},       [FUNCTIONS] = {"functions", read_function},
    [LOCATIONS] = {"locations", read_location}, [NODES] = {"nodes", read_node},
    [SYSCALLS] = {"syscalls", read_syscall},    [SAMPLES] = {"samples", read_sample},
};

static int read_table(struct reader *reader, const json_t *root, enum table table)
{
    const json_t *list = json_list(root, tables[table].name);
    size_t count = json_array_size(list);
    uint32_t *became = calloc(count + 1, sizeof *became);
    int error = became == NULL ? -ENOMEM : list == NULL ? PPROFIL_ERROR_DAMAGED : 0;

    reader->tables[table].became = became;
    reader->tables[table].count = 1;
    for (size_t i = 1; error == 0 && i <= count; i++) {
        error = tables[table].read(reader, json_array_get(list, i - 1), &became[i]);
        reader->tables[table].count++;
    }
    return error;
}

static int read_totals(struct profile *profile, const json_t *from)
{
    struct profile_totals *totals = &profile->totals;
    uint64_t number;

    if (!json_member(from, "asked_nhz", INT64_MAX, &number))
        return PPROFIL_ERROR_DAMAGED;
    totals->asked_hz = (double)number / 1e9;
    totals->wall |= json_is_true(json_object_get(from, "wall"));
    for (size_t i = 0; i < json_total_count(); i++) {
        void *place = (char *)totals + json_totals[i].offset;
        if (!json_member(from, json_totals[i].name, json_totals[i].size == 8 ? INT64_MAX : UINT32_MAX, &number))
            return PPROFIL_ERROR_DAMAGED;
        if (json_totals[i].size == 8)
            *(uint64_t *)place = number;
        else
            *(uint32_t *)place = (uint32_t)number;
    }
    return 0;
}

static int read_timeline(struct profile *profile, const json_t *from)
{
    const json_t *slots = json_list(from, "cpu_ns");
    uint64_t start, slot_ns, cpu_ns;
    int error = 0;

    if (from == NULL)
        return 0;
    if (slots == NULL || !json_member(from, "start", INT64_MAX, &start) ||
        !json_member(from, "slot_ns", INT64_MAX, &slot_ns))
        return PPROFIL_ERROR_DAMAGED;
    for (size_t i = 0; error == 0 && i < json_array_size(slots); i++) {
        if (!json_whole(json_array_get(slots, i), INT64_MAX / TIMELINE_SLOTS, &cpu_ns))
            return PPROFIL_ERROR_DAMAGED;
        error = timeline_restore(&profile->timeline, start, slot_ns, i, cpu_ns);
    }
    return error == -EINVAL ? PPROFIL_ERROR_DAMAGED : error;
}

static int read_history_entry(const struct reader *reader, const json_t *from, struct history_entry *entry)
{
    uint64_t numbers[6];

    if (json_array_size(from) != sizeof numbers / sizeof *numbers)
        return PPROFIL_ERROR_DAMAGED;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!json_whole(json_array_get(from, i), i < 4 ? UINT32_MAX : INT64_MAX, &numbers[i]))
            return PPROFIL_ERROR_DAMAGED;
    if (numbers[2] == 0 || numbers[2] >= reader->tables[SAMPLES].count)
        return PPROFIL_ERROR_DAMAGED;
    *entry = (struct history_entry){.first = (uint32_t)numbers[0],
                                    .last = (uint32_t)numbers[1],
                                    .sample = reader->tables[SAMPLES].became[numbers[2]],
                                    .count = (uint32_t)numbers[3],
                                    .cpu_ns = numbers[4],
                                    .wall_ns = numbers[5]};
    return 0;
}

static int read_history(const struct reader *reader, const json_t *from)
{
    const json_t *entries = json_list(from, "entries");
    struct history_entry entry;
    uint64_t start, slot_ns;
    int error = 0;

    if (from == NULL)
        return 0;
    if (entries == NULL || !json_member(from, "start", INT64_MAX, &start) ||
        !json_member(from, "slot_ns", INT64_MAX, &slot_ns))
        return PPROFIL_ERROR_DAMAGED;
    for (size_t i = 0; error == 0 && i < json_array_size(entries); i++) {
        error = read_history_entry(reader, json_array_get(entries, i), &entry);
        if (error == 0 && entry.sample != PROFILE_NO_SAMPLE)
            error = history_restore(&reader->profile->history, start, slot_ns, &entry);
    }
    return error == -EINVAL ? PPROFIL_ERROR_DAMAGED : error;
}

static int read_json(const char *path, struct profile *profile)
{
    struct reader reader = {.profile = profile};
    uint64_t version;
    json_t *root;
    int error = json_read_file(path, &root);

    if (error == 0 && (!json_whole(json_object_get(root, "pprofil"), JSON_VERSION, &version) || version == 0))
        error = PPROFIL_ERROR_DAMAGED;
    for (unsigned i = 0; error == 0 && i < TABLES; i++)
        error = read_table(&reader, root, (enum table)i);
    if (error == 0)
        error = read_totals(profile, json_object_get(root, "totals"));
    if (error == 0)
        error = read_timeline(profile, json_object_get(root, "timeline"));
    if (error == 0)
        error = read_history(&reader, json_object_get(root, "history"));
    if (error == 0 && json_text(root, "command", NULL) != NULL)
        error = builder_set_command(profile, json_text(root, "command", NULL));
    for (unsigned i = 0; i < TABLES; i++)
        free(reader.tables[i].became);
    json_decref(root);
    return error;
}

static bool json_matches(const unsigned char *head, size_t size, uint64_t all)
{
    (void)all;
    return size > 0 && head[0] == '{' && text_has(head, size < 64 ? size : 64, "\"pprofil\"");
}

const struct format format_json = {
    .name = "json",
    .extensions = ".json",
    .summary = "all tables of a profile, for programs",
    .keeps = "everything",
    .loses = "nothing, except that bytes of names that are not UTF-8 become U+FFFD",
    .matches = json_matches,
    .read = read_json,
    .write = json_write,
};
