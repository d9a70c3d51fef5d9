/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions of machine.h about the library itself: its optional parts, and its supervisor. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "api/api.h"
#include "debuginfo/debuginfo.h"
#include "launch/spawn.h"
#include "symbol/symbol.h"

static bool has_libiberty(void)
{
#ifdef HAVE_LIBIBERTY
    return true;
#else
    return false;
#endif
}

static bool has_capstone(void)
{
#ifdef HAVE_CAPSTONE
    return true;
#else
    return false;
#endif
}

static const struct {
    struct pprofil_part part;
    bool (*is_present)(void);
} parts[] = {
    {{.name = "libiberty",
      .purpose = "shows names of C++ and Rust as their authors wrote them",
      .cure = "install libiberty-dev, and build pprofil again"},
     has_libiberty},
    {{.name = "capstone",
      .purpose = "shows the instructions of functions",
      .cure = "install libcapstone-dev, and build pprofil again"},
     has_capstone},
    {{.name = "zstd",
      .purpose = "reads debug information that is compressed with zstd",
      .cure = "install a libelf (elfutils 0.189 or later) that was built with zstd"},
     symbol_can_unpack_zstd},
    {{.name = "debuginfod",
      .purpose = "asks servers for debug information, if DEBUGINFOD_URLS names some",
      .cure = "install libdebuginfod1, or the debug information itself"},
     debug_package_has_client},
};

int pprofil_part_at(unsigned i, struct pprofil_part *part, size_t size)
{
    if (i >= sizeof parts / sizeof *parts)
        return -ENOENT;
    struct pprofil_part found = parts[i].part;
    found.present = parts[i].is_present();
    api_copy(part, size, &found, sizeof found);
    return 0;
}

int pprofil_supervisor_path(char *path, size_t size)
{
    struct spawn_supervisor found;

    spawn_find_supervisor(true, &found);
    if (snprintf(path, size, "%s", found.path) >= (int)size)
        return -ENAMETOOLONG;
    return access(found.path, X_OK) < 0 ? -errno : 0;
}
