/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "format-histogram-fixture.h"

TestSuite(histogram_formats_profiles, .init = make_directory, .fini = remove_directory);

/* --- profiles ---------------------------------------------------------------------------- */

/* A profile of a process that runs this test program. */
struct built {
    struct profile *profile;
    uint32_t thread, object;
    struct symbol_text text; /* where this program's text is */
};

static uint32_t add_object(struct built *built, const char *path, uint64_t start)
{
    struct profile_object object = {
        .kind = PROFILE_OBJECT_FILE, .fd = -1, .start = start, .inode = 0};
    uint32_t index;

    cr_assert_eq(profile_string(built->profile, path, &object.path), 0);
    cr_assert_eq(profile_object(built->profile, &object, &index), 0);
    return index;
}

static void add_time(struct built *built, uint32_t object, uint64_t offset, const char *call, uint64_t ns)
{
    struct profile_sample sample = {.thread = built->thread, .count = 1, .cpu_ns = ns};
    uint32_t location;

    cr_assert_eq(profile_location(built->profile, object, offset, &location), 0);
    cr_assert_eq(profile_node(built->profile, PROFILE_NONE, location, &sample.node), 0);
    if (call != NULL)
        cr_assert_eq(profile_syscall(built->profile, call, 1, 0, &sample.syscall), 0);
    cr_assert_eq(profile_count(built->profile, &sample), 0);
}

static const char *own_path(void)
{
    static char path[512];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);

    cr_assert_gt(length, 0);
    path[length] = '\0';
    return path;
}

static struct built build(const char *comm)
{
    struct built built = {.profile = profile_new()};
    struct profile_process process = {.pid = 7, .status = -1};
    struct profile_thread thread = {.tid = 7};
    int fd = open(own_path(), O_RDONLY);

    cr_assert_eq(profile_string(built.profile, comm, &process.comm), 0);
    cr_assert_eq(profile_add_process(built.profile, &process, &thread.process), 0);
    cr_assert_eq(profile_add_thread(built.profile, &thread, &built.thread), 0);
    built.profile->totals.asked_hz = 1000;
    built.object = add_object(&built, own_path(), 0x555500000000);
    cr_assert_eq(symbol_text_of_file(fd, own_path(), &built.text), 0);
    close(fd);
    return built;
}

/* Returns the file offset of the byte that is `distance` bytes after the start of this program's text. */
static uint64_t offset_at(const struct built *built, uint64_t distance)
{
    uint64_t offset;

    cr_assert(symbol_text_offset(&built->text, built->text.low + distance, &offset));
    return offset;
}

Test(histogram_formats_profiles, text_of_an_object)
{
    struct built built = build("");
    uint64_t address;

    cr_assert(built.text.low < built.text.high);
    cr_assert(built.text.base <= built.text.low);
    cr_assert_eq(built.text.pointer_size, sizeof(void *));
    cr_assert(symbol_text_address(&built.text, offset_at(&built, 0x40), &address));
    cr_assert_eq(address, built.text.low + 0x40);
    cr_assert_not(symbol_text_address(&built.text, UINT64_MAX, &address));
    cr_assert_not(symbol_text_offset(&built.text, UINT64_MAX, &address));
    profile_free(built.profile);
}

Test(histogram_formats_profiles, hostile_objects_have_no_text_or_a_sane_one)
{
    unsigned char *bytes;
    size_t size, head = 1024;
    struct symbol_text text;

    cr_assert_eq(bytes_load(own_path(), &bytes, &size), 0);
    for (size_t i = 0; i < head; i++) {
        int fd = memfd_create("hostile", MFD_CLOEXEC);
        bytes[i] ^= 0xff;
        cr_assert_eq(write(fd, bytes, i % 4 == 0 ? 4096 : 2048), i % 4 == 0 ? 4096 : 2048);
        if (symbol_text_of_file(fd, "hostile", &text) == 0)
            cr_assert_lt(text.low, text.high);
        bytes[i] ^= 0xff;
        close(fd);
    }
    free(bytes);
}

/* Returns the sum of the counters for the text between two addresses. */
static uint64_t ticks_in(const struct histogram *histogram, uint64_t from, uint64_t to)
{
    uint64_t sum = 0;

    for (uint64_t i = (from - histogram->low) / 4; i < (to - histogram->low) / 4; i++)
        sum += histogram->counters[i];
    return sum;
}

