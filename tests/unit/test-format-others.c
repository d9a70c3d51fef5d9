/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "format-fixture.h"

TestSuite(formats_others, .init = make_directory, .fini = remove_directory);

/* --- files of other programs, and damaged files --------------------------------------- */

static int read_text(const char *format, const char *text, struct profile **profile)
{
    int fd = open(in_directory("file"), O_WRONLY | O_CREAT | O_TRUNC, 0666);

    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    return format_read_file_as(in_directory("file"), format_by_name(format), &(struct format_options){0}, profile);
}

static void expect_told(const char *format, const char *text, unsigned show, const char *words)
{
    struct profile *profile;

    cr_assert_eq(read_text(format, text, &profile), 0, "%s", text);
    char *told = tell(profile, show, "");
    cr_assert_str_eq(told, words);
    free(told);
    profile_free(profile);
}

Test(formats_others, perf_script_of_perf)
{
    static const char text[] =
        "# captured on: today\n"
        "           :-1    12/13    [003] 46857.889326:    1001001 cpu-clock:u: \n"
        "\t            1159 hot+0x20 (/home/me/prog)\n"
        "\t            119b inner (inlined)\n"
        "\t            119b outer+0x10 (/home/me/prog (deleted))\n"
        "\tffffffff81000000 [unknown] ([kernel.kallsyms])\n"
        "\n"
        "Web Content  14 46858.000000: other-event: \n"
        "\t            1159 hot+0x20 (/home/me/prog)\n\n"
        "Web Content 14 46859.000000:          5 cpu-clock:u:      1159 hot+0x20 (/home/me/prog)\n";
    expect_told("perf-script", text, STACKS | OBJECTS | INLINED | WHO | COUNT | NS,
                ":-1 12.0/13 <[unknown] in [kernel.kallsyms]> <outer in /home/me/prog (deleted)>"
                " <inner in /home/me/prog (deleted) inlined> <hot in /home/me/prog>: 1 1001001 0\n"
                "Web Content 14.0/14Web Content <hot in /home/me/prog>: 1 5 0\n");
}

/* Two odd cases: the name of a hostile program consists of blanks, and an exec gives a process another name. */
Test(formats_others, perf_script_of_odd_names)
{
    static const char text[] = "     12/12 3.0:  5 cpu-clock: \n\t 1 hot (/p)\n\n"
                               "perf-exec 9/9 3.0:  6 cpu-clock: \n\t 1 hot (/p)\n\n"
                               "prog 9/9 3.0:  7 cpu-clock: \n\t 1 hot (/p)\n\n";
    expect_told("perf-script", text, STACKS | WHO | NS,
                "[unknown] 12.0/12[unknown] <hot>: 0 5 0\n"
                "perf-exec 9.0/9perf-exec <hot>: 0 6 0\nprog 9.1/9prog <hot>: 0 7 0\n");
}

Test(formats_others, folded_of_others)
{
    expect_told("folded", "a;b 3\r\n\na;b 4\n;x 1.5\nfoo-1;b 2\n", STACKS | COUNT,
                " <[unknown]> <x>: 1 0 0\n <a> <b>: 7 0 0\n <foo-1> <b>: 2 0 0\n");
}

/* In files of other programs, weights may be cycles of many CPUs. Such numbers are too large to be milliseconds, so
 * they are read as ns. The shares are right in any case. */
Test(formats_others, folded_of_large_numbers)
{
    struct profile *profile;

    cr_assert_eq(read_text("folded", "a;b 30000000000000\na;c 10000000000000\n", &profile), 0);
    cr_assert_eq(profile->totals.cpu_ns, 40000000000000);
    cr_assert_eq(profile->totals.samples, 40000000000000);
    profile_free(profile);
}

Test(formats_others, damaged_files_are_refused)
{
    static const struct {
        const char *format, *text;
    } bad[] = {
        {"folded", ""},
        {"folded", "a;b\n"},
        {"folded", "a;b 99999999999999999999\n"},
        {"folded", "a 9000000000000000000\nb 9000000000000000000\n"},
        {"perf-script", "\t1159 hot (/home/me/prog)\n"},
        {"perf-script", "prog 1/2 3.4: 5 cycles:\n\t1159 ho"},
        {"perf-script", "prog 1/2 3.4: 5 cycles:\n\t1159 hot (inlined)\n\n"},
        {"csv", "pid,tid\n1,2\n"},
        {"csv", "function,samples\nf\n"},
        {"csv", "function,samples\nf,x\n"},
        {"csv", "function,samples\n\"f,1\n"},
        {"json", "{\"pprofil\":2}"},
        {"json", "{\"pprofil\":1}"},
        {"json", "{\"pprofil\":1,\"processes\":[],\"threads\":[],\"objects\":[],\"functions\":[],"
                 "\"locations\":[],\"nodes\":[],\"syscalls\":[],\"samples\":[],"
                 "\"timeline\":{\"start\":1,\"slot_ns\":3,\"cpu_ns\":[1]}}"},
        {"json", "{\"pprofil\":1,\"processes\":[],\"threads\":[{\"process\":1,\"tid\":1}]}"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct profile *profile;
        cr_assert_eq(read_text(bad[i].format, bad[i].text, &profile), PPROFIL_ERROR_DAMAGED, "%s: %s",
                     bad[i].format, bad[i].text);
    }
}

/* For some sizes, all bytes are written before the stream is closed, so closing it writes nothing. */
Test(formats_others, whoever_reads_a_text_may_leave_at_any_byte)
{
    int ends[2];

    signal(SIGPIPE, SIG_IGN);
    cr_assert_eq(pipe(ends), 0);
    close(ends[0]);
    for (size_t size = 1; size <= 3 * (size_t)BUFSIZ; size++) {
        FILE *out = text_open(ends[1]);
        cr_assert_not_null(out);
        for (size_t i = 0; i < size && !ferror(out); i++)
            putc('x', out);
        cr_assert_eq(text_close(out), -EPIPE, "at %zu bytes", size);
    }
    close(ends[1]);
}
