/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes and reads pprofil's notes in pprof files. pprof.h lists these notes. */
#include "config.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "format/pprof/pprof.h"

#define SIGN "pprofil: "
#define U64(value) ((unsigned long long)(value))
#define SLOTS_OF_A_LINE 256u
#define SILENCE 16u /* a note about the timeline ends where at least this number of slots have less than 1 us each */

static const char *const note_words[] = {
    [PPROF_TOTALS] = SIGN "totals",          [PPROF_COMMAND] = SIGN "command",
    [PPROF_PROCESS] = SIGN "process",        [PPROF_OBJECT] = SIGN "object",
    [PPROF_TIMELINE] = SIGN "timeline",
};

/* The totals that are written into a note. The other totals are sums over the samples, or have a field in
 * profile.proto. */
#define TOTALS ((struct profile_totals *)NULL)
#define TOTAL(name)                                                                                \
    {                                                                                              \
#name, offsetof(struct profile_totals, name), sizeof TOTALS->name                          \
    }
static const struct kept {
    const char *name;
    size_t offset, size; /* size: 8 for a uint64_t, 4 for a uint32_t */
} kept[] = {
    TOTAL(target_cpu_ns), TOTAL(stopped_ns),     TOTAL(supervisor_cpu_ns), TOTAL(ticks),
    TOTAL(lost),          TOTAL(throttled_ns),   TOTAL(repaired),          TOTAL(threads_seen),
    TOTAL(threads_alive), TOTAL(processes_seen), TOTAL(processes_alive),   TOTAL(continued),
    TOTAL(cut_short),     TOTAL(untraced),       TOTAL(full_ns),           TOTAL(sample_cost_ns),
    TOTAL(overhead_ppm),  TOTAL(end_time),
};
#define KEPT (sizeof kept / sizeof *kept)

static uint64_t get_total(const struct profile_totals *totals, const struct kept *total)
{
    const void *place = (const char *)totals + total->offset;
    return total->size == sizeof(uint64_t) ? *(const uint64_t *)place : *(const uint32_t *)place;
}

static void set_total(struct profile_totals *totals, const struct kept *total, uint64_t value)
{
    void *place = (char *)totals + total->offset;

    if (total->size == sizeof value)
        *(uint64_t *)place = value;
    else
        *(uint32_t *)place = (uint32_t)value;
}

enum pprof_note pprof_note_kind(const char **text)
{
    for (unsigned kind = PPROF_TOTALS; kind <= PPROF_TIMELINE; kind++) {
        size_t length = strlen(note_words[kind]);
        if (strncmp(*text, note_words[kind], length) == 0 && (*text)[length] == ' ') {
            *text += length;
            return (enum pprof_note)kind;
        }
    }
    return PPROF_OF_OTHERS;
}

/* Returns the text after " KEY=", or NULL. A name (comm), which may contain any text, comes last in a note. So the
 * search finds the real key before anything in the name that looks like it. */
static const char *value_of(const char *text, const char *key)
{
    size_t length = strlen(key);

    while ((text = strchr(text, ' ')) != NULL) {
        text++;
        if (strncmp(text, key, length) == 0 && text[length] == '=')
            return text + length + 1;
    }
    return NULL;
}

uint64_t pprof_number(const char *text, const char *key)
{
    const char *value = value_of(text, key);
    return value == NULL ? 0 : strtoull(value, NULL, 10);
}

/* The rate is written in nanohertz, as a whole number, because printf writes a decimal comma in some locales. */
char *pprof_encode_totals(const struct profile *profile)
{
    const struct profile_totals *totals = &profile->totals;
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);

    if (stream == NULL)
        return NULL;
    double nhz = totals->asked_hz * 1e9;
    fprintf(stream, "%s asked_nhz=%llu", note_words[PPROF_TOTALS], nhz >= 0 && nhz < 1e19 ? U64(nhz + 0.5) : 0);
    for (size_t i = 0; i < KEPT; i++)
        fprintf(stream, " %s=%llu", kept[i].name, U64(get_total(totals, &kept[i])));
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

