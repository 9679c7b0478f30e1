/* SPDX-License-Identifier: MIT
 *
 *   snippets NAME CONTEXT
 *
 * Runs one row of snippets.def and prints "result errno" and, on a line of its own, the number of
 * the process that ran it. Nothing here may call a hooked function outside of the row itself, or
 * the row's records could not be told apart.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <grp.h>
#include <iconv.h>
#include <ifaddrs.h>
#include <langinfo.h>
#include <link.h>
#include <locale.h>
#include <mntent.h>
#include <mqueue.h>
#include <net/if.h>
#include <netdb.h>
#include <nl_types.h>
#include <pthread.h>
#include <pwd.h>
#include <resolv.h>
#include <sched.h>
#include <semaphore.h>
#include <shadow.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/timeb.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>
#include <wordexp.h>

#include "snippets.h"

#define UNCHANGED -1 /* the owner: any user may ask for that */

/* --- functions that no header declares ------------------------------------------------------ */

int __open(const char *path, int flags, ...);
int __open64(const char *path, int flags, ...);
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);
FILE *_IO_fopen(const char *path, const char *mode);
FILE *_IO_popen(const char *command, const char *mode);
FILE *__setmntent(const char *path, const char *mode);
mqd_t __mq_open_2(const char *name, int flags);
int __xstat(int version, const char *path, struct stat *to);
int __xstat64(int version, const char *path, struct stat64 *to);
int __lxstat(int version, const char *path, struct stat *to);
int __lxstat64(int version, const char *path, struct stat64 *to);
int __fxstatat(int version, int folder, const char *path, struct stat *to, int flags);
int __fxstatat64(int version, int folder, const char *path, struct stat64 *to, int flags);
int __xmknod(int version, const char *path, mode_t mode, dev_t *device);
int __xmknodat(int version, int folder, const char *path, mode_t mode, dev_t *device);
ssize_t __readlink_chk(const char *path, char *to, size_t size, size_t room);
ssize_t __readlinkat_chk(int folder, const char *path, char *to, size_t size, size_t room);
char *__realpath_chk(const char *path, char *to, size_t room);
int __statfs(const char *path, struct statfs *to);
pid_t __vfork(void);
int __clone(int (*function)(void *), void *stack, int flags, void *argument, ...);
pid_t __wait(int *status);
pid_t __waitpid(pid_t pid, int *status, int options);
int __connect(int fd, const struct sockaddr *to, socklen_t length);
int __sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags);
int __gettimeofday(struct timeval *to, void *zone);
int __clock_gettime(clockid_t clock, struct timespec *to);
int __adjtimex(struct timex *to);
locale_t __newlocale(int mask, const char *name, locale_t base);
char *__nl_langinfo_l(nl_item item, locale_t locale);
int __getgroups_chk(int size, gid_t *list, size_t room);
int __getlogin_r_chk(char *to, size_t size, size_t room);
int __ttyname_r_chk(int fd, char *to, size_t size, size_t room);
int __gethostname_chk(char *to, size_t size, size_t room);
int __getdomainname_chk(char *to, size_t size, size_t room);
long __sysconf(int name);
char *cuserid(char *to);

/* The header makes ntp_gettimex of it. */
int plain_ntp_gettime(struct ntptimeval *to) __asm__("ntp_gettime");

/* Names that a program can only be linked with if it is old. */
char *old_secure_getenv(const char *name);
int old_res_query(const char *name, int class, int type, unsigned char *to, int size);
int old_res_search(const char *name, int class, int type, unsigned char *to, int size);
int old_res_querydomain(const char *name, const char *domain, int class, int type,
                        unsigned char *to, int size);
int old_res_nquery(res_state state, const char *name, int class, int type, unsigned char *to,
                   int size);
int old_res_nsearch(res_state state, const char *name, int class, int type, unsigned char *to,
                    int size);
int old_res_nquerydomain(res_state state, const char *name, const char *domain, int class, int type,
                         unsigned char *to, int size);
#define OLD(ours, theirs) __asm__(".symver " #ours "," #theirs "@GLIBC_2.2.5")
OLD(old_secure_getenv, __secure_getenv);
OLD(old_res_query, __res_query);
OLD(old_res_search, __res_search);
OLD(old_res_querydomain, __res_querydomain);
OLD(old_res_nquery, __res_nquery);
OLD(old_res_nsearch, __res_nsearch);
OLD(old_res_nquerydomain, __res_nquerydomain);

/* --- what the rows use ---------------------------------------------------------------------- */

