/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes a profile as pprofil's own JSON. The entries are written one by one, so there is never a tree of the whole
 * file in memory. Addresses are written as hexadecimal texts, because many readers of JSON do not have 64-bit numbers.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>

#include "format/json/json.h"
#include "format/text.h"

const char *const json_kinds[PROFILE_OBJECT_MARK + 1] = {
    [PROFILE_OBJECT_FILE] = "file",      [PROFILE_OBJECT_VDSO] = "vdso",
    [PROFILE_OBJECT_ANON] = "anonymous", [PROFILE_OBJECT_UNKNOWN] = "unknown",
    [PROFILE_OBJECT_MARK] = "mark",
};

const struct json_total json_totals[] = {
    {"elapsed_ns", offsetof(struct profile_totals, elapsed_ns), 8},
    {"target_cpu_ns", offsetof(struct profile_totals, target_cpu_ns), 8},
    {"stopped_ns", offsetof(struct profile_totals, stopped_ns), 8},
    {"supervisor_cpu_ns", offsetof(struct profile_totals, supervisor_cpu_ns), 8},
    {"ticks", offsetof(struct profile_totals, ticks), 8},
    {"lost", offsetof(struct profile_totals, lost), 8},
    {"throttled_ns", offsetof(struct profile_totals, throttled_ns), 8},
    {"full_ns", offsetof(struct profile_totals, full_ns), 8},
    {"sample_cost_ns", offsetof(struct profile_totals, sample_cost_ns), 8},
    {"overhead_ppm", offsetof(struct profile_totals, overhead_ppm), 8},
    {"repaired", offsetof(struct profile_totals, repaired), 8},
    {"continued", offsetof(struct profile_totals, continued), 8},
    {"cut_short", offsetof(struct profile_totals, cut_short), 8},
    {"untraced", offsetof(struct profile_totals, untraced), 4},
    {"start_time", offsetof(struct profile_totals, start_time), 8},
    {"end_time", offsetof(struct profile_totals, end_time), 8},
    {"threads_seen", offsetof(struct profile_totals, threads_seen), 4},
    {"threads_alive", offsetof(struct profile_totals, threads_alive), 4},
    {"processes_seen", offsetof(struct profile_totals, processes_seen), 4},
    {"processes_alive", offsetof(struct profile_totals, processes_alive), 4},
};

size_t json_total_count(void)
{
    return sizeof json_totals / sizeof *json_totals;
}

/* --- writing ------------------------------------------------------------------------- */

/* Writes a member of an object, "key":"text", with a comma before it. Writes nothing if the text is empty. */
static void put_text(FILE *out, const char *key, const char *text)
{
    if (*text == '\0')
        return;
    fprintf(out, ",\"%s\":", key);
    text_put_json(out, text);
}

static void put_number(FILE *out, const char *key, uint64_t number)
{
    if (number != 0)
        fprintf(out, ",\"%s\":%llu", key, (unsigned long long)number);
}

static void put_hex(FILE *out, const char *key, uint64_t number)
{
    if (number != 0)
        fprintf(out, ",\"%s\":\"0x%llx\"", key, (unsigned long long)number);
}

static void json_begin(FILE *out, const char *table)
{
    fprintf(out, ",\n\"%s\":[", table);
}

static void begin_entry(FILE *out, bool first)
{
    fputs(first ? "\n" : ",\n", out);
}

static void put_totals(FILE *out, const struct profile_totals *totals)
{
    double nhz = totals->asked_hz * 1e9;

    fprintf(out, ",\n\"totals\":{\"samples\":%llu,\"cpu_ns\":%llu,\"wall_ns\":%llu,\"wall\":%s",
            (unsigned long long)totals->samples, (unsigned long long)totals->cpu_ns,
            (unsigned long long)totals->wall_ns, totals->wall ? "true" : "false");
    /* the rate is written as a whole number, because printf writes a decimal comma in some locales */
    if (nhz > 0 && nhz < 9e18)
        put_number(out, "asked_nhz", (uint64_t)llround(nhz));
    for (size_t i = 0; i < json_total_count(); i++) {
        const void *place = (const char *)totals + json_totals[i].offset;
        put_number(out, json_totals[i].name,
                   json_totals[i].size == 8 ? *(const uint64_t *)place : *(const uint32_t *)place);
    }
    putc('}', out);
}

