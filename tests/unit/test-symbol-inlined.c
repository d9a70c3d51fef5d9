/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of inlined functions: compares them with the source, and with the output of eu-addr2line for the same files. */
#include "config.h"

#include <criterion/criterion.h>

#include "base/path.h"
#include "symbol-fixture.h"

#define CODE_SIZE_MAX 4096u /* bytes of code that are looked up */

static const char header[] = "static inline __attribute__((always_inline)) int inner(int a)\n"
                             "{\n"
                             "    asm volatile(\"\" : \"+r\"(a));\n"
                             "    return a * x + 3;\n"
                             "}\n";

static const char source[] =
    "volatile int x;\n"
    "#include \"inner.h\"\n"
    "static inline __attribute__((always_inline)) int outer(int a)\n"
    "{\n"
    "    int sum = 0;\n"
    "    for (int i = 0; i < a; i++) {\n"
    "        sum += inner(i);\n"
    "    }\n"
    "    return sum;\n"
    "}\n"
    "__attribute__((noinline)) int loud_one(int a) { return outer(a) + x * 5; }\n"
    "int main(void) { return loud_one(x) + inner(x); }\n";

static void begin(void)
{
    setenv("DEBUGINFOD_URLS", "", 1);
    if (system("command -v gcc nm readelf >/dev/null 2>&1") != 0)
        cr_skip_test("no compiler here");
    enter_directory();
    write_file("inner.h", header);
    write_file("prog.c", source);
    sh("gcc -O2 -g prog.c -o prog");
}

TestSuite(inlined, .init = begin, .fini = remove_directory);

/* --- what the file says, as others read it ------------------------------------------------- */

static uint64_t symbol(const char *name)
{
    char command[128];

    snprintf(command, sizeof command, "nm prog | sed -n 's/ [Tt] %s.*$//p' | head -n 1", name);
    return number_from(command);
}

static uint64_t size_of(const char *name)
{
    char command[128];

    snprintf(command, sizeof command, "nm -S prog | awk '$4 == \"%s\" { print $2 }'", name);
    return number_from(command);
}

/* Returns the difference between addresses and file offsets in the segment of code. */
static uint64_t shift(void)
{
    return number_from("readelf -lW prog | awk '$1 == \"LOAD\" && / R E / { print $3 }'") -
           number_from("readelf -lW prog | awk '$1 == \"LOAD\" && / R E / { print $2 }'");
}

/* --- what we say ---------------------------------------------------------------------------- */

struct lookup {
    struct profile *profile;
    struct symbolizer *symbolizer;
    uint32_t object;
};

static struct lookup open_prog(void)
{
    struct profile_object object = {.kind = PROFILE_OBJECT_FILE, .fd = open("prog", O_RDONLY)};
    struct lookup lookup = {.profile = profile_new()};

    lookup.symbolizer = symbolizer_new(lookup.profile);
    cr_assert_eq(profile_string(lookup.profile, "prog", &object.path), 0);
    cr_assert_eq(profile_object(lookup.profile, &object, &lookup.object), 0);
    return lookup;
}

static void close_prog(struct lookup *lookup)
{
    symbolizer_free(lookup->symbolizer);
    profile_free(lookup->profile);
}

static const struct profile_location *ask(struct lookup *lookup, uint64_t offset, uint32_t what)
{
    uint32_t location;

    cr_assert_eq(profile_location(lookup->profile, lookup->object, offset, &location), 0);
    cr_assert_eq(symbolizer_look_up(lookup->symbolizer, location, what), 0);
    return &lookup->profile->locations[location];
}

/* Writes the functions and lines of a location as a text: "inner inner.h:4; outer prog.c:7; ...". */
static void say(const struct profile *profile, const struct profile_location *place, char *text, size_t size)
{
    size_t length = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < place->line_count && length < size; i++) {
        const struct profile_line *line = &place->lines[i];
        const struct profile_function *function = &profile->functions[line->function];
        length += (size_t)snprintf(text + length, size - length, "%s %s:%u; ", profile->strings[function->name],
                                   path_base_name(profile->strings[line->file]), line->line);
    }
}

/* Looks up the code of loud_one. Returns the last address at which `inner` was inlined into `outer`, and `outer` into
 * loud_one, by the lines of the source; 0: there is none. */
