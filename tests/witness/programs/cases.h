/* SPDX-License-Identifier: MIT
 *
 * A program of small cases: each does one thing that the witness must see, by bare system calls.
 * The first argument names the case, which gets the rest. Linked statically, so the shim is not in
 * it.
 */
#ifndef CASES_H
#define CASES_H

struct one_case {
    const char *name;
    int (*run)(char **arguments); /* exit status */
};

/* Ends with an entry without name. Each program of cases has its own. */
extern const struct one_case cases[];

#endif