static void put_tasks(FILE *out, const struct profile *profile)
{
    json_begin(out, "processes");
    for (uint32_t i = 0; i < profile->process_count; i++) {
        const struct profile_process *process = &profile->processes[i];
        begin_entry(out, i == 0);
        fprintf(out, "{\"pid\":%u", process->pid);
        put_number(out, "ppid", process->ppid);
        put_text(out, "comm", profile->strings[process->comm]);
        put_number(out, "generation", process->generation);
        put_number(out, "start", process->start);
        put_number(out, "end", process->end);
        put_number(out, "cpu_ns", process->cpu_ns);
        if (process->host != 0)
            put_text(out, "host", profile->strings[process->host]);
        if (process->job != 0)
            put_text(out, "job", profile->strings[process->job]);
        if (process->rank != 0)
            put_text(out, "rank", profile->strings[process->rank]);
        fprintf(out, ",\"status\":%d}", process->status);
    }
    fputs("]", out);
    json_begin(out, "threads");
    for (uint32_t i = 0; i < profile->thread_count; i++) {
        const struct profile_thread *thread = &profile->threads[i];
        begin_entry(out, i == 0);
        fprintf(out, "{\"process\":%u,\"tid\":%u", thread->process + 1, thread->tid);
        put_text(out, "comm", profile->strings[thread->comm]);
        putc('}', out);
    }
    fputs("]", out);
}

static void put_object(FILE *out, const struct profile *profile, const struct profile_object *object)
{
    fprintf(out, "{\"kind\":\"%s\"",
            object->kind <= PROFILE_OBJECT_MARK && json_kinds[object->kind] != NULL ? json_kinds[object->kind]
                                                                                    : "unknown");
    put_text(out, "path", profile->strings[object->path]);
    if (object->build_id_size > 0) {
        fputs(",\"build_id\":\"", out);
        for (uint32_t i = 0; i < object->build_id_size; i++)
            fprintf(out, "%02x", object->build_id[i]);
        putc('"', out);
    }
    put_hex(out, "start", object->start);
    put_hex(out, "end", object->end);
    put_hex(out, "offset", object->offset);
    put_hex(out, "device", object->device);
    put_hex(out, "inode", object->inode);
    put_number(out, "pid", object->pid);
    if (object->kind == PROFILE_OBJECT_ANON)
        put_number(out, "process", object->process + UINT64_C(1));
    if (object->deleted)
        fputs(",\"deleted\":true", out);
    if (object->invented)
        fputs(",\"invented\":true", out);
    putc('}', out);
}

static void put_functions(FILE *out, const struct profile *profile)
{
    json_begin(out, "functions");
    for (uint32_t i = 1; i < profile->function_count; i++) {
        const struct profile_function *function = &profile->functions[i];
        begin_entry(out, i == 1);
        fputs("{\"name\":", out);
        text_put_json(out, profile->strings[function->name]);
        if (function->system_name != function->name)
            put_text(out, "system_name", profile->strings[function->system_name]);
        put_number(out, "object", function->object);
        put_text(out, "file", profile->strings[function->file]);
        put_number(out, "line", function->line);
        putc('}', out);
    }
    fputs("]", out);
}

static void put_location(FILE *out, const struct profile *profile, const struct profile_location *location)
{
    fprintf(out, "{\"object\":%u,\"address\":\"0x%llx\"", location->object + 1, (unsigned long long)location->address);
    put_number(out, "looked", location->looked);
    for (uint32_t i = 0; i < location->line_count; i++) {
        const struct profile_line *line = &location->lines[i];
        fprintf(out, i == 0 ? ",\"lines\":[{\"function\":%u" : ",{\"function\":%u", line->function);
        put_text(out, "file", profile->strings[line->file]);
        put_number(out, "line", line->line);
        putc('}', out);
    }
    fputs(location->line_count > 0 ? "]}" : "}", out);
}

