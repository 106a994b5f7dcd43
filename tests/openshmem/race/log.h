/* What the race detector has reported in this run, by its log. */
#ifndef RACE_LOG_H
#define RACE_LOG_H

#include "check.h"
#include <sys/mman.h>

static int log_fd;

/* The path of a new file without a name. */
T_UNUSED static const char *nameless(int *fd)
{
    static char path[2][40];
    static int files;
    *fd = memfd_create("race", 0);
    snprintf(path[files], sizeof path[files], "/proc/self/fd/%d", *fd);
    return path[files++];
}

/* Before the library is up. */
T_UNUSED static void log_start(void) { setenv("OSHMPI_RACE_LOG", nameless(&log_fd), 1); }

/* What this PE has logged. */
T_UNUSED static char *log_text(void)
{
    off_t end = lseek(log_fd, 0, SEEK_END);
    char *text = (char *)calloc(1, (size_t)end + 1);
    CHECK(pread(log_fd, text, (size_t)end, 0) == end);
    return text;
}

/* Whether the log has a race on the variable `kind`_`name`. */
T_UNUSED static int logged(const char *log, const char *kind, const char *name)
{
    char text[2][100];
    snprintf(text[0], sizeof text[0], "\"variable\":\"%s_%s\"", kind, name);
    snprintf(text[1], sizeof text[1], "\"variable\":\"%s_%s+", kind, name);
    return strstr(log, text[0]) || strstr(log, text[1]);
}

#endif