void pprof_decode_totals(const char *text, struct profile *profile)
{
    struct profile_totals *totals = &profile->totals;
    uint64_t nhz = pprof_number(text, "asked_nhz");

    if (nhz != 0)
        totals->asked_hz = (double)nhz / 1e9;
    for (size_t i = 0; i < KEPT; i++)
        set_total(totals, &kept[i], pprof_number(text, kept[i].name));
}

/* Replaces each control character by a symbol, because pprof prints a comment unchanged. The symbol is U+2400 plus the
 * character, or U+2421 for DEL. hide_controls turns the symbols back into control characters. Other characters that may
 * do harm on a terminal become U+FFFD. Frees `text`. The caller frees the result. Returns NULL if there is no
 * memory. */
static char *show_controls(char *text)
{
    char *shown = text == NULL ? NULL : malloc(3 * strlen(text) + 1), *to = shown;

    for (const char *at = text, *from; shown != NULL && *(from = at) != '\0';) {
        uint32_t character = utf8_decode(&at);
        if (utf8_is_control(*from))
            to += sprintf(to, "\xe2\x90%c", 0x80 + (*from == 0x7f ? 0x21 : *from));
        else if (utf8_is_harmless(character))
            to = mempcpy(to, from, (size_t)(at - from));
        else
            to = stpcpy(to, UTF8_REPLACEMENT);
    }
    if (shown != NULL)
        *to = '\0';
    free(text);
    return shown;
}

static void hide_controls(char *text)
{
    char *to = text;

    for (const char *at = text; *at != '\0'; to++) {
        unsigned picture = strncmp(at, "\xe2\x90", 2) == 0 ? (unsigned char)at[2] - 0x80u : 0;
        bool shown = (picture > 0 && picture < 0x20) || picture == 0x21;
        *to = !shown ? *at : picture == 0x21 ? 0x7f : (char)picture;
        at += shown ? 3 : 1;
    }
    *to = '\0';
}

char *pprof_encode_command(const struct profile *profile)
{
    char *text;
    int length = asprintf(&text, "%s %s", note_words[PPROF_COMMAND], profile->command);
    return show_controls(length < 0 ? NULL : text);
}

int pprof_decode_command(const char *text, struct profile *profile)
{
    if (profile->command == NULL && (profile->command = strdup(text)) == NULL)
        return -ENOMEM;
    hide_controls(profile->command);
    return 0;
}

/* Writes " KEY=TEXT", without the spaces in the text; nothing if the text is empty. */
static void put_word(FILE *stream, const char *key, const char *text)
{
    if (*text == '\0')
        return;
    fprintf(stream, " %s=", key);
    for (; *text != '\0'; text++)
        if (*text != ' ')
            putc(*text, stream);
}

char *pprof_encode_process(const struct profile *profile, uint32_t index)
{
    const struct profile_process *process = &profile->processes[index];
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);

    if (stream == NULL)
        return NULL;
    fprintf(stream, "%s pid=%u ppid=%u generation=%u start=%llu end=%llu status=%d cpu_ns=%llu",
            note_words[PPROF_PROCESS], process->pid, process->ppid, process->generation, U64(process->start),
            U64(process->end), process->status, U64(process->cpu_ns));
    put_word(stream, "host", profile->strings[process->host]);
    put_word(stream, "job", profile->strings[process->job]);
    put_word(stream, "rank", profile->strings[process->rank]);
    fprintf(stream, " comm=%s", profile->strings[process->comm]);
    if (fclose(stream) == 0)
        return show_controls(text);
    free(text);
    return NULL;
}

/* Finds or adds the string that follows " KEY=", up to the next space; "" if there is none. */
static int read_word(struct profile *profile, const char *text, const char *key, uint32_t *index)
{
    const char *value = value_of(text, key);
    char *word = value == NULL ? strdup("") : strndup(value, strcspn(value, " "));

    if (word == NULL)
        return -ENOMEM;
    hide_controls(word);
    int error = profile_string(profile, word, index);
    free(word);
    return error;
}

