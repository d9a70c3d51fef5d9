/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libFuzzer's entry point. PPROFIL_FUZZ_TARGET names the target (fuzz.h). */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

bool fuzz(const char *target, const uint8_t *data, size_t size)
{
    if (strcmp(target, "elf") == 0)
        fuzz_elf(data, size);
    else if (strcmp(target, "jitdump") == 0 || strcmp(target, "perf-map") == 0)
        fuzz_jit(data, size);
    else if (strcmp(target, "python") == 0)
        fuzz_python(data, size);
    else if (strcmp(target, "symbol-name") == 0)
        fuzz_symbol_name(data, size);
    else if (strcmp(target, "unwind") == 0)
        fuzz_unwind(data, size);
    else
        return fuzz_read(target, data, size);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *target = getenv("PPROFIL_FUZZ_TARGET");

    if (target == NULL || !fuzz(target, data, size))
        abort(); /* otherwise the run would succeed without any fuzzing */
    return 0;
}
