/* SPDX-License-Identifier: MIT */
#include "note_values.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/un.h>
#include <unistd.h>

#include "environment.h"
#include "log.h"
#include "raw.h"
#include "self.h"
#include "text.h"

void note_clock(const struct call *call, clockid_t clock)
{
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI:
        note_name(call, EVENT_CLOCK_READ, "realtime");
        break;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM:
        note_name(call, EVENT_CLOCK_READ, "monotonic");
        break;
    default: /* processor time: says nothing about the outside */
        break;
    }
}

/* --- variables that libc itself looks at ---------------------------------------------------- */

void note_variable(const struct call *call, const char *name, const char *value)
{
    struct call done = *call;

    done.error = value ? 0 : ENOENT;
    if (name)
        note_name(&done, EVENT_GETENV, name);
}

static const char *note_implied_variable(const struct call *call, const char *name)
{
    const char *value = environment_value(name);

    note_variable(call, name, value);
    return value;
}

/* A file that the function is known to read inside libc, with the outcome that it has had. */
static void note_implied_file(const struct call *call, const char *path)
{
    struct call implied = *call;

    if (log_is_quiet())
        return;
    implied.error = (int)-raw_access(AT_FDCWD, path, R_OK);
    note_path(&implied, EVENT_READ, AT_FDCWD, path, RECORD_IMPLIED);
}

#define ZONE_FOLDER "/usr/share/zoneinfo/"
#define ZONE_NAME   200

/* tzset(3): TZ unset: /etc/localtime; ":file" or "name": a file of the zone folder (TZDIR); glibc
 * tries the file first even for a rule like "CET-1CEST". An empty TZ means Universal Time without a
 * file. */
void note_zone(const struct call *call)
{
    static const char *noted_zone = ZONE_FOLDER; /* any value that TZ cannot have */
    static uint64_t noted_process;
    const char *zone = note_implied_variable(call, "TZ");
    char path[sizeof ZONE_FOLDER + ZONE_NAME];
    size_t length;

    /* The file is read once; so is this look at it taken once. Two threads may both take it. */
    if (zone == noted_zone && self_process() == noted_process)
        return;
    noted_zone = zone;
    noted_process = self_process();
    if (!zone) {
        note_implied_file(call, "/etc/localtime");
        return;
    }
    zone += *zone == ':';
    length = text_length(zone);
    if (*zone == '/')
        note_implied_file(call, zone);
    if (*zone == '/' || length == 0 || length > ZONE_NAME || environment_value("TZDIR"))
        return;
    text_copy(path, ZONE_FOLDER, sizeof ZONE_FOLDER - 1);
    text_copy(path + sizeof ZONE_FOLDER - 1, zone, length + 1);
    note_implied_file(call, path);
}

static const char *category_variable(int category)
{
    static const struct {
        int category;
        const char *name;
    } rows[] = {
        {LC_CTYPE, "LC_CTYPE"},
        {LC_NUMERIC, "LC_NUMERIC"},
        {LC_TIME, "LC_TIME"},
        {LC_COLLATE, "LC_COLLATE"},
        {LC_MONETARY, "LC_MONETARY"},
        {LC_MESSAGES, "LC_MESSAGES"},
        {LC_PAPER, "LC_PAPER"},
        {LC_NAME, "LC_NAME"},
        {LC_ADDRESS, "LC_ADDRESS"},
        {LC_TELEPHONE, "LC_TELEPHONE"},
        {LC_MEASUREMENT, "LC_MEASUREMENT"},
        {LC_IDENTIFICATION, "LC_IDENTIFICATION"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].category == category)
            return rows[i].name;
    return NULL;
}

/* setlocale(3): LC_ALL, then the category's own variable, then LANG. For all categories at once
 * those that are not set are one subject, "LC_*": a dozen per process would say no more. */
static void note_locale_variables(const struct call *call, int category)
{
    const char *all = note_implied_variable(call, "LC_ALL");
    const char *name = category_variable(category), *own = NULL;

    if (all && *all)
        return;
    if (name)
        own = note_implied_variable(call, name);
    else
        note_variable(call, "LC_*", NULL);
    for (int each = 0; !name && each <= LC_IDENTIFICATION; each++)
        if (category_variable(each) && environment_value(category_variable(each)))
            note_implied_variable(call, category_variable(each));
    if (!own || !*own)
        note_implied_variable(call, "LANG");
}

