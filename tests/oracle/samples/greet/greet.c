/* SPDX-License-Identifier: MIT */
#include "greet.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int greet(const char *name)
{
    char host[65] = "";
    time_t now = time(NULL);
    FILE *file = fopen("greeting.txt", "w");

    setlocale(LC_ALL, "");
    if (!file || gethostname(host, sizeof host - 1) != 0 || !localtime(&now))
        return EXIT_FAILURE;
    fprintf(file, "Hello, %s\n", name);
    fclose(file);
    return getenv("GREET_FAIL") || access("missing", F_OK) == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
