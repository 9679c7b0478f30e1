/* SPDX-License-Identifier: MIT */
#include "greet.h"

#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
    const struct passwd *user = getpwuid(getuid());
    int status = greet(user ? user->pw_name : "nobody");

    if (status == EXIT_SUCCESS && argc > 1)
        execvp(argv[1], argv + 1);
    return status;
}
