/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of finding the file of a profile's object and its debug file, and of files that try to do harm. */
#include "config.h"

#include <sys/stat.h>

#include <criterion/criterion.h>
#include <elfutils/libdwfl.h>

#include "debuginfo/debuginfo.h"
#include "symbol-fixture.h"

/* A directory serves as the debuginfod server. libdw reads the environment when it is loaded, and each test is a new
 * process. So the environment is set before the first test. */
static char served[64];

ReportHook(PRE_ALL)(struct criterion_test_set *tests)
{
    char text[128];

    (void)tests;
    snprintf(served, sizeof served, "/tmp/pprofil-served-%d", getpid());
    setenv("PPROFIL_TEST_SERVED", served, 1);
    snprintf(text, sizeof text, "file://%s/", served);
    setenv("DEBUGINFOD_URLS", text, 1);
    snprintf(text, sizeof text, "%s/cache", served);
    setenv("DEBUGINFOD_CACHE_PATH", text, 1);
    cr_assert(mkdir(served, 0700) == 0 && mkdir(text, 0700) == 0);
}

ReportHook(POST_ALL)(struct criterion_global_stats *stats)
{
    char command[128];

    (void)stats;
    snprintf(command, sizeof command, "rm -rf %s", served);
    cr_assert_eq(system(command), 0);
}

TestSuite(files, .init = make_program, .fini = remove_directory);

/* Reads the build-id of a file. Stores it in `object`, and as a text in `hex`. */
static void read_build_id(const char *file, struct profile_object *object, char hex[64])
{
    char command[256];

    snprintf(command, sizeof command, "readelf -n %s | sed -n 's/.*Build ID: //p'", file);
    FILE *output = popen(command, "r");
    cr_assert_not_null(fgets(hex, 64, output));
    pclose(output);
    hex[strcspn(hex, "\n")] = '\0';
    object->build_id_size = (uint32_t)strlen(hex) / 2;
    for (uint32_t i = 0; i < object->build_id_size; i++)
        cr_assert_eq(sscanf(hex + 2 * i, "%2hhx", &object->build_id[i]), 1);
}

Test(files, a_build_id_must_fit)
{
    struct profile_object object = {.fd = -1};
    char path[256], hex[64];

    sh("gcc -O1 -Wl,--build-id=sha1 prog.c -o full && gcc -O1 -Wl,--build-id=none prog.c -o none");
    read_build_id("full", &object, hex);
    uint64_t offset = offset_of("full", "loud_one");
    snprintf(path, sizeof path, "%s/full", directory);
    cr_expect_str_eq(look_up_in(&object, path, offset).name, "loud_one");
    snprintf(path, sizeof path, "%s/none", directory);
    struct answer answer = look_up_in(&object, path, offset);
    cr_expect_str_eq(answer.name, "[none]");
    cr_expect_str_eq(answer.problem, "file was replaced");
}

/* Returns whether libelf can unpack sections that are compressed with zstd (elfutils 0.189 or later, if built so). */
static bool has_zstd_support(void)
{
    return system("eu-readelf -wline packed 2>&1 | grep -q prog.c") == 0;
}

static bool have_debuginfod(void)
{
    return system("ls /usr/lib*/libdebuginfod.so.1 /usr/lib*/*/libdebuginfod.so.1 2>/dev/null |"
                  " grep -q .") == 0;
}

Test(files, missing_files_are_fetched_by_build_id)
{
    struct profile_object object = {.fd = -1};
    const char *server = getenv("PPROFIL_TEST_SERVED");
    char hex[64], path[256];

    if (!have_debuginfod())
        cr_skip_test("libdebuginfod is not installed");
    sh("gcc -O1 -g -Wl,--build-id=sha1 prog.c -o full");
    read_build_id("full", &object, hex);
    sh("mkdir -p %s/buildid/%s && cp full %s/buildid/%s/executable && strip -o bare full && "
       "objcopy --only-keep-debug full %s/buildid/%s/debuginfo",
       server, hex, server, hex, server, hex);
    uint64_t offset = offset_of("full", "loud_one");
    struct answer answer = look_up_in(&object, "/nowhere/full", offset);
    cr_expect_str_eq(answer.name, "loud_one");
    cr_expect_null(answer.problem);

    snprintf(path, sizeof path, "%s/bare", directory);
    answer = look_up_in(&object, path, offset);
    cr_expect_str_eq(answer.name, "loud_one");
    cr_expect_eq(answer.defined, 3);
}

