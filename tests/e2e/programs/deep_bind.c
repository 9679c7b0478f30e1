/* SPDX-License-Identifier: MIT
 *
 * A13: loads the library named first, bound deep ("deep") or in a namespace of its own ("new").
 */
#include <dlfcn.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    void *library = strcmp(argv[2], "deep") == 0 ? dlopen(argv[1], RTLD_NOW | RTLD_DEEPBIND)
                                                 : dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW);
    if (!library)
        return 3;
    int (*peek)(void) = (int (*)(void))(unsigned long)dlsym(library, "peek");
    return !peek || peek() < 0;
}
