/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * osProfile(3P): a profiled program that obeys the lines of its input. "flush" sends the profile; "stop" and "start"
 * are osProfileStop and osProfileStart; other lines end the program.
 */
#include <ultra64.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile u32 sink;

__attribute__((noinline, section("game_text"))) static void draw(void)
{
    u32 i;

    for (i = 0; i < 2000000; i++)
        sink = sink + i;
}

__attribute__((noinline, section("game_text"))) static void play(void)
{
    u32 i;

    for (i = 0; i < 1000000; i++)
        sink = sink ^ i;
}

extern char __start_game_text[], __stop_game_text[];

/* Reads the next line of standard input. Returns 0 if there is no input. */
static int next_command(char *line, size_t size)
{
    struct pollfd input;
    size_t length = 0;

    input.fd = 0;
    input.events = POLLIN;
    if (poll(&input, 1, 0) <= 0)
        return 0;
    while (length + 1 < size && read(0, line + length, 1) == 1 && line[length] != '\n')
        length++;
    line[length] = '\0';
    return 1;
}

int main(void)
{
    OSProf segment;
    char line[16];

    segment.text_start = (u32 *)(void *)((unsigned long)__start_game_text & ~3ul);
    segment.text_end = (u32 *)(void *)(((unsigned long)__stop_game_text + 3) & ~3ul);
    segment.histo_size = (u32)(segment.text_end - segment.text_start) + 1;
    segment.histo_base = calloc(segment.histo_size, sizeof *segment.histo_base);
    osProfileInit(&segment, 1);
    osProfileStart(1000);
    puts("running");
    fflush(stdout);
    for (;;) {
        draw();
        play();
        if (!next_command(line, sizeof line))
            continue;
        if (strcmp(line, "flush") == 0)
            osProfileFlush();
        else if (strcmp(line, "stop") == 0)
            osProfileStop();
        else if (strcmp(line, "start") == 0)
            osProfileStart(1000);
        else
            break;
        puts(line);
        fflush(stdout);
    }
    osProfileStop();
    free(segment.histo_base);
    return 0;
}
