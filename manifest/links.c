/* SPDX-License-Identifier: MIT */
#include "links.h"

#include <stdlib.h>
#include <string.h>
#include "cleanup.h"
#include "die.h"
#include "policy_hash.h"

void links_init(struct links *links)
{
    memset(links, 0, sizeof(*links));
}

void links_fini(struct links *links)
{
    for (int i = 0; i < LINKS_REMEMBERED; i++) {
        free(links->known[i].folder);
        free(links->known[i].resolved);
    }
}

/* The links of /proc lead to whoever asks, which here is tallyman itself. */
static bool is_of_the_asker(const char *path)
{
    return !strncmp(path, "/proc/", 6) || !strncmp(path, "/dev/fd", 7);
}

/* The folder as the kernel names it; what is not there yet is put after what is. */
static char *real_name(const char *folder)
{
    cleanup_free char *there = xstrdup(folder);
    char *resolved = realpath(there, NULL);

    while (!resolved) {
        char *slash = strrchr(there, '/');

        if (!slash || slash == there)
            return xstrdup(folder);
        *slash = '\0';
        resolved = realpath(there, NULL);
        if (resolved) {
            char *whole =
                xprintf("%s%s", strcmp(resolved, "/") ? resolved : "", folder + strlen(there));

            free(resolved);
            return whole;
        }
    }
    return resolved;
}

static const char *resolve_folder(struct links *links, const char *folder)
{
    size_t slot = policy_hash_bytes(0, folder, strlen(folder)) % LINKS_REMEMBERED;
    char *resolved;

    if (links->known[slot].folder && !strcmp(links->known[slot].folder, folder))
        return links->known[slot].resolved;
    resolved = real_name(folder);
    if (!strcmp(resolved, folder)) {
        free(resolved);
        resolved = NULL;
    }
    free(links->known[slot].folder);
    free(links->known[slot].resolved);
    links->known[slot].folder = xstrdup(folder);
    links->known[slot].resolved = resolved;
    return resolved;
}

char *links_resolve(struct links *links, const char *path, bool all)
{
    const char *slash = strrchr(path, '/');
    cleanup_free char *folder = NULL;
    const char *resolved;

    if (!slash || !slash[1] || is_of_the_asker(path))
        return NULL;
    if (all) {
        resolved = resolve_folder(links, path);
        return resolved ? xstrdup(resolved) : NULL;
    }
    if (slash == path)
        return NULL;
    folder = xmemdup(path, (size_t)(slash - path));
    resolved = resolve_folder(links, folder);
    return resolved ? xprintf("%s%s", strcmp(resolved, "/") ? resolved : "", slash) : NULL;
}
