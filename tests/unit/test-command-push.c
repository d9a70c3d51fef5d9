/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What pprofil push sends: addresses, names, labels, bodies, and the files of its queue. */
#include "config.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <jansson.h>

#include "src/push.h"

Test(push, addresses)
{
    static const char *const right[] = {"http://host",        "http://host:4040/",     "https://host.example/prefix",
                                        "HTTP://127.0.0.1:1", "http://[::1]:4040/x",   "http://host:65535",
                                        "http://[fe80::1]",   "https://host/a%20b/c/@"};
    static const char *const wrong[] = {"",
                                        "host",
                                        "ftp://host",
                                        "http:/host",
                                        "http://",
                                        "http://:1",
                                        "http:///x",
                                        "http://host:",
                                        "http://host:0",
                                        "http://host:65536",
                                        "http://h#x",
                                        "http://h x",
                                        "http://u@h",
                                        "http://u:p@h/x",
                                        "http://host:4o40",
                                        "http://[::1",
                                        "http://h/\n",
                                        "file:///etc/x",
                                        "http://h\xc3\xa4",
                                        "http://h?x=1"};

    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        cr_assert_null(push_url_problem(PUSH_PYROSCOPE, right[i]), "%s: %s", right[i],
                       push_url_problem(PUSH_PYROSCOPE, right[i]));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_assert_not_null(push_url_problem(PUSH_PYROSCOPE, wrong[i]), "%s", wrong[i]);
    cr_assert_null(push_url_problem(PUSH_RAW, "http://h/x?x=1"));
}

Test(push, names)
{
    cr_assert_null(push_name_problem("my.awesome/app-1_x"));
    cr_assert_not_null(push_name_problem(""));
    cr_assert_not_null(push_name_problem("my app"));
    cr_assert_not_null(push_name_problem("app{}"));
    char name[] = "my app{\xc3\xa4}-1";
    push_clean_name(name);
    cr_assert_str_eq(name, "my_app____-1");
    char value[] = "node 1,rack={2}";
    push_clean_value(value);
    cr_assert_str_eq(value, "node_1_rack=_2_");
    cr_assert_null(push_label_problem(PUSH_PYROSCOPE, "x", value));
}

Test(push, labels)
{
    static const struct {
        const char *name, *value;
        bool pyroscope, parca;
    } labels[] = {
        {"env", "prod", true, true},     {"_env2", "a=b c", true, true},  {"a.b", "x", true, false},
        {"", "x", false, false},         {"2env", "x", false, false},     {"e-nv", "x", false, false},
        {"__name__", "x", false, false}, {"env", "", false, false},       {"env", "a,b", false, true},
        {"env", "a}", false, true},      {"env", "a{", true, true},       {"env", " a", false, true},
        {"env", "a ", false, true},      {"env", "\xc3\xa4", true, true}, {"env", "\xc3", false, false},
        {"env", "a\nb", false, false},   {"\xc3\xa4", "x", false, false}, {"e nv", "x", false, false},
    };

    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        cr_assert_eq(push_label_problem(PUSH_PYROSCOPE, labels[i].name, labels[i].value) == NULL, labels[i].pyroscope,
                     "%zu: %s", i, labels[i].name);
        cr_assert_eq(push_label_problem(PUSH_PARCA, labels[i].name, labels[i].value) == NULL, labels[i].parca,
                     "%zu: %s", i, labels[i].name);
    }
}

Test(push, lists_of_labels)
{
    struct push_labels list = {0};
    char name[16];

    cr_assert_eq(push_labels_add(&list, "a", "1"), 0);
    cr_assert_eq(push_labels_add(&list, "a", "2"), -EEXIST);
    cr_assert_str_eq(push_labels_find(&list, "a")->value, "1");
    cr_assert_null(push_labels_find(&list, "b"));
    for (unsigned i = 1; i < PUSH_LABELS_MAX; i++) {
        snprintf(name, sizeof name, "l%u", i);
        cr_assert_eq(push_labels_add(&list, name, "x"), 0);
    }
    cr_assert_eq(push_labels_add(&list, "more", "x"), -E2BIG);
    push_labels_clear(&list);
    cr_assert_eq(list.count, 0);
}

Test(push, tenants_and_headers)
{
    cr_assert_null(push_tenant_problem("team-1_(a)!"));
    cr_assert_not_null(push_tenant_problem(""));
    cr_assert_not_null(push_tenant_problem(".."));
    cr_assert_not_null(push_tenant_problem("a/b"));
    cr_assert_null(push_header_problem("X-Key: some value"));
    cr_assert_null(push_header_problem("X:y"));
    cr_assert_not_null(push_header_problem("X-Key"));
    cr_assert_not_null(push_header_problem(": x"));
    cr_assert_not_null(push_header_problem("X Key: x"));
    cr_assert_not_null(push_header_problem("X-Key: "));
    cr_assert_not_null(push_header_problem("X: a\r\nY: b"));
}

