/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loads a plugin and calls its function of that name. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    int (*run)(void) = plugin == NULL ? NULL : (int (*)(void))dlsym(plugin, "plugin");

    if (run == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    return run();
}