static void put_places(FILE *out, const struct profile *profile)
{
    json_begin(out, "objects");
    for (uint32_t i = 0; i < profile->object_count; i++) {
        begin_entry(out, i == 0);
        put_object(out, profile, &profile->objects[i]);
    }
    fputs("]", out);
    put_functions(out, profile);
    json_begin(out, "locations");
    for (uint32_t i = 1; i < profile->location_count; i++) {
        begin_entry(out, i == 1);
        put_location(out, profile, &profile->locations[i]);
    }
    fputs("]", out);
    json_begin(out, "nodes");
    for (uint32_t i = 1; i < profile->node_count; i++)
        fprintf(out, "%s[%u,%u]",
                i == 1       ? "\n"
                : i % 8 == 1 ? ",\n"
                             : ",",
                profile->nodes[i].parent, profile->nodes[i].location);
    fputs("]", out);
}

static void put_samples(FILE *out, const struct profile *profile)
{
    json_begin(out, "syscalls");
    for (uint32_t i = 1; i < profile->syscall_count; i++) {
        const struct profile_syscall *call = &profile->syscalls[i];
        begin_entry(out, i == 1);
        fputs("{\"name\":", out);
        text_put_json(out, profile->strings[call->name]);
        fprintf(out, ",\"number\":%d", call->number);
        fputs(call->compat ? ",\"compat\":true}" : "}", out);
    }
    fputs("]", out);
    json_begin(out, "samples");
    for (uint32_t i = 0; i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        begin_entry(out, i == 0);
        fprintf(out, "{\"thread\":%u,\"node\":%u", sample->thread + 1, sample->node);
        put_number(out, "syscall", sample->syscall);
        if (sample->state != PROFILE_RUNNING)
            fprintf(out, ",\"state\":\"%s\"", profile_state_name((enum profile_state)sample->state));
        put_text(out, "wait", profile->strings[profile->waits[sample->wait].name]);
        put_number(out, "holder", profile->waits[sample->wait].holder);
        put_number(out, "count", sample->count);
        put_number(out, "cpu_ns", sample->cpu_ns);
        put_number(out, "wall_ns", sample->wall_ns);
        putc('}', out);
    }
    fputs("]", out);
}

static void put_timeline(FILE *out, const struct profile_timeline *line)
{
    if (line->count == 0)
        return;
    fprintf(out, ",\n\"timeline\":{\"start\":%llu,\"slot_ns\":%llu,\"cpu_ns\":[",
            (unsigned long long)line->start, (unsigned long long)line->slot_ns);
    for (uint32_t i = 0; i < line->count; i++)
        fprintf(out, "%s%llu", i == 0 ? "\n" : i % 16 == 0 ? ",\n" : ",", (unsigned long long)line->cpu_ns[i]);
    fputs("]}", out);
}

/* An entry is a list of numbers: its first slot, its last slot, the number of its sample, and the fields count, cpu_ns
 * and wall_ns. */
static void put_history(FILE *out, const struct profile_history *history)
{
    if (history->count == 0)
        return;
    fprintf(out, ",\n\"history\":{\"start\":%llu,\"slot_ns\":%llu,\"entries\":[",
            (unsigned long long)history->start, (unsigned long long)history->slot_ns);
    for (uint32_t i = 0; i < history->count; i++) {
        const struct history_entry *entry = &history->entries[i];
        fprintf(out, "%s[%u,%u,%u,%u,%llu,%llu]", i == 0 ? "\n" : i % 8 == 0 ? ",\n" : ",", entry->first, entry->last,
                entry->sample + 1, entry->count, (unsigned long long)entry->cpu_ns,
                (unsigned long long)entry->wall_ns);
    }
    fputs("]}", out);
}

int json_write(int fd, const struct profile *profile)
{
    FILE *out = text_open(fd);

    if (out == NULL)
        return -ENOMEM;
    fprintf(out, "{\"pprofil\":%d", JSON_VERSION);
    if (profile->command != NULL) {
        fputs(",\n\"command\":", out);
        text_put_json(out, profile->command);
    }
    put_totals(out, &profile->totals);
    put_tasks(out, profile);
    put_places(out, profile);
    put_samples(out, profile);
    put_timeline(out, &profile->timeline);
    put_history(out, &profile->history);
    fputs("}\n", out);
    return text_close(out);
}
