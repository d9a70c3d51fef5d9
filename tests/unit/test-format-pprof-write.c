/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "format-pprof-fixture.h"

TestSuite(pprof_write, .init = make_directory, .fini = remove_directory);

/* --- writing ------------------------------------------------------------------------- */

Test(pprof_write, errors_have_their_names)
{
    struct profile *profile = make_profile(false), *again;

    cr_assert_eq(format_read_file(in_directory("nothing"), &again), -ENOENT);
    cr_assert_eq(format_read_file(directory, &again), -EISDIR);
    cr_assert_eq(format_read_file("/dev/null", &again), PPROFIL_ERROR_NOT_REGULAR);
    cr_assert_eq(format_read_file("/bin/sh", &again), PPROFIL_ERROR_FORMAT);
    cr_assert_eq(format_write_file(&format_pprof, "/dev/full", profile), -ENOSPC);
    cr_assert_eq(format_write_file(&format_pprof, directory, profile), -EISDIR);
    cr_assert_eq(format_write_file(&format_pprof, "/no/such/directory/p.pb.gz", profile), -ENOENT);
    cr_assert_eq(format_write_file(&format_pprof, "/dev/fd/999", profile), -EBADF);
    cr_assert_eq(format_write_file(&format_events, in_directory("x"), profile), PPROFIL_ERROR_UNWRITABLE);
    profile_free(profile);
}

Test(pprof_write, formats_are_known_by_name_and_extension)
{
    cr_assert_eq(format_by_name("pprof"), &format_pprof);
    cr_assert_eq(format_by_name("events"), &format_events);
    cr_assert_null(format_by_name("nothing"));
    cr_assert_eq(format_by_path("/tmp/a.pb.gz"), &format_pprof);
    cr_assert_eq(format_by_path("a.events"), &format_events);
    cr_assert_null(format_by_path("a.txt"));
    cr_assert_null(format_at(99));
}

static unsigned count_files(void)
{
    glob_t found;

    cr_assert_eq(glob(in_directory("{,.[!.]}*"), GLOB_BRACE, NULL, &found), 0);
    unsigned count = (unsigned)found.gl_pathc;
    globfree(&found);
    return count;
}

Test(pprof_write, a_failed_write_leaves_the_old_file)
{
    struct profile *profile = make_profile(false), *again;
    struct rlimit limit = {.rlim_cur = 100, .rlim_max = RLIM_INFINITY};
    char path[512];

    snprintf(path, sizeof path, "%s", in_directory("p.pb.gz"));
    cr_assert_eq(format_write_file(&format_pprof, path, profile), 0);
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    cr_assert_eq(format_write_file(&format_pprof, path, profile), -EFBIG);
    limit.rlim_cur = RLIM_INFINITY;
    setrlimit(RLIMIT_FSIZE, &limit);
    cr_assert_eq(format_read_file(path, &again), 0);
    expect_same(profile, again);
    cr_assert_eq(count_files(), 1);
    profile_free(again);
    profile_free(profile);
}

static mode_t mode_of(const char *path)
{
    struct stat status;

    cr_assert_eq(lstat(path, &status), 0);
    return status.st_mode & (S_IFMT | 0777);
}

Test(pprof_write, modes_and_links_are_kept)
{
    struct profile *profile = make_profile(false);
    char path[512], link[512], name[300];

    snprintf(path, sizeof path, "%s", in_directory("p.pb.gz"));
    snprintf(link, sizeof link, "%s", in_directory("link.pb.gz"));
    umask(027);
    cr_assert_eq(format_write_file(&format_pprof, path, profile), 0);
    cr_assert_eq(mode_of(path), S_IFREG | 0640);
    cr_assert_eq(chmod(path, 0606), 0);
    cr_assert_eq(symlink("p.pb.gz", link), 0);
    cr_assert_eq(format_write_file(&format_pprof, link, profile), 0);
    cr_assert_eq(mode_of(path), S_IFREG | 0606);
    cr_assert(S_ISLNK(mode_of(link)));
    memset(name, 'n', 255);
    name[255] = '\0';
    cr_assert_eq(format_write_file(&format_pprof, in_directory(name), profile), 0);
    cr_assert_eq(count_files(), 3);
    profile_free(profile);
}

