/* SPDX-License-Identifier: MIT
 *
 * B8: functions of libc that look at folders and links by calls of their own. The folder tree/
 * holds a file and a folder, link leads to it.
 */
#include <dirent.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wordexp.h>

static int visited;

static int visit(const char *path, const struct stat *status, int type)
{
    (void)path;
    (void)status;
    visited += type != FTW_NS;
    return 0;
}

static int visit_deep(const char *path, const struct stat *status, int type, struct FTW *at)
{
    (void)at;
    return visit(path, status, type);
}

static int walk_fts(const char *folder)
{
    char *path = strdup(folder), *paths[] = {path, NULL};
    FTS *walk = fts_open(paths, FTS_PHYSICAL, NULL);
    int found = 0;

    while (walk && fts_read(walk))
        found++;
    if (walk)
        fts_close(walk);
    free(path);
    return found;
}

int main(void)
{
    char folder[4096];
    struct dirent **names;
    glob_t matches;
    wordexp_t words;

    printf("glob %d", glob("globbed/*", 0, NULL, &matches));
    printf(" %zu\n", matches.gl_pathc);
    printf("wordexp %d", wordexp("expanded/*", &words, WRDE_NOCMD));
    printf(" %zu\n", words.we_wordc);
    printf("ftw %d", ftw("walked", visit, 4));
    printf(" nftw %d %d\n", nftw("walked-deep", visit_deep, 4, FTW_PHYS), visited);
    printf("fts %d\n", walk_fts("travelled"));
    printf("scandir %d\n", scandir("scanned", &names, NULL, alphasort));
    printf("realpath %d\n", realpath("link", folder) != NULL);
    printf("canonical %d\n", canonicalize_file_name("other-link") != NULL);
    printf("getcwd %d\n", getcwd(folder, sizeof folder) != NULL);
    return 0;
}