static char text[8192];
static int number;
static dev_t device;
static struct stat status;
static struct stat64 status64;
static struct statx status_x;
static struct statfs volume;
static struct statfs64 volume64;
static struct statvfs volume_v;
static struct statvfs64 volume_v64;
static struct dirent **entries;
static struct dirent64 **entries64;
static wordexp_t words;
static glob_t matched;
static glob64_t matched64;
static struct file_handle handle;
static char *tree_roots[] = {"dd", "u.txt", NULL};
static char *echo[] = {"echo", "ran", NULL};
static char *environment[] = {"PATH=/usr/bin:/bin", NULL};
static pid_t child;
static siginfo_t ended;
static struct rusage usage_of_child;
static char clone_stack[1 << 17];
static struct sockaddr_in address;
static const struct addrinfo numeric_only = {.ai_flags = AI_NUMERICHOST};
static struct addrinfo *addresses;
static struct hostent host, *found_host;
static struct servent service, *found_service;
static struct protoent protocol, *found_protocol;
static struct netent network, *found_network;
static unsigned char answer[512];
static struct timeval moment;
static struct timespec instant;
static struct timeb moment_b;
static struct tms ticks;
static struct timex adjustment;
static struct ntptimeval network_time;
static const time_t epoch;
static struct tm broken_down;
static struct random_data generator, *volatile no_generator;
static struct drand48_data generator48;
static char generator_state[64];
static unsigned short seeds[7] = {1, 2, 3, 4, 5, 6, 7};
static uid_t users[3];
static gid_t groups[65536];
static struct passwd user, *found_user;
static struct spwd shadow, *found_shadow;
static struct group group, *found_group;
static struct utsname system_name;
static struct ifaddrs *interfaces;
static cpu_set_t processors;
static struct sysinfo system_state;
static double load[3];
static struct rlimit limit;
static struct rlimit64 limit64;
static const struct rlimit64 no_core;

/* A result goes through one of these, which tidies up and keeps errno. */

static long take_fd(int fd)
{
    int error = errno;

    if (fd >= 0)
        close(fd);
    errno = error;
    return fd;
}

static long take_stream(FILE *stream)
{
    int error = errno;

    if (stream)
        fclose(stream);
    errno = error;
    return stream != NULL;
}

static long take_pipe(FILE *stream)
{
    return stream ? pclose(stream) : -1;
}

static long take_folder(DIR *folder)
{
    int error = errno;

    if (folder)
        closedir(folder);
    errno = error;
    return folder != NULL;
}

static long take_tree(FTS *tree)
{
    int error = errno;

    if (tree)
        fts_close(tree);
    errno = error;
    return tree != NULL;
}

static long take_tree64(FTS64 *tree)
{
    int error = errno;

    if (tree)
        fts64_close(tree);
    errno = error;
    return tree != NULL;
}

/* Waits without a hooked function; the row's own result comes first. */
static long take_child(int error)
{
    siginfo_t info;
    int kept = errno;

    if (error == 0)
        syscall(SYS_waitid, P_PID, child, &info, WEXITED, NULL);
    errno = kept;
    return error ? error : info.si_status;
}

static int start_clone(int pid)
{
    child = pid;
    return pid < 0 ? errno : 0;
}

static void start_child(void)
{
    child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0)
        syscall(SYS_exit_group, 3);
}

static int looks_in_clone(void *unused)
{
    (void)unused;
    return stat("u.txt", &status) == 0 ? 42 : 43;
}

/* Not a function of its own that calls vfork: the child must not return from there. */
#define looks_in_vfork(call)                                                                       \
    take_child(__extension__({                                                                     \
        child = call;                                                                              \
        if (child == 0)                                                                            \
            _exit(stat("u.txt", &status) == 0 ? 44 : 45);                                          \
        child < 0 ? errno : 0;                                                                     \
    }))

static long with(const char *path, int flags, int (*call)(int))
{
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags), result = call(fd), error = errno;

    close(fd);
    errno = error;
    return result;
}

static long with_folder(int (*call)(int))
{
    return with("dd", O_RDONLY | O_DIRECTORY, call);
}

static long with_file(int (*call)(int))
{
    return with("u.txt", O_RDONLY, call);
}

static int call_openat(int folder)
{
    return (int)take_fd(openat(folder, "in", O_RDONLY));
}

static int call_fstatat64(int folder)
{
    return fstatat64(folder, "in", &status64, 0);
}

static int call_fchmod(int fd)
{
    return fchmod(fd, 0600);
}

/* A name of no namespace: no file system takes it. */
static int call_fsetxattr(int fd)
{
    return fsetxattr(fd, "x", "v", 1, 0);
}

static int call_fchown(int fd)
{
    return fchown(fd, UNCHANGED, UNCHANGED);
}

