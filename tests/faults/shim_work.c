/* SPDX-License-Identifier: MIT
 *
 *   shim_work WORK
 *
 * What the test lets run under the shim whose calls fail. All that a WORK prints, also what its
 * children print, depends on nothing but libc; standard error goes to standard output.
 */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Says what a call gave, with errno where it failed. */
static void say(const char *what, long result)
{
    printf("%s: %s\n", what, result < 0 ? strerror(errno) : "ok");
    fflush(stdout);
}

static void say_end(const char *what, pid_t pid)
{
    int status = 0;
    pid_t ended = pid > 0 ? waitpid(pid, &status, 0) : -1;

    if (ended > 0)
        printf("%s: status %x\n", what, (unsigned)status);
    else
        printf("%s: %s\n", what, strerror(errno));
    fflush(stdout);
}

static void files(void)
{
    struct stat status;
    char name[64], link[64];
    int fd = open("/etc/hosts", O_RDONLY);

    say("open", fd);
    say("close", close(fd));
    say("stat", stat("here", &status));
    say("access", access("absent", R_OK));
    fd = open("/proc/self/fd/0", O_RDONLY);
    say("open magic", fd);
    close(fd);
    fd = open(".", O_RDONLY | O_DIRECTORY);
    say("openat", openat(fd, "beside", O_RDONLY));
    say("fchdir", fchdir(fd));
    close(fd);
    say("mkdir", mkdir("made", 0700));
    say("symlink", symlink("text", "made/link"));
    say("readlink", readlink("made/link", link, sizeof link));
    say("rename", rename("made/link", "made/other"));
    say("unlink", unlink("made/other"));
    say("chdir", chdir("made"));
    say("relative", access("below", R_OK));
    say("chdir back", chdir(".."));
    say("rmdir", rmdir("made"));
    for (int i = 0; i < 1500; i++) {
        snprintf(name, sizeof name, "/absent/%04d-%040d", i, i);
        if (access(name, R_OK) == 0)
            puts("there?");
    }
    say("getenv", getenv("FAULTS") ? 0 : -1);
}

static void children(void)
{
    static char *const hello[] = {"echo", "hello from a child", NULL};
    static char *const list[] = {"env", NULL};
    static char *own[] = {"PATH=/usr/bin:/bin", "OWN=1", NULL};
    char line[128];
    FILE *stream;
    pid_t pid = fork();

    if (pid == 0) {
        access("in-a-fork", R_OK);
        _exit(3);
    }
    say_end("fork", pid);
    pid = vfork();
    if (pid == 0) {
        execlp("echo", "echo", "by", "execlp", (char *)NULL);
        _exit(9);
    }
    say_end("vfork and execlp", pid);
    pid = fork();
    if (pid == 0) {
        execle("/usr/bin/env", "env", (char *)NULL, own);
        _exit(9);
    }
    say_end("fork and execle", pid);
    pid = -1;
    errno = posix_spawnp(&pid, "echo", NULL, NULL, hello, environ);
    say_end("posix_spawnp", pid);
    pid = -1;
    errno = posix_spawn(&pid, "/usr/bin/env", NULL, NULL, list, environ);
    say_end("posix_spawn", pid);
    printf("system: %d\n", system("echo by system; env; exit 5"));
    stream = popen("echo by popen", "r");
    printf("popen: %s", stream && fgets(line, sizeof line, stream) ? line : "nothing\n");
    printf("pclose: %d\n", stream ? pclose(stream) : -1);
    pid = fork();
    if (pid == 0) {
        execl("./script", "script", (char *)NULL);
        _exit(9);
    }
    say_end("a script", pid);
    say("execv", execv("/absent/program", hello));
    for (char **entry = environ; *entry; entry++)
        puts(*entry);
}

static void *in_a_thread(void *argument)
{
    char name[32];

    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "thread-%ld-%d", (long)argument, i);
        if (access(name, R_OK) == 0)
            puts("there?");
    }
    return NULL;
}

static void threads(void)
{
    struct sockaddr_in nobody = {.sin_family = AF_INET, .sin_port = htons(1)};
    pthread_t list[4];
    int there;
    void *library;

    for (long i = 0; i < 4; i++)
        say("pthread_create", -!!pthread_create(&list[i], NULL, in_a_thread, (void *)i));
    for (int i = 0; i < 4; i++)
        pthread_join(list[i], NULL);
    library = dlopen("libm.so.6", RTLD_NOW);
    printf("dlopen: %s\n", library ? "ok" : dlerror());
    printf("dlopen: %s\n", dlopen("libabsent.so", RTLD_NOW) ? "there?" : dlerror());
    there = socket(AF_INET, SOCK_STREAM, 0);
    inet_pton(AF_INET, "127.0.0.1", &nobody.sin_addr);
    say("connect", connect(there, (struct sockaddr *)&nobody, sizeof nobody));
    close(there);
}

static const struct work {
    const char *name;
    void (*run)(void);
} works[] = {{"files", files}, {"children", children}, {"threads", threads}};

int main(int count, char **arguments)
{
    dup2(1, 2);
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        if (count == 2 && strcmp(arguments[1], works[i].name) == 0) {
            works[i].run();
            return 7;
        }
    return 2;
}