void note_locale(const struct call *call, int category, const char *locale, const char *result)
{
    if (!locale) /* only asks which one is in force */
        return;
    if (!*locale)
        note_locale_variables(call, category);
    note_name(call, EVENT_LOCALE, result ? result : *locale ? locale : "C");
}

void note_new_locale(const struct call *call, int mask, const char *locale)
{
    if (!locale)
        return;
    if (!*locale)
        note_locale_variables(call, mask == LC_ALL_MASK ? LC_ALL
                                                        : __builtin_ctz((unsigned)mask | 1u << 30));
    else
        note_name(call, EVENT_LOCALE, locale);
}

void note_language(const struct call *call, nl_item item, const char *result)
{
    if (item == CODESET && result)
        note_name(call, EVENT_LOCALE, result);
}

/* --- addresses ------------------------------------------------------------------------------ */

#define ADDRESS_ROOM 128u
#define FOLDER_ROOM  512u

static size_t append(char *to, const char *text)
{
    size_t length = text_length(text);

    text_copy(to, text, length + 1);
    return length;
}

static size_t write_ipv4(char *to, const unsigned char *bytes)
{
    size_t at = 0;

    for (int i = 0; i < 4; i++) {
        if (i)
            to[at++] = '.';
        at += text_decimal(to + at, bytes[i]);
    }
    return at;
}

/* RFC 5952 but for the choice among equal runs: the first run of two or more zero groups is "::".
 */
static size_t write_ipv6(char *to, const unsigned char *bytes)
{
    size_t at = 0;
    int best = -1, best_length = 1;

    for (int i = 0; i < 8; i++) {
        int length = 0;

        while (i + length < 8 && !bytes[2 * (i + length)] && !bytes[2 * (i + length) + 1])
            length++;
        if (length > best_length) {
            best = i;
            best_length = length;
        }
    }
    for (int i = 0; i < 8; i++) {
        unsigned group = (unsigned)bytes[2 * i] << 8 | bytes[2 * i + 1];
        int digits = group > 0xfff ? 4 : group > 0xff ? 3 : group > 0xf ? 2 : 1;

        if (i == best) {
            at += append(to + at, "::");
            i += best_length - 1;
            continue;
        }
        if (at && to[at - 1] != ':')
            to[at++] = ':';
        text_hex(to + at, group, digits);
        at += (size_t)digits;
    }
    return at;
}

static size_t write_port(char *to, in_port_t port)
{
    to[0] = ':';
    return 1 + text_decimal(to + 1, (uint64_t)(port >> 8 | (port & 0xff) << 8));
}

/* "unix:/path", "unix:@abstract"; an abstract name is cut at its first NUL. */
static void write_unix(char *to, const struct sockaddr_un *address, size_t length)
{
    size_t room = length - offsetof(struct sockaddr_un, sun_path), at = append(to, "unix:");
    size_t from = 0;

    if (room && !address->sun_path[0]) {
        to[at++] = '@';
        from = 1;
    }
    while (from < room && address->sun_path[from])
        to[at++] = address->sun_path[from++];
    to[at] = '\0';
}

static bool write_address(char *to, const struct sockaddr *address, socklen_t length)
{
    const void *any = address;

    if (address->sa_family == AF_INET && length >= sizeof(struct sockaddr_in)) {
        const struct sockaddr_in *in = any;
        size_t at = write_ipv4(to, (const unsigned char *)&in->sin_addr);

        write_port(to + at, in->sin_port);
    } else if (address->sa_family == AF_INET6 && length >= sizeof(struct sockaddr_in6)) {
        const struct sockaddr_in6 *in = any;
        size_t at = append(to, "[");

        at += write_ipv6(to + at, in->sin6_addr.s6_addr);
        to[at++] = ']';
        write_port(to + at, in->sin6_port);
    } else if (address->sa_family == AF_UNIX && length <= sizeof(struct sockaddr_un) &&
               length > offsetof(struct sockaddr_un, sun_path)) {
        write_unix(to, any, length);
    } else if (address->sa_family == AF_NETLINK) {
        size_t at = append(to, "netlink:");

        text_decimal(to + at, ((const unsigned short *)any)[1]);
    } else if (address->sa_family == AF_UNSPEC || address->sa_family == AF_UNIX) {
        return false; /* takes a connection back; binds to a name of the kernel's choice */
    } else {
        text_decimal(to + append(to, "family:"), address->sa_family);
    }
    return true;
}

