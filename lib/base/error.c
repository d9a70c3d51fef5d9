/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The texts of errors: see pprofil/error.h. */
#include "config.h"

#include <string.h>

#include "pprofil/error.h"

const char *pprofil_error_text(int error)
{
    switch ((enum pprofil_error)error) {
    case PPROFIL_ERROR_FORMAT:
        return "it is not a profile in a format that pprofil reads";
    case PPROFIL_ERROR_UNREADABLE:
        return "pprofil does not read this format";
    case PPROFIL_ERROR_DAMAGED:
        return "it is damaged or cut short";
    case PPROFIL_ERROR_NOT_REGULAR:
        return "it is no regular file; - reads a pipe";
    case PPROFIL_ERROR_PIPED:
        return "perf wrote it to a pipe; pprofil reads what perf record -o made";
    case PPROFIL_ERROR_BYTE_ORDER:
        return "it was made on a machine of the other byte order";
    case PPROFIL_ERROR_COMPRESSED:
        return "it is compressed (perf record -z), which pprofil does not read";
    case PPROFIL_ERROR_NO_OBJECT:
        return "there is no such file to read";
    case PPROFIL_ERROR_NOT_ELF:
        return "it is no ELF file with code in it";
    case PPROFIL_ERROR_LOAD_ADDRESS:
        return "none of its addresses is in the object, which may be loaded anywhere; its .meta file, which "
               "says where it was, is missing or of another file";
    case PPROFIL_ERROR_UNWRITABLE:
        return "pprofil does not write this format";
    case PPROFIL_ERROR_NO_SAMPLES:
        return "no samples that this format could hold";
    case PPROFIL_ERROR_COUNTERS:
        return "this format cannot hold such counters";
    case PPROFIL_ERROR_ADDRESSES:
        return "addresses are too large for this format";
    case PPROFIL_ERROR_DIALECT:
        return "no such dialect; see pprofil-formats(5)";
    case PPROFIL_ERROR_OFF:
        return "this dialect counts nothing at this scale";
    case PPROFIL_ERROR_NO_COMPARISON:
        return "only flame graphs can be compared; see pprofil-formats(5)";
    case PPROFIL_ERROR_MIXED_TIMES:
        return "one profile is of elapsed time (-w), the other of CPU time; pprofil merge --cpu -o FILE makes one of "
               "CPU time of the first";
    case PPROFIL_ERROR_NO_DURATION:
        return "a file does not say how long sampling took, so times per second are not known";
    case PPROFIL_ERROR_NO_TIMES:
        return "a file has numbers of samples, and not their times, so only shares can be compared";
    case PPROFIL_ERROR_NO_STACKS:
        return "the profile has no stacks";
    case PPROFIL_ERROR_NO_SELECTION:
        return "the profile is not a part of another one";
    case PPROFIL_ERROR_NOT_PROFILED:
        return "nothing of this object was profiled";
    case PPROFIL_ERROR_NO_CODE:
        return "the code cannot be read";
    case PPROFIL_ERROR_NO_RANKS:
        return "it has fewer than two ranks of a job; give the profiles of all ranks, or merge them first";
    case PPROFIL_ERROR_SEVERAL_JOBS:
        return "it has ranks of several jobs; select one job with --job";
    case PPROFIL_ERROR_EXPLAINED:
        return "it cannot be printed";
    case PPROFIL_ERROR_REFUSED:
        return "the session refuses";
    }
    return strerror(-error);
}
