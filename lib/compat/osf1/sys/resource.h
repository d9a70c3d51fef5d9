/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Includes the system's <sys/resource.h>, and declares both forms of OSF/1's profil(2):
 *
 *   void profil(unsigned short *short_buffer, unsigned int buffer_size, void *offset, unsigned int scale);
 *   void profil(struct profil_args *args, int buffer_size, -1, unsigned long flags); */
#ifndef PPROFIL_OSF1_SYS_RESOURCE_H
#define PPROFIL_OSF1_SYS_RESOURCE_H

#if defined __GNUC__
#pragma GCC system_header /* #include_next is an extension, which -pedantic-errors would refuse */
#endif

#include_next <sys/resource.h>

struct profil_args {
    unsigned int *buffer;
    void *highpc;
    void *lowpc;
    void *offset;
    unsigned int scale;
};

/* Both forms have the name profil. So C needs a declaration without a prototype, and C++ needs two functions. */
#if defined __cplusplus
extern "C++" {
extern void profil(unsigned short *short_buffer, unsigned int buffer_size, void *offset, unsigned int scale)
    __asm__("profil");
extern void profil(struct profil_args *args, int buffer_size, long offset, unsigned long flags) __asm__("profil");
}
#elif defined __STDC_VERSION__ && __STDC_VERSION__ > 201710L
extern void profil(void *buffer, unsigned int buffer_size, ...);
#else
extern void profil();
#endif

#endif
