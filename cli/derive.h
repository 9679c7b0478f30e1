/* SPDX-License-Identifier: MIT
 *
 * What follows a run: its verdicts, the packages that own its files, the digests of its inputs. All
 * of it goes into the database, for later reports; only the machine itself knows the last two.
 */
#ifndef CLI_DERIVE_H
#define CLI_DERIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "tallyman/judge.h"

/* `show`: a person at the terminal is told when it takes long. False after a warning when there are
 * no verdicts; what else goes wrong is warned of. */
bool derive_run(const char *database, int64_t run, const struct policy *policy, bool show);

/* The same for the run with that uuid, by the manifest that it had. */
void derive_by_uuid(const char *database, const char *uuid, bool show);

#endif
