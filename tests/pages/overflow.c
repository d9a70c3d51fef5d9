/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* IRIX profil(2): a cell that is full at the first tick, in a program that never turns profiling off. */
#include <time.h>
#include <unistd.h>

int main(void)
{
    static unsigned short full = 65535;

    profil(&full, sizeof full, 0, 2);
    while (clock() < CLOCKS_PER_SEC / 2)
        ;
    return 0;
}
