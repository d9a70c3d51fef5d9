/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The system's <sys/resource.h>, and with it OSF/1's profil(2) in both its forms:
 *
 *   void profil(unsigned short *short_buffer, unsigned int buffer_size, void *offset,
 *               unsigned int scale);
 *   void profil(struct profil_args *args, int buffer_size, -1, unsigned long flags);
 */
#ifndef PPROFIL_OSF1_SYS_RESOURCE_H
#define PPROFIL_OSF1_SYS_RESOURCE_H

#include_next <sys/resource.h>

#ifdef __cplusplus
extern "C" {
#endif

struct profil_args {
    unsigned int *buffer;
    void *highpc;
    void *lowpc;
    void *offset;
    unsigned int scale;
};

extern void pprofil_osf1_profil(const void *buffer, unsigned long buffer_size,
                                unsigned long offset, unsigned long scale);

/* The third argument is a pointer or the number -1: no one prototype takes both. */
#define profil(buffer, buffer_size, offset, scale)                                            \
    pprofil_osf1_profil((buffer), (unsigned long)(buffer_size), (unsigned long)(long)(offset), \
                        (unsigned long)(scale))

#ifdef __cplusplus
}
#endif

#endif
