/* SPDX-License-Identifier: MIT
 *
 * G3: a library that opens 1,000 names in its constructor.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

__attribute__((constructor)) static void open_many(void)
{
    char name[32];

    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "early-%d", i);
        close(open(name, O_RDONLY));
    }
}
