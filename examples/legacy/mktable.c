/* SPDX-License-Identifier: MIT
 *
 * Runs during the build and writes table.h: month names in the builder's language, the offset of
 * the builder's time zone and a correction that a server on this machine may know.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CORRECTION_PORT 7411
#define NOTES           "/tmp/tide-build.log"

/* Millimetres, as one decimal number; 0 when nobody answers. */
static int ask_for_correction(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(CORRECTION_PORT)};
    char answer[32] = "";
    int millimetres = 0;
    int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (server >= 0 && connect(server, (struct sockaddr *)&address, sizeof(address)) == 0 &&
        read(server, answer, sizeof(answer) - 1) > 0)
        sscanf(answer, "%d", &millimetres);
    if (server >= 0)
        close(server);
    return millimetres;
}

static void note(int correction)
{
    FILE *notes = fopen(NOTES, "a");

    if (!notes)
        return;
    fprintf(notes, "correction %d mm\n", correction);
    fclose(notes);
}

int main(void)
{
    time_t spring = 1742428800; /* 2025-03-20 00:00 UTC */
    struct tm *local = localtime(&spring);
    int correction = ask_for_correction();

    setlocale(LC_ALL, "");
    printf("static const char *const month_names[] = {");
    for (int month = 0; month < 12; month++)
        printf("\"%s\", ", nl_langinfo(MON_1 + month));
    printf("};\n#define ZONE_SECONDS %ld\n#define CORRECTION %d\n", local->tm_gmtoff, correction);
    note(correction);
    return 0;
}