static uint64_t find_deepest(struct lookup *lookup)
{
    uint64_t start = symbol("loud_one") - shift(), size = size_of("loud_one");
    uint64_t deepest = 0;
    char text[256];

    for (uint64_t i = 0; i < size; i++) {
        say(lookup->profile, ask(lookup, start + i, PROFILE_LOOKED_LINE), text, sizeof text);
        if (strcmp(text, "inner inner.h:4; outer prog.c:7; loud_one prog.c:11; ") == 0)
            deepest = start + i;
    }
    return deepest;
}

/* Compiles prog.c, and expects the lines and the declarations of the source. */
static void expect_lines(const char *command)
{
    sh(command);
    struct lookup lookup = open_prog();
    const struct profile *profile = lookup.profile;
    uint64_t deepest = find_deepest(&lookup);

    cr_assert_neq(deepest, 0, "%s", command);
    const struct profile_line *lines = ask(&lookup, deepest, PROFILE_LOOKED_LINE)->lines;
    const struct profile_function *inner = &profile->functions[lines[0].function];
    const struct profile_function *outer = &profile->functions[lines[1].function];
    cr_expect_str_eq(path_base_name(profile->strings[inner->file]), "inner.h");
    cr_expect_eq(inner->line, 1);
    cr_expect_str_eq(path_base_name(profile->strings[outer->file]), "prog.c");
    cr_expect_eq(outer->line, 3);
    cr_expect_eq(inner->object, lookup.object + 1);
    close_prog(&lookup);
}

Test(inlined, each_has_the_line_it_was_called_at_and_the_one_it_is_declared_at)
{
    expect_lines("true");
}

Test(inlined, entries_are_in_a_file_beside_the_program_or_where_it_was_compiled)
{
    expect_lines("gcc -O2 -gdwarf-5 -gsplit-dwarf prog.c -o prog");
    expect_lines("rm *.dwo && gcc -O2 -gdwarf-4 -gsplit-dwarf prog.c -o prog");
    expect_lines("rm *.dwo && mkdir sub && cd sub && gcc -O2 -g -gsplit-dwarf ../prog.c -o prog && mv prog ..");
    if (!have("clang"))
        return;
    expect_lines("rm -r sub && clang -O2 -gdwarf-5 -gsplit-dwarf prog.c -o prog");
    expect_lines("rm *.dwo && clang -O2 -gdwarf-4 -gsplit-dwarf prog.c -o prog");
}

Test(inlined, a_file_that_is_no_regular_file_is_not_opened, .timeout = 60)
{
    sh("gcc -O2 -g -gsplit-dwarf prog.c -o prog && for f in *.dwo; do rm $f && mkfifo $f; done");
    struct lookup lookup = open_prog();

    cr_expect_eq(find_deepest(&lookup), 0);
    close_prog(&lookup);
}

Test(inlined, a_clone_is_defined_where_its_function_is)
{
    struct lookup lookup;
    uint32_t location;

    write_file("prog.c", "volatile int x;\n"
                         "static inline __attribute__((always_inline)) int inner(int a) { return a * x + 3; }\n"
                         "\n"
                         "static __attribute__((noinline)) int loud_one(int a, int b)\n"
                         "{\n"
                         "    for (int i = inner(a); i < b; i++)\n"
                         "        a += inner(a);\n"
                         "    return a;\n"
                         "}\n"
                         "int main(void) { return loud_one(x, 1000) + loud_one(x + 1, 1000); }\n");
    sh("gcc -O2 -g -fipa-cp prog.c -o prog");
    if (system("nm prog | grep -q 'loud_one.constprop'") != 0)
        cr_skip_test("this compiler makes no clone");
    lookup = open_prog();
    cr_assert_eq(profile_location(lookup.profile, lookup.object, symbol("loud_one") - shift(), &location), 0);
    cr_assert_eq(symbolizer_define(lookup.symbolizer, location), 0);
    const struct profile_location *place = &lookup.profile->locations[location];
    cr_expect_eq(lookup.profile->functions[place->lines[place->line_count - 1].function].line, 4);
    close_prog(&lookup);
}

