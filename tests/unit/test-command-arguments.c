/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <criterion/criterion.h>
#include <math.h>

#include "command-fixture.h"
#include "src/arguments.h"

static void is_about(double got, double wanted, const char *text)
{
    cr_assert(fabs(got - wanted) <= 1e-9 * wanted, "%s: %.17g", text, got);
}

static double duration(const char *text)
{
    return duration_option("-d", text, 0.001, 1e9);
}

Test(arguments, durations)
{
    static const struct {
        const char *text;
        double seconds;
    } right[] = {{"10", 10},     {"0.25", 0.25},         {"500ms", 0.5},    {"10s", 10},
                 {"1m", 60},     {"1min", 60},           {"1h30m", 5400},   {"1.5h", 5400},
                 {"2d", 172800}, {"1m30s", 90},          {"5000us", 0.005}, {"1e3", 1000},
                 {"30sec", 30},  {"1h1m1s1ms", 3661.001}};

    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        is_about(duration(right[i].text), right[i].seconds, right[i].text);
}

static void read_duration(const char *text)
{
    duration(text);
}

Test(arguments, no_durations)
{
    static const char *const wrong[] = {"",    "s",   "x",    "-1",   "10x", "1h30", "1h-30m", "0",    "0ms",
                                        "inf", "nan", "1e10", "1 s ", "ms5", "1mm",  "10 ",    "1hour"};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        complaint_of(read_duration, wrong[i]);
    cr_assert_str_eq(complaint_of(read_duration, "soon"),
                     "-d takes a time from 0.001 to 1000000000 seconds, such as 10, "
                     "10s, 500ms, 1m or 1h30m, not 'soon'");
}

static double frequency(const char *text)
{
    return frequency_option("-F", text, 1, 50000);
}

Test(arguments, frequencies)
{
    is_about(frequency("99"), 99, "99");
    is_about(frequency("10k"), 10000, "10k");
    is_about(frequency("1.5K"), 1500, "1.5K");
    is_about(frequency("1000Hz"), 1000, "1000Hz");
    is_about(frequency("2kHz"), 2000, "2kHz");
    is_about(frequency("5hz"), 5, "5hz");
    is_about(frequency("max"), 50000, "max");
}

static void read_frequency(const char *text)
{
    frequency(text);
}

Test(arguments, no_frequencies)
{
    static const char *const wrong[] = {"", "0", "k", "Hz", "51k", "1M", "-5", "maximum", "10 k", "10Hzk", "nan"};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        complaint_of(read_frequency, wrong[i]);
    cr_assert_str_eq(complaint_of(read_frequency, "1M"),
                     "-F takes a number from 1 to 50000, such as 500, 10k, 1000Hz or max, not '1M'");
}

static void read_size(const char *text)
{
    size_option("-s", text, 1024, 1u << 20);
}

Test(arguments, sizes)
{
    cr_assert_eq(size_option("-s", "4096", 1024, 1u << 20), 4096);
    cr_assert_eq(size_option("-s", "64k", 1024, 1u << 20), 65536);
    cr_assert_eq(size_option("-s", "1M", 1024, 1u << 20), 1u << 20);
    cr_assert_str_eq(complaint_of(read_size, "2M"),
                     "-s takes a size from 1024 to 1024k, such as 4096, 64k or 1M, not '2M'");
    complaint_of(read_size, "64kk");
    complaint_of(read_size, "-64k");
}

static void read_percent(const char *text)
{
    percent_option("--min", text, 0, 100);
}

static void read_count(const char *text)
{
    count_option("-n", text);
}

static void read_integer(const char *text)
{
    integer_option("--scale", text);
}

Test(arguments, other_numbers)
{
    is_about(percent_option("--min", "2.5%", 0, 100), 0.025, "2.5%");
    is_about(percent_option("--min", "50", 0, 100), 0.5, "50");
    complaint_of(read_percent, "101%");
    complaint_of(read_percent, "1%%");
    complaint_of(read_percent, "%");
    cr_assert_eq(count_option("-n", "30"), 30);
    complaint_of(read_count, "0.5");
    complaint_of(read_count, "-1");
    cr_assert_eq(integer_option("--scale", "0x8000"), 0x8000);
    complaint_of(read_integer, "-1");
    complaint_of(read_integer, "0x100000000");
}
