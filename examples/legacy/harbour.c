/* SPDX-License-Identifier: MIT */
#include "harbour.h"

#include <math.h>
#include "seed.h"
#include "table.h"

#if __has_include("moon.h")
#    include "moon.h"
#else
#    define MOON_MONTH_DAYS 29.5
#endif

#define PI  3.14159265358979
#define DAY 86400.0

double harbour_height(long when)
{
    double days = ((double)when + ZONE_SECONDS) / DAY;
    double ripple = (double)(SEED % 100u) / 1000.0;

    return 2.0 + 1.4 * sin(2.0 * PI * days / 0.517525) +
           0.5 * sin(2.0 * PI * days / MOON_MONTH_DAYS) + ripple + CORRECTION / 1000.0;
}

const char *harbour_month(int month)
{
    return month_names[month % 12];
}
