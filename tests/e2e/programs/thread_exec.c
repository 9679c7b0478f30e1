/* SPDX-License-Identifier: MIT
 *
 * E9: exec from a thread that is not the first.
 */
#include <pthread.h>
#include <unistd.h>

static void *run_cat(void *unused)
{
    execl("/bin/cat", "cat", "u.txt", (char *)NULL);
    return unused;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, run_cat, NULL);
    pthread_join(thread, NULL);
    return 1;
}
