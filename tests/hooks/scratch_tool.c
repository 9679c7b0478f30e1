/* SPDX-License-Identifier: MIT
 *
 *   scratch_tool new LOG
 *   scratch_tool count LOG KIND SUBJECT     KIND as in events.def; SUBJECT may hold one '*'
 *   scratch_tool sound LOG                  fails when something was lost or damaged
 *
 * The scratch log for scripts.
 */
#include <stdio.h>
#include <string.h>

#include "scratch.h"

static const char *const kinds[] = {
#define EVENT(id, channel, class, name, text) #id,
#include "tallyman/events.def"
#undef EVENT
};

static int count(const char *log, const char *kind, const char *subject)
{
    struct scratch_records records = scratch_read(log);

    for (int i = 0; i < EVENT_KIND_COUNT; i++)
        if (strcmp(kinds[i], kind) == 0)
            printf("%d\n", (int)scratch_count(&records, (enum event_kind)i, subject));
    scratch_records_free(&records);
    return 0;
}

int main(int argc, char **argv)
{
    struct scratch_records records;

    if (argc == 3 && strcmp(argv[1], "new") == 0) {
        scratch_log(argv[2], 0);
        return 0;
    }
    if (argc == 5 && strcmp(argv[1], "count") == 0)
        return count(argv[2], argv[3], argv[4]);
    if (argc != 3 || strcmp(argv[1], "sound") != 0)
        return 2;
    records = scratch_read(argv[2]);
    if (records.lost || records.damaged)
        printf("%d lost, %d damaged\n", (int)records.lost, (int)records.damaged);
    return records.lost || records.damaged;
}