Test(histogram_formats_profiles, time_is_carried_in_the_order_of_addresses)
{
    struct built built = build("");
    struct histogram_file file = {0};
    uint64_t low = (built.text.low + 15) & ~UINT64_C(15);
    uint64_t start = low - built.text.low;

    for (uint64_t i = 0; i < 300; i++) /* 0.4 ms at each address, the highest address first */
        add_time(&built, built.object, offset_at(&built, start + (299 - i) * 4), NULL, 400000);
    cr_assert_eq(histogram_from_profile(built.profile, built.object, dialect_find("glibc"), 0, 0, &file), 0);
    const struct histogram *histogram = &file.histograms[0];
    cr_assert_eq(histogram->low, built.text.low & ~UINT64_C(15));
    cr_assert_eq(histogram->high % 16, 0);
    cr_assert_eq(histogram->count, (histogram->high - histogram->low) / 4);
    cr_assert_eq(file.rate_hz, 1000);
    cr_assert_eq(file.ticks, 120);
    cr_assert_eq(ticks_in(histogram, histogram->low, histogram->high), 120);
    for (uint64_t from = 0; from < 300; from += 7)
        for (uint64_t to = from; to < 300; to += 11) {
            double exact = 0.4 * (double)(to - from);
            double got = (double)ticks_in(histogram, low + from * 4, low + to * 4);
            cr_assert(got >= exact - 1 && got <= exact + 1, "%g for %g", got, exact);
        }
    histogram_file_clear(&file);
    profile_free(built.profile);
}

Test(histogram_formats_profiles, dialects_take_what_their_systems_took)
{
    struct built built = build("");
    static const struct {
        const char *dialect;
        uint64_t ticks;
    } cases[] = {{"glibc", 30}, {"solaris", 30}, {"bsd44", 10}, {"irix", 10}, {"v7", 30}};

    add_time(&built, built.object, offset_at(&built, 0x40), NULL, 10000000);
    add_time(&built, built.object, offset_at(&built, 0x40), "read", 20000000);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct histogram_file file = {0};
        cr_assert_eq(histogram_from_profile(built.profile, built.object,
                                            dialect_find(cases[i].dialect), 0x10000, 1000, &file),
                     0);
        cr_assert_eq(file.ticks, cases[i].ticks, "%s", cases[i].dialect);
        histogram_file_clear(&file);
    }
    struct histogram_file file = {0};
    cr_assert_eq(histogram_from_profile(built.profile, built.object, dialect_find("irix"), 1, 0, &file),
                 PPROFIL_ERROR_OFF);
    histogram_file_clear(&file);
    cr_assert_eq(histogram_from_profile(built.profile, built.object, dialect_find("pcsample"), 0, 100, &file), 0);
    cr_assert_eq(file.pc_count, 3);
    cr_assert_eq(file.pcs[0], built.text.low + 0x40);
    histogram_file_clear(&file);
    cr_assert_eq(histogram_from_profile(built.profile, built.object, dialect_find("inferno"), 0, 0, &file), 0);
    uint64_t distance = built.text.low + 0x40 - file.histograms[0].low;
    cr_assert_eq(file.histograms[0].counters[distance / 8], 30);
    histogram_file_clear(&file);
    profile_free(built.profile);
}

Test(histogram_formats_profiles, an_object_that_is_gone_has_the_text_that_was_sampled)
{
    struct built built = build("");
    struct histogram_file file = {0};
    uint32_t gone = add_object(&built, "/no/such/file", 0x7f0000000000);

    add_time(&built, gone, 0x1234, NULL, 5000000);
    add_time(&built, gone, 0x2345, NULL, 5000000);
    cr_assert_eq(histogram_from_profile(built.profile, gone, dialect_find("glibc"), 0, 0, &file), 0);
    cr_assert_eq(file.histograms[0].low, 0x1230);
    cr_assert_eq(file.histograms[0].high, 0x2350);
    cr_assert_eq(file.histograms[0].counters[1], 5);
    histogram_file_clear(&file);
    profile_free(built.profile);
}

static uint64_t time_at(const struct profile *profile, const char *path, uint64_t from, uint64_t to)
{
    uint64_t ns = 0;

    for (uint32_t i = 0; i < profile->sample_count; i++) {
        uint32_t leaf = profile->nodes[profile->samples[i].node].location;
        const struct profile_location *location = &profile->locations[leaf];
        const struct profile_object *object = &profile->objects[location->object];
        if (strcmp(profile->strings[object->path], path) == 0 && location->address >= from && location->address < to)
            ns += profile->samples[i].cpu_ns;
    }
    return ns;
}

/* In each format, a profile that is written and read again has the same time at the same addresses. Addresses may
 * differ by the width of a counter, and times by one tick. */
