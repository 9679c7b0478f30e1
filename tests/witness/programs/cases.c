/* SPDX-License-Identifier: MIT */
#include "cases.h"

#include <stdio.h>
#include <string.h>

int main(int count, char **arguments)
{
    for (const struct one_case *at = cases; count > 1 && at->name; at++) {
        if (strcmp(at->name, arguments[1]) == 0)
            return at->run(arguments + 2);
    }
    fprintf(stderr, "no such case\n");
    return 2;
}