/* Makes a request from a profile of these bytes, with two labels. */
static void make(struct push_target target, const char *bytes, struct push_request *request)
{
    char name[] = "my-app";
    struct push_profile profile = {
        .name = name, .from = 1700000000, .until = 1700000060, .pprof = (void *)bytes, .size = strlen(bytes)};

    cr_assert_eq(push_labels_add(&profile.labels, "env", "a b&c"), 0);
    cr_assert_eq(push_labels_add(&profile.labels, "host", "h1"), 0);
    cr_assert_eq(push_request_make(&target, "x.pb.gz", &profile, request), 0);
    push_labels_clear(&profile.labels);
}

Test(push, pyroscope)
{
    struct push_request request = {0};

    make((struct push_target){.server = PUSH_PYROSCOPE, .url = "http://h:4040/p//", .tenant = "t1"}, "bytes", &request);
    cr_assert_str_eq(request.url, "http://h:4040/p/ingest?name=my-app%7Benv%3Da%20b%26c%2Chost%3Dh1%7D"
                                  "&from=1700000000&until=1700000060&format=pprof&spyName=pprofil");
    cr_assert_eq(request.header_count, 2);
    cr_assert_str_eq(request.headers[0], "Content-Type: application/octet-stream");
    cr_assert_str_eq(request.headers[1], "X-Scope-OrgID: t1");
    cr_assert_eq(request.size, 5);
    cr_assert_eq(memcmp(request.body, "bytes", 5), 0);
    push_request_clear(&request);
}

Test(push, parca)
{
    /* RFC 4648, 10 */
    static const char *const base64[][2] = {{"f", "Zg=="},        {"fo", "Zm8="},        {"foo", "Zm9v"},
                                            {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}};
    const char *text;

    for (size_t i = 0; i < sizeof base64 / sizeof *base64; i++) {
        struct push_request request = {0};
        make((struct push_target){.server = PUSH_PARCA, .url = "http://h:7070"}, base64[i][0], &request);
        cr_assert_str_eq(request.url, "http://h:7070/api/profiles/writeraw");
        json_t *body = json_loadb(request.body, request.size, 0, NULL), *labels, *samples;
        cr_assert_eq(
            json_unpack(body, "{s:[{s:{s:o}, s:o}]}", "series", "labels", "labels", &labels, "samples", &samples), 0);
        cr_assert_eq(json_array_size(labels), 4);
        cr_assert_eq(json_unpack(samples, "[{s:s}]", "raw_profile", &text), 0);
        cr_assert_str_eq(text, base64[i][1]);
        json_decref(body);
        push_request_clear(&request);
    }
}

Test(push, raw)
{
    struct push_request request = {0};

    make((struct push_target){.server = PUSH_RAW, .url = "http://h/x?key=1"}, "bytes", &request);
    cr_assert_str_eq(request.url,
                     "http://h/x?key=1&name=my-app&env=a%20b%26c&host=h1&from=1700000000&until=1700000060");
    push_request_clear(&request);
}

Test(push, entries)
{
    struct push_target target = {
        .url = "http://h", .headers = {"X: y"}, .header_count = 1, .user = "me", .token_file = "/t"};
    struct push_request request = {0}, again = {0};
    char *bytes;
    size_t size;

    make(target, "by\ntes\n", &request);
    cr_assert_eq(push_entry_pack(&request, &bytes, &size), 0);
    cr_assert_eq(push_entry_unpack(bytes, size, &again), 0);
    cr_assert_str_eq(again.source, "x.pb.gz");
    cr_assert_str_eq(again.url, request.url);
    cr_assert_str_eq(again.user, "me");
    cr_assert_str_eq(again.token_file, "/t");
    cr_assert_eq(again.header_count, 2);
    cr_assert_str_eq(again.headers[1], "X: y");
    cr_assert_eq(again.size, 7);
    cr_assert_eq(memcmp(again.body, "by\ntes\n", 7), 0);
    push_request_clear(&again);
    for (size_t cut = 0; cut < size - request.size; cut++) {
        cr_assert_neq(push_entry_unpack(bytes, cut, &again), 0, "%zu", cut);
        push_request_clear(&again);
    }
    free(bytes);
    push_request_clear(&request);
}

Test(push, wrong_entries)
{
    static const char *const wrong[] = {"",
                                        "\n",
                                        "x\n",
                                        "[]\n",
                                        "{}\n",
                                        "{\"source\":1,\"url\":\"x\"}\n",
                                        "{\"source\":\"x\",\"url\":\"x\",\"headers\":[1]}\n"};
    struct push_request request = {0};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cr_assert_eq(push_entry_unpack(wrong[i], strlen(wrong[i]), &request), PPROFIL_ERROR_DAMAGED, "%zu", i);
        push_request_clear(&request);
    }
}