Test(inlined, names_alone_are_those_of_the_code)
{
    struct lookup lookup = open_prog();
    uint64_t start = symbol("loud_one") - shift();
    const struct profile_location *place = ask(&lookup, start, PROFILE_LOOKED_NAME);

    cr_assert_eq(place->line_count, 1);
    uint32_t function = place->lines[0].function;
    cr_expect_str_eq(lookup.profile->strings[lookup.profile->functions[function].name], "loud_one");
    place = ask(&lookup, start, PROFILE_LOOKED_LINE);
    cr_expect_eq(place->lines[place->line_count - 1].function, function);
    close_prog(&lookup);
}

/* Compares a location with the output of eu-addr2line. For each function, eu-addr2line prints a line such as "outer
 * inlined at /src/prog.c:7:10 in loud_one", and then a line with the source file and line number. */
static void expect_as_theirs(FILE *theirs, const struct profile *profile, const struct profile_location *place)
{
    char name[512], where[512];

    for (uint32_t i = 0; i < place->line_count; i++) {
        const struct profile_line *line = &place->lines[i];
        cr_assert_not_null(fgets(name, sizeof name, theirs));
        cr_assert_not_null(fgets(where, sizeof where, theirs));
        name[strcspn(name, " \n")] = '\0';
        char *number = strchr(path_base_name(where), ':');
        cr_assert_not_null(number);
        *number++ = '\0';
        cr_expect_str_eq(profile->strings[profile->functions[line->function].name], name);
        cr_expect_str_eq(path_base_name(profile->strings[line->file]), path_base_name(where));
        cr_expect_eq(line->line, strtoul(number, NULL, 10), "%lx: %s", place->address, where);
    }
}

static void compare(const char *function, uint32_t *inlined)
{
    struct lookup lookup = open_prog();
    uint64_t address = symbol(function), size = size_of(function), move = shift();
    char command[128], line[64];

    for (uint64_t i = 0; i < size && i < CODE_SIZE_MAX; i++) {
        snprintf(command, sizeof command, "eu-addr2line -i -f -a -e prog 0x%lx", address + i);
        FILE *theirs = popen(command, "r");
        cr_assert_not_null(fgets(line, sizeof line, theirs)); /* the address */
        const struct profile_location *place = ask(&lookup, address + i - move, PROFILE_LOOKED_LINE);
        expect_as_theirs(theirs, lookup.profile, place);
        cr_expect_null(fgets(line, sizeof line, theirs), "%lx: more: %s", address + i, line);
        pclose(theirs);
        *inlined += place->line_count > 1;
    }
    close_prog(&lookup);
}

Test(inlined, every_place_is_as_eu_addr2line_has_it)
{
    uint32_t inlined = 0;

    if (system("command -v eu-addr2line >/dev/null 2>&1") != 0)
        cr_skip_test("eu-addr2line is not installed");
    compare("loud_one", &inlined);
    compare("main", &inlined);
    cr_assert_gt(inlined, 10);
}

/* --- C++ ------------------------------------------------------------------------------------ */

#define INLINE "inline __attribute__((always_inline)) "

static const char classes[] =
    "volatile long x;\n"
    "#define COUNT(a) asm volatile(\"\" : \"+r\"(a)); return a * x + __LINE__\n"
    "namespace outer { namespace {\n"
    "struct Hidden { long v; " INLINE "long twice() { COUNT(v); } };\n"
    "} template <int N> struct Box { long v; " INLINE "long sum(long a) { COUNT(a); } };\n"
    "}\n"
    "static " INLINE "long both(long a) { COUNT(a); }\n"
    "long (*volatile pointer)(long) = both;\n"
    "__attribute__((noinline)) long work(long a)\n"
    "{\n"
    "    outer::Hidden hidden = {a};\n"
    "    outer::Box<4> box = {a};\n"
    "    auto lambda = [](long b) { COUNT(b); };\n"
    "    return hidden.twice() + box.sum(a) + both(a) + lambda(x);\n"
    "}\n"
    "int main() { return (int)work(x) + (int)pointer(x); }\n";

static bool is_named(const struct profile *profile, const char *name)
{
    for (uint32_t i = 1; i < profile->function_count; i++)
        if (strcmp(profile->strings[profile->functions[i].name], name) == 0)
            return true;
    return false;
}

