/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* leak-check: files built with LeakSanitizer, which traces its process and so has to be alone in it. */
#ifndef PPROFIL_LEAK_CHECK_H
#define PPROFIL_LEAK_CHECK_H

/* The status with which it ends a process that another traces, unless its options say another: as a
 * part of AddressSanitizer, and by itself. compiler-rt, of which gcc's libsanitizer is a copy:
 * exitcode in asan_flags.cpp and lsan.cpp. */
enum {
    LEAK_CHECK_OF_ASAN = 1,
    LEAK_CHECK_OF_LSAN = 23,
};

/* That status; 0: the ELF file behind fd (not consumed) has no symbol that tells of it. */
int leak_check_status(int fd);

#endif
