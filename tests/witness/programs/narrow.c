/* SPDX-License-Identifier: MIT
 *
 * A 32-bit program: an open, the time, and connections: by socketcall(2), and by the call of its
 * own that newer kernels have.
 */
#include <fcntl.h>
#include <linux/net.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    long create[] = {AF_INET, SOCK_DGRAM, 0}, connecting[3];

    connecting[0] = syscall(SYS_socketcall, SYS_SOCKET, create);
    connecting[1] = (long)&to;
    connecting[2] = sizeof to;
    syscall(SYS_socketcall, SYS_CONNECT, connecting);
    to.sin_port = htons(10);
    syscall(SYS_connect, connecting[0], &to, sizeof to);
    return time(NULL) == 0 || open("u.txt", O_RDONLY) < 0;
}