/* Checks which functions were inlined into work. `names` are up to four names. If there are fewer, a NULL ends them. */
static void expect_names(const char *command, const char *const names[4])
{
    struct lookup lookup;
    unsigned count = 0;

    sh(command);
    lookup = open_prog();
    uint64_t start = symbol("_Z4workl") - shift(), size = size_of("_Z4workl");
    for (uint64_t i = 0; i < size; i++)
        ask(&lookup, start + i, PROFILE_LOOKED_LINE);
    for (; count < 4 && names[count] != NULL; count++)
        cr_expect(is_named(lookup.profile, names[count]), "%s: no %s", command, names[count]);
    cr_expect_eq(lookup.profile->function_count - 1, count + 1, "%s: work and %u others", command,
                 lookup.profile->function_count - 2);
    close_prog(&lookup);
}

Test(inlined, names_have_the_scopes_that_those_of_the_linker_have)
{
    /* if gcc wrote no linkage name, and there is no symbol, the name is made from the scopes */
    static const char *const gcc[] = {"outer::(anonymous namespace)::Hidden::twice", "outer::Box<4>::sum(long)",
                                      "both(long)", "work(long)::{lambda}::operator()"};
    static const char *const clang[] = {"outer::(anonymous namespace)::Hidden::twice()", "outer::Box<4>::sum(long)",
                                        "both(long)", "work(long)::$_0::operator()(long) const"};
    /* with -g1 clang writes no scopes */
    static const char *const clang_few[4] = {"twice", "sum", "both", "operator()"};

    write_file("prog.cc", classes);
    if (system("command -v g++ >/dev/null 2>&1") != 0)
        cr_skip_test("no C++ compiler here");
    expect_names("g++ -O2 -g prog.cc -o prog", gcc);
    expect_names("g++ -O2 -g -gdwarf-4 prog.cc -o prog", gcc);
    expect_names("g++ -O2 -g -flto prog.cc -o prog", gcc);
    expect_names("g++ -O2 -g -gsplit-dwarf prog.cc -o prog", gcc);
    if (system("command -v clang++ >/dev/null 2>&1") != 0)
        return;
    expect_names("clang++ -O2 -g prog.cc -o prog", clang);
    expect_names("clang++ -O2 -g -gdwarf-4 prog.cc -o prog", clang);
    expect_names("clang++ -O2 -g1 prog.cc -o prog", clang_few);
}

/* --- files that are damaged ----------------------------------------------------------------- */

static void damage(uint64_t offset, uint64_t size, unsigned seed)
{
    FILE *file = fopen("prog", "r+b");

    cr_assert_not_null(file);
    for (unsigned i = 0; i < 8; i++) {
        seed = seed * 1103515245u + 12345u;
        fseek(file, (long)(offset + (seed >> 8) % size), SEEK_SET);
        seed = seed * 1103515245u + 12345u;
        fputc((int)(seed >> 16 & 0xff), file);
    }
    fclose(file);
}

Test(inlined, damaged_debug_information_does_no_harm, .timeout = 60)
{
    uint64_t start = symbol("loud_one") - shift(), size = size_of("loud_one");
    uint64_t offset =
        number_from("readelf -SW prog | sed -n 's/.*\\.debug_info *PROGBITS *[0-9a-f]* "
                    "*\\([0-9a-f]*\\) .*/\\1/p'");
    uint64_t length =
        number_from("readelf -SW prog | sed -n 's/.*\\.debug_info *PROGBITS *[0-9a-f]* "
                    "*[0-9a-f]* *\\([0-9a-f]*\\) .*/\\1/p'");
    cr_assert(offset > 0 && length > 0);

    sh("cp prog whole");
    for (unsigned seed = 1; seed <= 200; seed++) {
        sh("cp whole prog");
        damage(offset, length, seed);
        struct lookup lookup = open_prog();
        for (uint64_t i = 0; i < size; i += 3) {
            const struct profile_location *place = ask(&lookup, start + i, PROFILE_LOOKED_LINE);
            const struct profile_line *last = &place->lines[place->line_count - 1];
            const struct profile_function *function = &lookup.profile->functions[last->function];
            cr_expect_str_eq(lookup.profile->strings[function->name], "loud_one");
        }
        close_prog(&lookup);
    }
}