Test(files, names_need_no_debug_file_where_there_is_a_symbol_table)
{
    const char *server = getenv("PPROFIL_TEST_SERVED");
    struct profile_object object = {.kind = PROFILE_OBJECT_FILE, .fd = -1};
    struct profile *profile = profile_new();
    struct symbolizer *symbolizer = symbolizer_new(profile);
    char path[256], hex[64];
    uint32_t index, location;

    if (!have_debuginfod())
        cr_skip_test("libdebuginfod is not installed");
    sh("gcc -O1 -Wl,--build-id=0x5eed5eed%08x prog.c -o full", getpid()); /* a build-id that no other test uses */
    read_build_id("full", &object, hex);
    snprintf(path, sizeof path, "%s/full", directory);
    cr_assert_eq(profile_string(profile, path, &object.path), 0);
    cr_assert_eq(profile_object(profile, &object, &index), 0);
    cr_assert_eq(profile_location(profile, index, offset_of("full", "loud_one"), &location), 0);
    cr_assert_eq(symbolizer_look_up(symbolizer, location, PROFILE_LOOKED_NAME), 0);
    /* debuginfod also notes in its cache which files it did not find */
    snprintf(path, sizeof path, "%s/cache/%s", server, hex);
    cr_expect_neq(access(path, F_OK), 0);
    cr_assert_eq(symbolizer_look_up(symbolizer, location, PROFILE_LOOKED_LINE), 0);
    cr_expect_eq(access(path, F_OK), 0);
    symbolizer_free(symbolizer);
    profile_free(profile);
}

/* --- what is missing -------------------------------------------------------------------------- */

/* Looks up lines at an offset in a file, and expects what is said about it. NULL: nothing is missing. */
static void expect_missing_at(const char *file, uint64_t offset, const char *expected)
{
    struct profile_object object = {.kind = PROFILE_OBJECT_FILE, .fd = -1};
    struct profile *profile = profile_new();
    struct symbolizer *symbolizer = symbolizer_new(profile);
    uint32_t index, location;

    cr_assert_eq(profile_string(profile, in_directory(file), &object.path), 0);
    cr_assert_eq(profile_object(profile, &object, &index), 0);
    cr_assert_eq(profile_location(profile, index, offset, &location), 0);
    cr_expect_not(symbolizer_lacks(symbolizer, index), "nothing was asked of %s", file);
    cr_assert_eq(symbolizer_look_up(symbolizer, location, PROFILE_LOOKED_LINE), 0);
    const char *missing = symbolizer_missing(symbolizer, index);
    cr_expect_eq(symbolizer_lacks(symbolizer, index), expected != NULL);
    cr_expect_str_eq(missing != NULL ? missing : "nothing", expected != NULL ? expected : "nothing", "%s", file);
    symbolizer_free(symbolizer);
    profile_free(profile);
}

static void expect_missing(const char *file, const char *expected)
{
    expect_missing_at(file, 0x1000, expected);
}

Test(files, what_is_missing_is_said)
{
    sh("gcc -O1 -g prog.c -o full && gcc -O1 prog.c -o plain && strip -o bare full");
    expect_missing("full", NULL);
    expect_missing("plain", "no source lines; compile with -g");
    expect_missing("bare", "no symbol table; do not strip it");
    expect_missing("gone", "file is gone");
    if (system("objcopy --compress-debug-sections=zstd full packed 2>/dev/null") == 0 && !has_zstd_support())
        expect_missing("packed", "no source lines; libelf cannot read debug information that is compressed with zstd");
}

Test(files, missing_files_of_split_debug_information_are_said)
{
    sh("gcc -O1 -gdwarf-4 -gsplit-dwarf prog.c -o split && mkdir kept");
    uint64_t offset = offset_of("split", "loud_one");

    expect_missing_at("split", offset, NULL);
    sh("mv *.dwo kept");
    expect_missing_at("split", offset,
                      "some inlined functions are missing; .dwo files are not found or cannot be read");
    if (!have("dwp"))
        return;
    const bool is_older_than_191 = strverscmp(dwfl_version(NULL), "0.191") < 0;
    sh("mv kept/*.dwo . && dwp -e split -o split.dwp && mv *.dwo kept");
    expect_missing_at("split", offset,
                      is_older_than_191
                          ? "some inlined functions are missing; elfutils before 0.191 cannot read the .dwp file"
                          : NULL);
}

Test(files, packages_of_debug_files_are_named)
{
    char advice[256], package[64] = "", expected[128];

    if (!have("dpkg-query"))
        cr_skip_test("no Debian here");
    FILE *output = popen("dpkg-query -S /usr/bin/env /bin/env 2>/dev/null | sed 's/[:,].*//'", "r");
    cr_assert_not_null(fgets(package, sizeof package, output));
    pclose(output);
    package[strcspn(package, "\n")] = '\0';
    snprintf(expected, sizeof expected, "install %s-dbgsym if there is one", package);
    debug_package_advice("/usr/bin/env", true, "", advice, sizeof advice); /* DEBUGINFOD_URLS is set */
    cr_expect_str_eq(advice, expected);
    setenv("DEBUGINFOD_URLS", "", 1);
    debug_package_advice("/usr/bin/env", true, "", advice, sizeof advice);
    cr_expect_eq(strncmp(advice, expected, strlen(expected)), 0);
    cr_expect_eq(strstr(advice, ", or set DEBUGINFOD_URLS=https://") != NULL, have_debuginfod());
    debug_package_advice("/usr/local/bin/env", true, "of one's own", advice, sizeof advice);
    cr_expect_str_eq(advice, "of one's own");
}

