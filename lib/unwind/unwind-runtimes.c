/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Says which language runtimes an object of a profile has: a Python interpreter, or the Go runtime. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "script/script.h"
#include "unwind/unwind-internal.h"

/* Go's linker adds these sections to stripped files, too: cmd/link. */
bool unwind_file_has_go(int fd)
{
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    bool found = elf != NULL && (elf_has_section(elf, ".go.buildinfo") || elf_has_section(elf, ".note.go.buildid"));

    elf_end(elf);
    return found;
}

/* Looks at an object's file, unless this was done before. *runtimes is borrowed from the unwinder. 0, -ENOMEM, or
 * -EAGAIN: the file has not come yet. */
static int look_for_runtimes(struct unwinder *unwinder, struct profile *profile, uint32_t number,
                             const struct unwind_runtimes **runtimes)
{
    const struct profile_object *object = &profile->objects[number];

    if (array_extend(&unwinder->runtimes, &unwinder->runtimes_count, profile->object_count,
                     sizeof *unwinder->runtimes) != 0)
        return -ENOMEM;
    struct unwind_runtimes *known = &unwinder->runtimes[number];
    *runtimes = known;
    if (known->looked || object->kind != PROFILE_OBJECT_FILE || object->invented)
        return 0;
    int fd = unwind_object_file(profile, number);
    if (fd == -EAGAIN)
        return fd;
    known->has_python = fd >= 0 && script_find_interpreter(fd, profile->strings[object->path], &known->python);
    known->has_go = fd >= 0 && unwind_file_has_go(fd);
    known->looked = true;
    return 0;
}

int unwind_find_interpreter(struct unwinder *unwinder, struct profile *profile, uint32_t object,
                            const struct script_interpreter **found)
{
    const struct unwind_runtimes *runtimes;
    int error = look_for_runtimes(unwinder, profile, object, &runtimes);

    if (error != 0)
        return error;
    *found = &runtimes->python;
    return runtimes->has_python ? 0 : -ENOENT;
}

int unwind_find_go(struct unwinder *unwinder, struct profile *profile, uint32_t object)
{
    const struct unwind_runtimes *runtimes;
    int error = look_for_runtimes(unwinder, profile, object, &runtimes);

    return error == 0 && !runtimes->has_go ? -ENOENT : error;
}
