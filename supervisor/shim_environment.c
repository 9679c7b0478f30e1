/* SPDX-License-Identifier: MIT */
#include "shim_environment.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "die.h"
#include "tallyman/record.h"

#define PRELOAD         "LD_PRELOAD="
#define RUN             TALLYMAN_RUN_VARIABLE "="
#define NO_EXECUTION    "0000000000000000"
#define WITNESSED_DIGIT '4' /* the first digit of RUN_WITNESSED */
_Static_assert(RUN_WITNESSED >> 60 == 4, "the digit is another one");

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* The entry of the list after the shim; empty when there was none. */
static char *preload_entry(const char *shim, const char *before)
{
    return *before ? xprintf(PRELOAD "%s:%s", shim, before) : xprintf(PRELOAD "%s", shim);
}

char **shim_environment_new(const char *shim, const char *log_path)
{
    size_t count = 0, used = 0;
    bool has_preload = false, has_run = false;
    char **copy;

    while (environ && environ[count])
        count++;
    copy = xcalloc(count + 3, sizeof *copy);
    for (size_t i = 0; i < count; i++) {
        const char *entry = environ[i];

        if (starts_with(entry, PRELOAD) && !has_preload) {
            has_preload = true;
            copy[used++] = preload_entry(shim, entry + strlen(PRELOAD));
        } else if (starts_with(entry, RUN)) {
            if (!has_run)
                copy[used++] = xprintf(RUN "%s:" NO_EXECUTION, log_path);
            has_run = true;
        } else {
            copy[used++] = xstrdup(entry);
        }
    }
    if (!has_preload)
        copy[used++] = preload_entry(shim, "");
    if (!has_run)
        copy[used++] = xprintf(RUN "%s:" NO_EXECUTION, log_path);
    return copy;
}

void shim_environment_witnessed(char **environment)
{
    for (char **entry = environment; entry && *entry; entry++) {
        if (starts_with(*entry, RUN))
            (*entry)[strlen(*entry) - sizeof NO_EXECUTION + 1] = WITNESSED_DIGIT;
    }
}

void shim_environment_free(char **environment)
{
    for (char **entry = environment; entry && *entry; entry++)
        free(*entry);
    free(environment);
}
