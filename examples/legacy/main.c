/* SPDX-License-Identifier: MIT */
#include "harbour.h"

#include <stdio.h>
#include "version.h"

int main(void)
{
    long noon = 1742472000;

    printf("tide %s, built by %s at %s\n%s\n", VERSION, BUILT_BY, __TIME__, harbour_month(2));
    for (int row = 0; row < 4; row++) {
        for (int column = 0; column < COLUMNS; column++)
            printf(" %5.2f", harbour_height(noon + 3600L * (row * COLUMNS + column)));
        putchar('\n');
    }
    return 0;
}
