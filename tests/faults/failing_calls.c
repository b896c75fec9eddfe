/* Lets chosen system calls on files below a folder fail: loaded with LD_PRELOAD, it stands between
   libc and everything in the process, SQLite included. Python arms it through ctypes. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OPEN = 1, WRITE = 2, SYNC = 4, NAME = 8 };

static char below[PATH_MAX];
static int kinds, error_number, lasts;
static volatile long first_failing, calls;

/* Fails the call with number `at` of those kinds, and all after it where `for_good`. */
void fault_arm(const char *folder, int which, long at, int number, int for_good)
{
    snprintf(below, sizeof below, "%s", folder);
    error_number = number;
    lasts = for_good;
    first_failing = at;
    calls = 0;
    kinds = which;
}

/* Returns how many calls there were. */
long fault_disarm(void)
{
    kinds = 0;
    return calls;
}

/* Arms a program from its first moment: "KINDS AT ERRNO LASTS FOLDER". */
__attribute__((constructor)) static void arm_by_environment(void)
{
    char folder[PATH_MAX];
    int which, number, for_good;
    long at;
    const char *given = getenv("FAILING_CALLS");
    if (given && sscanf(given, "%d %ld %d %d %4000s", &which, &at, &number, &for_good, folder) == 5)
        fault_arm(folder, which, at, number, for_good);
}

static int fails(int kind, const char *path)
{
    if (!(kinds & kind) || !path || strncmp(path, below, strlen(below)))
        return 0;
    long number = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
    if (number != first_failing && !(lasts && number > first_failing))
        return 0;
    errno = error_number;
    return 1;
}

static int file_fails(int kind, int file)
{
    char link[40], path[PATH_MAX];
    if (!(kinds & kind))
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    return fails(kind, path);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define OPENS(name)                                                    \
    int name(const char *path, int flags, ...)                         \
    {                                                                  \
        va_list rest;                                                  \
        va_start(rest, flags);                                         \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
        va_end(rest);                                                  \
        return fails(OPEN, path) ? -1 : REAL(name)(path, flags, mode); \
    }
OPENS(open)
OPENS(open64)

ssize_t write(int file, const void *data, size_t size)
{
    return file_fails(WRITE, file) ? -1 : REAL(write)(file, data, size);
}
ssize_t pwrite(int file, const void *data, size_t size, off_t at)
{
    return file_fails(WRITE, file) ? -1 : REAL(pwrite)(file, data, size, at);
}
ssize_t pwrite64(int file, const void *data, size_t size, off64_t at)
{
    return file_fails(WRITE, file) ? -1 : REAL(pwrite64)(file, data, size, at);
}
int ftruncate(int file, off_t size) { return file_fails(WRITE, file) ? -1 : REAL(ftruncate)(file, size); }
int ftruncate64(int file, off64_t size) { return file_fails(WRITE, file) ? -1 : REAL(ftruncate64)(file, size); }
int fsync(int file) { return file_fails(SYNC, file) ? -1 : REAL(fsync)(file); }
int fdatasync(int file) { return file_fails(SYNC, file) ? -1 : REAL(fdatasync)(file); }
int rename(const char *from, const char *to) { return fails(NAME, to) ? -1 : REAL(rename)(from, to); }
int unlink(const char *path) { return fails(NAME, path) ? -1 : REAL(unlink)(path); }
int mkdir(const char *path, mode_t mode) { return fails(NAME, path) ? -1 : REAL(mkdir)(path, mode); }