/* --- saved names ------------------------------------------------------------------------------ */

/* Reads a file in whose profile the function at a location has a name already, and returns the new name. */
static void expect_renamed(struct profile_object *object, const char *path, const char *saved, const char *expected)
{
    struct profile *profile = profile_new();
    struct symbolizer *symbolizer = symbolizer_new(profile);
    struct profile_function function = {0};
    struct profile_line line = {0};
    uint32_t index, location;

    cr_assert_eq(profile_string(profile, in_directory(path), &object->path), 0);
    cr_assert_eq(profile_object(profile, object, &index), 0);
    cr_assert_eq(profile_location(profile, index, offset_of("full", "loud_one"), &location), 0);
    cr_assert_eq(profile_string(profile, saved, &function.name), 0);
    cr_assert_eq(profile_function(profile, &function, &line.function), 0);
    cr_assert_eq(profile_set_lines(profile, location, &line, 1, 0), 0);
    cr_assert_eq(symbolizer_look_up(symbolizer, location, PROFILE_LOOKED_NAME), 0);
    const struct profile_location *place = &profile->locations[location];
    uint32_t named = place->lines[place->line_count - 1].function;
    cr_expect_str_eq(profile->strings[profile->functions[named].name], expected, "%s, %s", path, saved);
    symbolizer_free(symbolizer);
    profile_free(profile);
}

Test(files, saved_places_get_names_when_the_debug_file_has_come)
{
    struct profile_object object = {.kind = PROFILE_OBJECT_FILE, .fd = -1};
    char hex[64];

    sh("gcc -O1 -g -Wl,--build-id=sha1 prog.c -o full && strip -o bare full");
    read_build_id("full", &object, hex);
    expect_renamed(&object, "bare", "bare+0x1129", "bare+0x1129");
    sh("objcopy --only-keep-debug full bare.debug");
    expect_renamed(&object, "bare", "bare+0x1129", "loud_one");
    expect_renamed(&object, "bare", "[bare]", "loud_one");
    expect_renamed(&object, "bare", "barely", "barely");
    expect_renamed(&object, "bare", "[bare", "[bare");
    object.build_id[0] ^= 1;
    expect_renamed(&object, "bare", "bare+0x1129", "bare+0x1129");
    object.build_id_size = 0;
    expect_renamed(&object, "bare", "bare+0x1129", "bare+0x1129");
}

/* --- debug files ------------------------------------------------------------------------------ */

Test(files, debug_file_by_debuglink)
{
    sh("gcc -O1 -g prog.c -o full && objcopy --only-keep-debug full full.debug && "
       "strip -o linked full && objcopy --add-gnu-debuglink=full.debug linked");
    expect_both("linked", "full", true);
    sh("gcc -O1 -g -Wl,--build-id prog.c -o full && mkdir .debug && "
       "objcopy --only-keep-debug full .debug/same && strip -o same full && "
       "objcopy --add-gnu-debuglink=.debug/same same");
    expect_both("same", "full", true);
}

Test(files, another_file_of_the_name_is_no_debug_file, .timeout = 120)
{
    static const char *const others[] = {"mkfifo full.debug", "mkdir full.debug", "echo no ELF file > full.debug",
                                         "gcc -O1 -g -DOTHER prog.c -o full.debug"};

    /* a debug file is compared by its build-id, or, without a build-id, by its checksum */
    for (size_t i = 0; i < 2 * sizeof others / sizeof *others; i++) {
        sh("gcc -O1 -g -Wl,--build-id=%s prog.c -o full && "
           "objcopy --only-keep-debug full full.debug && strip -o linked full && "
           "objcopy --add-gnu-debuglink=full.debug linked",
           i % 2 == 0 ? "none" : "0x5eed");
        sh("rm full.debug && %s", others[i / 2]);
        struct answer answer = look_up("linked", offset_of("full", "quiet_one"));
        cr_expect_eq(strncmp(answer.name, "linked+0x", 9), 0, "%s: %s", others[i / 2], answer.name);
        sh("rm -r full.debug");
    }
}

