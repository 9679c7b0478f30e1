/* SPDX-License-Identifier: MIT
 *
 * B13: a shell started after the whole environment was dropped.
 */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    char line[16] = "";

    clearenv();
    setenv("PATH", "/usr/bin:/bin", 1);
    FILE *pipe = popen("cat d.txt", "r");
    if (!pipe || !fgets(line, sizeof(line), pipe) || pclose(pipe) != 0)
        return 2;
    fputs(line, stdout);
    fflush(stdout);
    return system("cat u.txt");
}