static int call_futimes(int fd)
{
    return futimes(fd, NULL);
}

static int call_futimens(int fd)
{
    return futimens(fd, NULL);
}

static int call_fexecve(int fd)
{
    return fexecve(fd, echo, environment);
}

static FILE *spare_stream(void)
{
    return fdopen((int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR), "r+");
}

static char *template(const char *name)
{
    return strcpy(text, name);
}

static const char *absolute(const char *name)
{
    syscall(SYS_getcwd, text, sizeof text);
    return strcat(strcat(text, "/"), name);
}

static int visit_file(const char *path, const struct stat *at, int what)
{
    return !path || !at || what == FTW_NS;
}

static int visit_file64(const char *path, const struct stat64 *at, int what)
{
    return !path || !at || what == FTW_NS;
}

static int visit_tree(const char *path, const struct stat *at, int what, struct FTW *where)
{
    return !path || !at || what == FTW_NS || where->level > 1;
}

static int visit_tree64(const char *path, const struct stat64 *at, int what, struct FTW *where)
{
    return !path || !at || what == FTW_NS || where->level > 1;
}

static int find_first_library(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)unused;
    if (size < sizeof *info || !info->dlpi_name[0] || strncmp(info->dlpi_name, "linux-", 6) == 0)
        return 0;
    return info->dlpi_name[strlen(info->dlpi_name) - 1];
}

static int inet_socket(int type)
{
    return socket(AF_INET, type, 0);
}

static struct sockaddr *port(int wanted)
{
    address.sin_family = AF_INET;
    address.sin_port = htons((uint16_t)wanted);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return (struct sockaddr *)&address;
}

static struct mmsghdr *message_to(int wanted)
{
    static struct iovec piece = {"x", 1};
    static struct mmsghdr message;

    message.msg_hdr.msg_name = port(wanted);
    message.msg_hdr.msg_namelen = sizeof address;
    message.msg_hdr.msg_iov = &piece;
    message.msg_hdr.msg_iovlen = 1;
    return &message;
}

/* By its name at run time: the linker warns of every other use. */
static int call_getpw(uid_t uid, char *to)
{
    int (*getpw)(uid_t, char *);

    *(void **)&getpw = dlsym(RTLD_DEFAULT, "getpw");
    errno = 77;
    return getpw(uid, to);
}

static res_state resolver(void)
{
    res_init();
    return &_res;
}

/* --- the rows ------------------------------------------------------------------------------- */

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* ftime */

#define SNIPPET(name, contexts, events, ...)                                                       \
    static long run_##name(void)                                                                   \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#include "snippets.def"
#undef SNIPPET

static const struct row {
    const char *name;
    long (*run)(void);
} rows[] = {
#define SNIPPET(name, contexts, events, ...) {#name, run_##name},
#include "snippets.def"
#undef SNIPPET
};

static const struct row *row;
static long result;
static int error;
static pid_t process;

static void *run(void *unused)
{
    errno = 77;
    result = row->run();
    error = errno;
    process = (pid_t)syscall(SYS_getpid);
    return unused;
}

/* Without stdio, which the row may have spoiled. */
static void print(void)
{
    char line[96];
    int length = snprintf(line, sizeof line, "%ld %d\npid %d\n", result, error, (int)process);

    syscall(SYS_write, 1, line, length);
}

static void find_row(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0)
            row = &rows[i];
    if (!row)
        _exit(2);
}

static void run_early(int count, char **arguments, char **variables)
{
    (void)variables;
    if (count != 3 || strcmp(arguments[2], "early") != 0)
        return;
    find_row(arguments[1]);
    run(NULL);
}

__attribute__((section(".preinit_array"), used)) static void (*early)(int, char **,
                                                                      char **) = run_early;

static void run_in_child(bool shares_memory)
{
    siginfo_t info;
    pid_t pid = shares_memory ? vfork() : fork();

    if (pid == 0) {
        run(NULL);
        print();
        _exit(0);
    }
    syscall(SYS_waitid, P_PID, pid, &info, WEXITED, NULL);
    _exit(info.si_code == CLD_EXITED ? info.si_status : 99);
}

int main(int count, char **arguments)
{
    pthread_t thread;

    if (count != 3)
        return 2;
    find_row(arguments[1]);
    if (strcmp(arguments[2], "main") == 0) {
        run(NULL);
    } else if (strcmp(arguments[2], "thread") == 0) {
        if (pthread_create(&thread, NULL, run, NULL) != 0 || pthread_join(thread, NULL) != 0)
            return 98;
    } else if (strcmp(arguments[2], "early") != 0) {
        run_in_child(strcmp(arguments[2], "vfork") == 0);
    }
    print();
    return 0;
}
