/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* leak-check: finds out whether a file was built with LeakSanitizer, which works under no tracer.
 */
#ifndef PPROFIL_LEAK_CHECK_H
#define PPROFIL_LEAK_CHECK_H

/* The exit status of a process in which LeakSanitizer found another tracer, with and without
 * AddressSanitizer, unless the option exitcode says otherwise. Source: asan_flags.cpp and lsan.cpp
 * in compiler-rt, of which gcc's libsanitizer is a copy. */
enum {
    LEAK_CHECK_OF_ASAN = 1,
    LEAK_CHECK_OF_LSAN = 23,
};

/* Returns the status for the ELF file behind fd, which stays open; 0: no symbol of LeakSanitizer's
 * is in it, or it is no ELF file. */
int leak_check_status(int fd);

#endif
