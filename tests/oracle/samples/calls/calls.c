/* SPDX-License-Identifier: MIT
 *
 * Makes the watched calls one after the other, some of them in vain, through libc. What they end
 * with does not matter.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

static void use_unix(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "here.socket"};
    int one = socket(AF_UNIX, SOCK_DGRAM, 0), other = socket(AF_UNIX, SOCK_DGRAM, 0);

    connect(one, (struct sockaddr *)&address, sizeof address);
    bind(one, (struct sockaddr *)&address, sizeof address);
    unlink("here.socket");
    memcpy(address.sun_path, "\0abstract", 9);
    connect(one, (struct sockaddr *)&address, sizeof(sa_family_t) + 9);
    bind(other, (struct sockaddr *)&address, sizeof(sa_family_t));
    close(one);
    close(other);
}

static void use_internet(void)
{
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(9)};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(9)};
    struct sockaddr_in link = {.sin_family = AF_NETLINK}; /* of sockaddr_nl's size, all zero */
    struct sockaddr none = {.sa_family = AF_UNSPEC};
    struct iovec bytes = {"x", 1};
    struct msghdr message = {
        .msg_name = &four, .msg_namelen = sizeof four, .msg_iov = &bytes, .msg_iovlen = 1};
    struct mmsghdr messages[2] = {{.msg_hdr = message}, {.msg_hdr = message}};
    int one = socket(AF_INET, SOCK_DGRAM, 0), other = socket(AF_INET6, SOCK_DGRAM, 0);
    int third = socket(AF_NETLINK, SOCK_RAW, 0);

    inet_pton(AF_INET, "127.0.0.1", &four.sin_addr);
    six.sin6_addr = in6addr_loopback;
    sendto(one, "x", 1, 0, (struct sockaddr *)&four, sizeof four);
    sendmsg(one, &message, 0);
    sendmmsg(one, messages, 2, 0);
    connect(other, (struct sockaddr *)&six, sizeof six);
    connect(other, &none, sizeof none);
    send(other, "x", 1, 0);
    bind(third, (struct sockaddr *)&link, 12);
    close(one);
    close(other);
    close(third);
}

static void use_attributes(int file)
{
    char value[64];

    fsetxattr(file, "user.one", "1", 1, 0);
    fremovexattr(file, "user.one");
    setxattr("file", "user.two", "2", 1, 0);
    getxattr("file", "user.two", value, sizeof value);
    llistxattr("file", value, sizeof value);
    lremovexattr("file", "user.two");
}

static void use_file(void)
{
    int file = open("file", O_RDWR | O_CREAT, 0644), old = open("file", O_RDWR);
    struct timeval times[2] = {{1, 2}, {3, 4}};

    fchmod(file, 0600);
    chmod("file", 0640);
    fchown(file, (uid_t)-1, (gid_t)-1);
    lchown("file", (uid_t)-1, (gid_t)-1);
    futimens(file, NULL);
    utimensat(AT_FDCWD, "file", NULL, 0);
    utime("file", NULL);
    utimes("file", times);
    use_attributes(file);
    close(file);
    close(old);
    truncate("file", 0);
    access("file", W_OK);
    faccessat(AT_FDCWD, "file", R_OK, AT_EACCESS);
    open("file", O_WRONLY | O_CREAT | O_EXCL, 0644);
}

static void use_names(void)
{
    char text[64];
    int watch = inotify_init();

    symlink("file", "link");
    symlink("file", "no/link");
    readlink("link", text, sizeof text);
    readlink("file", text, sizeof text);
    link("file", "second");
    link("missing", "third");
    rename("second", "third");
    rename("missing", "other");
    mkdir("folder", 0777);
    mkdir("folder", 0777);
    mkdir("no/folder", 0777);
    mkfifo("folder/pipe", 0600);
    inotify_add_watch(watch, "folder", IN_CREATE);
    unlinkat(AT_FDCWD, "folder/pipe", 0);
    unlinkat(AT_FDCWD, "folder", AT_REMOVEDIR);
    rmdir("missing");
    unlink("third");
    unlink("link");
    close(watch);
}

static void look_around(void)
{
    struct stat status;
    struct statvfs system;
    DIR *folder = opendir(".");
    int here = open(".", O_RDONLY | O_DIRECTORY), name = open("file", O_PATH);

    while (readdir(folder)) {
    }
    closedir(folder);
    stat("file", &status);
    stat("file/under", &status);
    lstat("missing", &status);
    fstatat(here, "file", &status, 0);
    fstatat(here, "", &status, AT_EMPTY_PATH);
    fstatat(AT_FDCWD, "", &status, AT_EMPTY_PATH);
    statvfs("/proc", &system);
    stat("/proc/self/exe", &status);
    readlinkat(here, "missing", (char[8]){0}, 8);
    fchdir(here);
    close(name);
    close(here);
}

static void use_values(void)
{
    char bytes[16];
    struct utsname name;
    struct sysinfo memory;
    struct timespec clock;
    cpu_set_t processors;

    if (getrandom(bytes, 8, GRND_NONBLOCK) < 0 || getrandom(bytes, sizeof bytes, 0) < 0)
        perror("getrandom");
    uname(&name);
    sysinfo(&memory);
    sched_getaffinity(0, sizeof processors, &processors);
    clock_gettime(CLOCK_REALTIME, &clock);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &clock);
    gettimeofday(&(struct timeval){0}, NULL);
    printf("%d\n", time(NULL) > 0);
}

int main(int argc, char *argv[])
{
    use_unix();
    use_internet();
    use_file();
    use_names();
    look_around();
    use_values();
    if (chdir("missing") == 0)
        return 1;
    execv("missing/program", argv);
    if (argc > 1 && chdir("/") == 0)
        execv(argv[1], argv + 1);
    return 0;
}
