/* SPDX-License-Identifier: MIT
 *
 * E6, E7, E8: errno after success, a pending dlerror, and a short buffer are left alone.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
    struct stat status;
    char text[8];

    errno = 77;
    int file = open("d.txt", O_RDONLY);
    printf("%d ", errno);
    stat("/", &status);
    printf("%d ", errno);
    getenv("HOME");
    printf("%d ", errno);
    close(file);
    printf("%d ", errno);
    if (dlopen("absent.so", RTLD_NOW))
        return 1;
    close(open("u.txt", O_RDONLY));
    getenv("X");
    printf("%d ", dlerror() != NULL);
    memset(text, '#', sizeof(text));
    ssize_t length = readlink("/proc/self/exe", text, 3);
    printf("%zd %c\n", length, text[3]);
    return 0;
}
