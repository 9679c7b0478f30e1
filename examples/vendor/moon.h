/* SPDX-License-Identifier: MIT
 *
 * Lies beside the project, not in it: "everybody has this checked out next door".
 */
#ifndef MOON_H
#define MOON_H

#define MOON_MONTH_DAYS 29.530588
#define MOON_SOURCE     "vendor"

#endif