Test(pprof_write, descriptors_and_pipes_are_written_where_they_are)
{
    struct profile *profile = make_profile(false);
    int fd = open(in_directory("log"), O_RDWR | O_CREAT, 0666), pipe_fds[2];
    char path[64], head[5] = "";

    cr_assert_eq(write(fd, "ab", 2), 2);
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    cr_assert_eq(format_write_file(&format_pprof, path, profile), 0);
    cr_assert_eq(pread(fd, head, 4, 0), 4);
    cr_assert_str_eq(head, "ab\x1f\x8b");
    cr_assert_eq(mkfifo(in_directory("fifo"), 0666), 0);
    pipe_fds[0] = open(in_directory("fifo"), O_RDONLY | O_NONBLOCK);
    cr_assert_eq(format_write_file(&format_pprof, in_directory("fifo"), profile), 0);
    cr_assert_eq(read(pipe_fds[0], head, 2), 2);
    cr_assert_str_eq(head + 0, "\x1f\x8b\x1f\x8b");
    cr_assert(S_ISFIFO(mode_of(in_directory("fifo"))));
    close(pipe_fds[0]);
    close(fd);
    profile_free(profile);
}

/* --- other readers ------------------------------------------------------------------- */

static char *output_of(const char *command)
{
    char *text, line[512];
    size_t size;
    FILE *from = popen(command, "r"), *out = open_memstream(&text, &size);

    while (fgets(line, sizeof line, from) != NULL)
        fputs(line, out);
    fclose(out);
    cr_assert_eq(pclose(from), 0, "%s", command);
    return text;
}

/* Saves a profile with two functions of 70 ms and 30 ms. */
static void save_for_others(void)
{
    struct profile *profile = make_profile(false);

    for (uint32_t i = 0; i < profile->sample_count; i++)
        profile->samples[i].cpu_ns = 0;
    profile->samples[0].cpu_ns = 70000000; /* at location 1, do_it(int) */
    profile->samples[1].cpu_ns = 30000000;
    cr_assert_eq(format_write_file(&format_pprof, in_directory("p.pb.gz"), profile), 0);
    profile_free(profile);
}

Test(pprof_write, protoc_agrees)
{
    char command[1200];
    const char *proto = getenv("PPROFIL_PROTO");

    if (system("command -v protoc >/dev/null 2>&1") != 0)
        cr_skip_test("protoc is not installed");
    save_for_others();
    snprintf(command, sizeof command,
             "gzip -dc %s | protoc --decode=perftools.profiles.Profile --proto_path=%s "
             "profile.proto",
             in_directory("p.pb.gz"), proto != NULL ? proto : "lib/format/pprof");
    char *text = output_of(command);
    cr_assert_not_null(strstr(text, "string_table: \"do_it(int)\""));
    cr_assert_not_null(strstr(text, "value: 70000000"));
    cr_assert_not_null(strstr(text, "memory_start: 93823560589312")); /* 0x555500002000 */
    cr_assert_not_null(strstr(text, "file_offset: 8192"));
    cr_assert_not_null(strstr(text, "string_table: \"0303030303030303030303030303030303030303\""));
    free(text);
}

Test(pprof_write, go_pprof_agrees)
{
    char command[2400];
    glob_t found;

    if (glob("/usr/lib/go-*/pkg/tool/linux_*/pprof", 0, NULL, &found) != 0)
        cr_skip_test("go's pprof is not installed");
    save_for_others();
    snprintf(command, sizeof command, "PPROF_TMPDIR=%s %s -symbolize=none -top %s 2>&1", directory,
             found.gl_pathv[0], in_directory("p.pb.gz"));
    char *text = output_of(command);
    cr_assert_not_null(strstr(text, "File: prog"), "%s", text);
    cr_assert_not_null(strstr(text, "Type: cpu"), "%s", text);
    cr_assert_not_null(strstr(text, "70ms 70.00%"), "%s", text);
    cr_assert_not_null(strstr(text, "do_it(int)"), "%s", text);
    free(text);
    snprintf(command, sizeof command, "PPROF_TMPDIR=%s %s -symbolize=none -tags %s 2>&1", directory,
             found.gl_pathv[0], in_directory("p.pb.gz"));
    text = output_of(command);
    cr_assert_not_null(strstr(text, "prog one"), "%s", text);
    free(text);
    globfree(&found);
}