int pprof_decode_process(const char *text, struct profile *profile, uint32_t *index)
{
    struct profile_process process = {
        .pid = (uint32_t)pprof_number(text, "pid"),
        .ppid = (uint32_t)pprof_number(text, "ppid"),
        .generation = (uint32_t)pprof_number(text, "generation"),
        .start = pprof_number(text, "start"),
        .end = pprof_number(text, "end"),
        .cpu_ns = pprof_number(text, "cpu_ns"),
        .status = -1,
    };
    const char *status = value_of(text, "status"), *comm = value_of(text, "comm");

    if (status != NULL)
        process.status = (int32_t)strtol(status, NULL, 10);
    char *own = strdup(comm != NULL ? comm : "");
    if (own == NULL)
        return -ENOMEM;
    hide_controls(own);
    int error = profile_string(profile, own, &process.comm);
    free(own);
    if (error == 0)
        error = read_word(profile, text, "host", &process.host);
    if (error == 0)
        error = read_word(profile, text, "job", &process.job);
    if (error == 0)
        error = read_word(profile, text, "rank", &process.rank);
    return error == 0 ? profile_add_process(profile, &process, index) : error;
}

char *pprof_encode_object(const struct profile *profile, uint32_t index, uint64_t mapping)
{
    const struct profile_object *object = &profile->objects[index];
    uint32_t generation = 0;
    char *text;

    if (object->kind == PROFILE_OBJECT_ANON)
        generation = profile->processes[object->process].generation;
    int length = asprintf(&text,
                          "%s mapping=%llu kind=%d device=%llu inode=%llu pid=%u generation=%u "
                          "deleted=%d%s",
                          note_words[PPROF_OBJECT], U64(mapping), (int)object->kind, U64(object->device),
                          U64(object->inode), object->pid, generation, object->deleted,
                          object->invented ? " invented=1" : "");
    return length < 0 ? NULL : text;
}

/* --- the timeline ----------------------------------------------------------------------- */

static bool is_silent(const struct profile_timeline *line, uint32_t slot)
{
    for (uint32_t i = slot; i < line->count && i < slot + SILENCE; i++)
        if (line->cpu_ns[i] >= 1000)
            return false;
    return true;
}

char *pprof_encode_timeline(const struct profile *profile, uint32_t *slot)
{
    const struct profile_timeline *line = &profile->timeline;
    uint32_t first = *slot;
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);

    if (stream == NULL)
        return NULL;
    while (first + 1 < line->count && line->cpu_ns[first] < 1000)
        first++;
    fprintf(stream, "%s start=%llu slot_ns=%llu at=%u cpu_us=", note_words[PPROF_TIMELINE],
            (unsigned long long)line->start, (unsigned long long)line->slot_ns, first);
    uint32_t i = first;
    do
        fprintf(stream, "%s%llu", i > first ? "," : "", (unsigned long long)(line->cpu_ns[i] / 1000));
    while (++i < line->count && i < first + SLOTS_OF_A_LINE && !is_silent(line, i));
    *slot = i < line->count && is_silent(line, i) ? i + SILENCE : i;
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

int pprof_decode_timeline(const char *text, struct profile *profile)
{
    uint64_t start = pprof_number(text, "start"), slot_ns = pprof_number(text, "slot_ns");
    uint64_t slot = pprof_number(text, "at");
    const char *at = strstr(text, " cpu_us=");
    int error = 0;

    if (at == NULL)
        return 0;
    at += strlen(" cpu_us=");
    while (error == 0 && *at >= '0' && *at <= '9') {
        char *end;
        uint64_t us = strtoull(at, &end, 10);
        error = timeline_restore(&profile->timeline, start, slot_ns, slot++,
                                 us > UINT64_MAX / 1000 ? UINT64_MAX : us * 1000);
        at = *end == ',' ? end + 1 : end;
    }
    return error == -ENOMEM ? error : 0;
}