/* A few kilobytes unpack to 100 megabytes of zeros. */
Test(files, what_would_fill_the_memory_is_not_unpacked, .timeout = 60)
{
    if (system("command -v xz >/dev/null 2>&1") != 0)
        cr_skip_test("xz is not installed");
    sh("gcc -O1 prog.c -o full && head -c 100M /dev/zero >zeros && "
       "objcopy --add-section .debug_info=zeros full big && "
       "objcopy --compress-debug-sections=zlib big new && "
       "objcopy --compress-debug-sections=zlib-gnu big old && "
       "xz -0 zeros && strip -o bare full && objcopy --add-section .gnu_debugdata=zeros.xz bare");
    uint64_t offset = offset_of("full", "loud_one");
    static const char *const files[] = {"new", "old", "bare"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        cr_expect_str_eq(look_up(files[i], offset).problem, "unreadable: File too large", "%s", files[i]);
}

Test(files, mini_debug_info)
{
    if (system("command -v xz >/dev/null 2>&1") != 0)
        cr_skip_test("xz is not installed");
    sh("gcc -O1 prog.c -o full && objcopy -S --remove-section .gnu_debuglink "
       "--keep-symbol=quiet_one "
       "--keep-symbol=loud_one full mini_debug && nm mini_debug >/dev/null && xz -f mini_debug && "
       "strip -o mini full && objcopy --add-section .gnu_debugdata=mini_debug.xz mini");
    expect_both("mini", "full", false);
}

Test(files, a_replaced_file_is_not_believed)
{
    sh("gcc -O1 prog.c -o full");
    struct profile_object object = {.fd = -1, .inode = 12345};
    char path[256];

    snprintf(path, sizeof path, "%s/full", directory);
    struct answer answer = look_up_in(&object, path, offset_of("full", "loud_one") + 2);
    cr_assert_str_eq(answer.name, "[full]");
    cr_assert_str_eq(answer.problem, "file was replaced");
}

Test(files, a_deleted_file_is_read_through_its_descriptor)
{
    sh("gcc -O1 -g prog.c -o full && cp full gone");
    struct profile_object object = {.fd = open("gone", O_RDONLY), .deleted = true};
    uint64_t offset = offset_of("full", "loud_one") + 2;

    sh("rm gone");
    struct answer answer = look_up_in(&object, "/nowhere/gone", offset);
    cr_assert_str_eq(answer.name, "loud_one");
}

Test(files, no_file_at_all)
{
    struct answer answer = look_up("absent", 0x1234);

    cr_assert_str_eq(answer.name, "[absent]");
    cr_assert_str_eq(answer.problem, "file is gone");
    sh("mkfifo pipe && mkdir dir && : > empty && echo text > text");
    cr_assert_str_eq(look_up("pipe", 0).problem, "unreadable: not a regular file");
    cr_assert_str_eq(look_up("dir", 0).problem, "unreadable: not a regular file");
    cr_assert_str_eq(look_up("/dev/zero", 0).problem, "unreadable: not a regular file");
    cr_assert_str_eq(look_up("empty", 0).problem, "not an ELF file");
    cr_assert_str_eq(look_up("text", 0).problem, "not an ELF file");
    sh("gcc prog.c -o full && gzip full"); /* offsets in a compressed file would mean nothing */
    cr_assert_str_eq(look_up("full.gz", 0).problem, "not an ELF file");
}

Test(files, descriptors_of_anything_do_no_harm, .timeout = 20)
{
    int pipes[2];

    cr_assert_eq(pipe(pipes), 0);
    const int fds[] = {pipes[0], open(".", O_RDONLY), open("/dev/null", O_RDONLY)};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++) {
        struct profile_object object = {.fd = fds[i]};
        cr_expect_not_null(look_up_in(&object, "/nowhere", 0x1000).problem);
    }
    close(pipes[1]);
}

Test(files, hostile_files_do_no_harm, .timeout = 120)
{
    static unsigned char bytes[1 << 20];

    sh("gcc -O1 -g prog.c -o full");
    FILE *file = fopen("full", "rb");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    srand(5);
    for (int i = 0; i < 200; i++) {
        static unsigned char changed[1 << 20];
        memcpy(changed, bytes, size);
        size_t kept = i < 64 ? size * (size_t)i / 64 : size;
        for (int flips = i < 64 ? 0 : 40; flips > 0; flips--)
            changed[(size_t)rand() % (flips % 2 ? size : 1024)] = (unsigned char)rand();
        file = fopen("hostile", "wb");
        cr_assert_eq(fwrite(changed, 1, kept, file), kept);
        fclose(file);
        look_up("hostile", 0x1130 + (uint64_t)i);
        if (i % 4 == 0)
            sh("strip -o bare hostile 2>/dev/null || cp hostile bare");
        look_up("bare", 0x1130 + (uint64_t)i);
    }
}
