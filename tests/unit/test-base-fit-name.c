/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of functions that are made short, and texts that are made to fit. */
#include "config.h"

#include <criterion/criterion.h>

#include "base/fit-name.h"

Test(names, short_names_have_no_arguments)
{
    static const struct {
        const char *name, *wanted;
    } cases[] = {
        {"main", "main"},
        {"std::vector<int, std::allocator<int> >::push_back(int const&)", "std::vector<>::push_back"},
        {"std::map<std::string, std::vector<int>>::find(std::string const&) const", "std::map<>::find"},
        {"point::operator<(point const&) const", "point::operator<"},
        {"std::ostream& operator<< <char>(std::ostream&, char)", "std::ostream& operator<< <char>"},
        {"operator>>(stream&, int)", "operator>>"},
        {"list<int>::iterator::operator->() const", "list<>::iterator::operator->"},
        {"less<int>::operator()(int, int) const", "less<>::operator()"},
        {"(anonymous namespace)::work(int)", "(anonymous namespace)::work"},
        {"ns::(anonymous namespace)::work(int)", "ns::(anonymous namespace)::work"},
        {"<module>", "<module>"},
        {"<alloc::vec::Vec<T> as core::ops::Drop>::drop", "<alloc::vec::Vec<> as core::ops::Drop>::drop"},
        {"core::iter::map<F, fn(u8) -> u8>::next", "core::iter::map<>::next"},
        {"main.(*server).serve", "main.(*server).serve"},
        {"JS:^handle n.js:5:18", "JS:^handle n.js:5:18"},
        {"cooperator<int>::run(int)", "cooperator<>::run"},
        {"item::value() const &", "item::value"},
        {"item::value() const&", "item::value"},
        {"item::value() &&", "item::value"},
        {"broken<int", "broken<int"},
        {"broken(int", "broken(int"},
        {"a>b", "a>b"},
        {"", ""},
    };
    char text[256];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fit_short_name(cases[i].name, text, sizeof text);
        cr_expect_str_eq(text, cases[i].wanted);
    }
    fit_short_name("a_name_that_does_not_fit", text, 8);
    cr_assert_lt(strlen(text), 8);
}

Test(names, long_texts_are_made_to_fit)
{
    char text[64];

    fit_name("short", 5, true, text, sizeof text);
    cr_assert_str_eq(text, "short");
    fit_name("a_very_long_name", 9, true, text, sizeof text);
    cr_assert_str_eq(text, "a_ve\xe2\x80\xa6name");
    fit_name("a_very_long_name", 9, false, text, sizeof text);
    cr_assert_str_eq(text, "a_ve..ame");
    fit_name("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f\xc3\xa4\xc3\xb6", 5, true, text, sizeof text);
    cr_assert_str_eq(text, "\xc3\xa4\xc3\xb6\xe2\x80\xa6\xc3\xa4\xc3\xb6");
    fit_path("/usr/src/program/main.c", 8, true, text, sizeof text);
    cr_assert_str_eq(text, "\xe2\x80\xa6/main.c");
    fit_path("/main.c", 1, true, text, sizeof text);
    cr_assert_str_eq(text, "/main.c", "nothing useful fits");
}