Test(histogram_formats_profiles, profiles_come_back)
{
    static const char *const names[] = {"gmon",        "gmon-bsd", "mon", "kpdata",
                                        "mon-solaris", "pcsample", "n64", "sprof"};
    struct built built = build("");

    for (uint64_t i = 0; i < 10; i++)
        add_time(&built, built.object, offset_at(&built, 0x100 + i * 0x20), NULL, 50000000 * i);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = in_directory(names[i]);
        struct format_options options = {.object = own_path()};
        struct profile *again;
        cr_assert_eq(format_write_file(format_by_name(names[i]), path, built.profile), 0, "%s", names[i]);
        cr_assert_eq(format_read_file_as(path, format_by_name(names[i]), &options, &again), 0, "%s", names[i]);
        cr_assert_float_eq((double)again->totals.cpu_ns, 45 * 50e6, 1.0, "%s: %g", names[i],
                           (double)again->totals.cpu_ns);
        for (uint64_t j = 0; j < 10; j++) {
            uint64_t from = offset_at(&built, 0x100 + j * 0x20);
            uint64_t ns = time_at(again, own_path(), from & ~UINT64_C(7), from + 1);
            cr_assert_float_eq((double)ns, 50e6 * (double)j, 1e7, "%s: %g", names[i], (double)ns);
        }
        profile_free(again);
    }
    profile_free(built.profile);
}

Test(histogram_formats_profiles, there_is_a_file_for_each_object)
{
    struct built built = build("second");
    uint32_t first = add_object(&built, "/bin/first", 0x1000);
    uint32_t second = add_object(&built, "/bin/second-with-a-longer-name", 0x2000);
    uint32_t third = add_object(&built, "/opt/first", 0x3000);
    const char *path = in_directory("out.gmon");
    struct profile *again;

    add_time(&built, first, 0x1000, NULL, 90000000);
    add_time(&built, second, 0x1000, NULL, 20000000);
    add_time(&built, third, 0x1000, NULL, 30000000);
    cr_assert_eq(format_write_file(&format_gmon, path, built.profile), 0);
    cr_assert_eq(format_read_file(path, &again), 0);
    cr_assert_eq(again->totals.cpu_ns, 20000000);
    profile_free(again);
    cr_assert_eq(format_read_file(in_directory("out.gmon.first"), &again), 0);
    cr_assert_eq(again->totals.cpu_ns, 90000000);
    profile_free(again);
    cr_assert_eq(format_read_file(in_directory("out.gmon.first.2"), &again), 0);
    cr_assert_eq(again->totals.cpu_ns, 30000000);
    profile_free(again);
    cr_assert_eq(access(in_directory("out.gmon.second-with-a-longer-name"), F_OK), -1);
    cr_assert_eq(format_write_file(&format_gmon, "/dev/null", built.profile), 0);
    profile_free(built.profile);
    built.profile = profile_new();
    cr_assert_eq(format_write_file(&format_gmon, path, built.profile), PPROFIL_ERROR_NO_SAMPLES);
    profile_free(built.profile);
}

Test(histogram_formats_profiles, modules_never_overlap)
{
    struct built built = build("");
    struct histogram_file file = {0};

    for (unsigned i = 0; i < 4; i++) { /* four libraries at the same address, as in different processes */
        char path[32];
        snprintf(path, sizeof path, "/no/library%u", i);
        add_time(&built, add_object(&built, path, 0x400000), 0x1000 + i, NULL, 50000000);
    }
    cr_assert_eq(histogram_modules_from_profile(built.profile, dialect_find("solaris"), 100, &file), 0);
    cr_assert_eq(file.module_count, 4);
    cr_assert_eq(file.pc_count, 20);
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = 0; j < i; j++)
            cr_assert(file.modules[j].end <= file.modules[i].start || file.modules[i].end <= file.modules[j].start);
        for (size_t j = 0; j < 5; j++)
            cr_assert_eq(file.pcs[5 * i + j], file.modules[i].start + 0x1000 + i);
    }
    struct profile *again = profile_new();
    cr_assert_eq(histogram_to_profile(&file, again), 0);
    cr_assert_eq(time_at(again, "/no/library3", 0x1003, 0x1004), 50000000);
    profile_free(again);
    histogram_file_clear(&file);
    profile_free(built.profile);
}

Test(histogram_formats_profiles, what_the_user_says_of_an_object_must_be_true)
{
    struct format_options options = {.object = "/no/such/program"};
    const char *path = in_directory("gmon.out");
    struct profile *profile;

    put_file(path, examples[0].bytes, examples[0].size);
    cr_assert_eq(format_read_file_as(path, NULL, &options, &profile), PPROFIL_ERROR_NO_OBJECT);
    options.object = path;
    cr_assert_eq(format_read_file_as(path, NULL, &options, &profile), PPROFIL_ERROR_NOT_ELF);
    cr_assert_eq(format_read_file_as(path, &format_kpdata, &(struct format_options){0}, &profile),
                 PPROFIL_ERROR_DAMAGED);
    put_file(in_directory("x.pcsample"), BYTES("\0\1\x10\4\0\1\x10\x10"));
    cr_assert_eq(format_read_file(in_directory("x.pcsample"), &profile), 0);
    cr_assert_eq(profile->totals.samples, 2);
    profile_free(profile);
}