/* A socket whose name starts from the current folder; as it is where that folder's name is long. */
static void note_socket_here(const struct call *call, enum event_kind kind, const char *name)
{
    char folder[FOLDER_ROOM];
    size_t at = append(folder, "unix:");
    long got = log_is_quiet() ? -1 : raw_getcwd(folder + at, sizeof folder - at - 1);

    if (got > 0 && folder[at] == '/') {
        at += (size_t)got - 1;
        if (folder[at - 1] != '/')
            folder[at++] = '/';
        while (name[0] == '.' && name[1] == '/')
            name += 2;
    }
    folder[at] = '\0';
    note_names(call, kind, folder, name);
}

void note_address(const struct call *call, enum event_kind kind, const struct sockaddr *address,
                  socklen_t length)
{
    char text[ADDRESS_ROOM];

    if (!address || length < sizeof(sa_family_t) || call->error == EFAULT)
        return;
    if (!write_address(text, address, length))
        return;
    if (address->sa_family == AF_UNIX && text[5] != '/' && text[5] != '@')
        note_socket_here(call, kind, text + 5);
    else
        note_name(call, kind, text);
}

void note_message(const struct call *call, const struct msghdr *message)
{
    if (call->error != EFAULT && message && message->msg_name)
        note_address(call, EVENT_SEND, message->msg_name, message->msg_namelen);
}

void note_messages(const struct call *call, const struct mmsghdr *messages, int sent)
{
    for (int i = 0; i < sent; i++)
        note_message(call, &messages[i].msg_hdr);
}

/* --- names in folders of libc's ------------------------------------------------------------- */

void note_shared(const struct call *call, enum event_kind kind, const char *folder,
                 const char *name)
{
    while (*name == '/')
        name++;
    note_names(call, kind, folder, name);
}

/* --- numbers -------------------------------------------------------------------------------- */

void note_number(const struct call *call, enum event_kind kind, const char *prefix, uint64_t number)
{
    char text[24];

    text_decimal(text, number);
    note_names(call, kind, prefix, text);
}

void note_configuration(const struct call *call, int name)
{
    static const struct {
        int name;
        enum event_kind kind;
        const char *subject;
    } rows[] = {
        {_SC_NPROCESSORS_ONLN, EVENT_CPU, "online"},
        {_SC_NPROCESSORS_CONF, EVENT_CPU, "configured"},
        {_SC_PHYS_PAGES, EVENT_MEMORY, "physical"},
        {_SC_AVPHYS_PAGES, EVENT_MEMORY, "available"},
        {_SC_OPEN_MAX, EVENT_LIMIT, "open-files"},
        {_SC_CHILD_MAX, EVENT_LIMIT, "processes"},
        {_SC_ARG_MAX, EVENT_LIMIT, "stack"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].name == name)
            note_name(call, rows[i].kind, rows[i].subject);
}

void note_limit(const struct call *call, int resource)
{
    static const struct {
        int resource;
        const char *name;
    } rows[] = {
        {RLIMIT_CPU, "cpu-time"},       {RLIMIT_FSIZE, "file-size"},   {RLIMIT_DATA, "data"},
        {RLIMIT_STACK, "stack"},        {RLIMIT_CORE, "core"},         {RLIMIT_RSS, "resident"},
        {RLIMIT_NPROC, "processes"},    {RLIMIT_NOFILE, "open-files"}, {RLIMIT_MEMLOCK, "locked"},
        {RLIMIT_AS, "address-space"},   {RLIMIT_LOCKS, "locks"},       {RLIMIT_NICE, "nice"},
        {RLIMIT_SIGPENDING, "signals"}, {RLIMIT_MSGQUEUE, "queues"},   {RLIMIT_RTPRIO, "priority"},
        {RLIMIT_RTTIME, "real-time"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].resource == resource)
            note_name(call, EVENT_LIMIT, rows[i].name);
}
