/* adapter.h: this machine has an adapter, as far as this process sees. Needs the rights of root, and _GNU_SOURCE. */
#ifndef T_ADAPTER_H
#define T_ADAPTER_H

#include "check.h"
#include <sched.h>

/* device: below /sys/class. */
static void t_add_adapter(const char *device)
{
    char command[400];
    snprintf(command, sizeof command,
             "mount --make-rprivate / && mount -t tmpfs tmpfs /mnt && cp -a /sys/class/net /mnt && "
             "mkdir -p /mnt/%s && mount --bind /mnt /sys/class",
             device);
    if (unshare(CLONE_NEWNS) != 0 || system(command) != 0)
        T_DIE("no adapter can be made");
}

#endif
