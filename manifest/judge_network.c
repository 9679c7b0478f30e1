/* SPDX-License-Identifier: MIT
 *
 * Endpoints. Freestanding: the rules at the head of judge.c hold here. A manifest names few of
 * them, so they are tried one after another, the last first.
 */
#include "match.h"
#include "judge_find.h"

/* "host:port" or "[host]:port" taken apart; without a port, `port` is POLICY_NONE. */
struct place {
    const char *host;
    size_t length;
    uint32_t port;
};

static bool read_port(const char *digits, size_t length, uint32_t *port)
{
    uint32_t value = 0;

    if (!length || length > 5)
        return false;
    for (size_t i = 0; i < length; i++) {
        if (digits[i] < '0' || digits[i] > '9')
            return false;
        value = value * 10 + (uint32_t)(digits[i] - '0');
    }
    *port = value;
    return true;
}

static void take_apart(const char *subject, size_t length, struct place *place)
{
    size_t colon = length;

    place->host = subject;
    place->length = length;
    place->port = POLICY_NONE;
    while (colon && subject[colon - 1] != ':' && subject[colon - 1] != ']')
        colon--;
    if (colon && subject[colon - 1] == ':' &&
        read_port(subject + colon, length - colon, &place->port))
        place->length = colon - 1;
    if (place->length >= 2 && subject[0] == '[' && subject[place->length - 1] == ']') {
        place->host++;
        place->length -= 2;
    }
}

static bool is_numeric(const struct place *place)
{
    bool digits = place->length > 0;

    for (size_t i = 0; i < place->length; i++) {
        char c = place->host[i];

        if (c == ':')
            return true;
        if (c != '.' && (c < '0' || c > '9'))
            digits = false;
    }
    return digits;
}

static bool is_loopback(const struct place *place)
{
    return same_text(place->host, place->length, "::1") ||
           (is_numeric(place) && (starts_with(place->host, place->length, "127.") ||
                                  starts_with(place->host, place->length, "::ffff:127.")));
}

static bool host_matches(const char *pattern, const struct place *place)
{
    return match_text(pattern, text_length(pattern), place->host, place->length);
}

static bool matches_prefixed(const char *pattern, const char *subject, size_t length, size_t prefix)
{
    subject += prefix;
    length -= prefix;
    if (pattern[0] == '/' && length && subject[0] == '/')
        return match_path(pattern + 1, false, subject + 1, length - 1);
    return match_text(pattern, text_length(pattern), subject, length);
}

/* The kernel reports addresses, not names: a connection by address to the port of an endpoint that
 * is given by name counts as that endpoint. Asking for any other name is still seen. */
static bool connects(const struct policy_endpoint *endpoint, const char *host,
                     const struct place *place)
{
    if (endpoint->port != POLICY_NONE && endpoint->port != place->port)
        return false;
    switch (endpoint->kind) {
    case POLICY_ENDPOINT_LOOPBACK:
        return is_loopback(place) || same_text(place->host, place->length, "localhost");
    case POLICY_ENDPOINT_ADDRESS:
        return host_matches(host, place);
    case POLICY_ENDPOINT_HOST:
        return host_matches(host, place) || (is_numeric(place) && !is_loopback(place));
    default:
        return false;
    }
}

static bool looks_up(const struct policy_endpoint *endpoint, const char *host,
                     const struct place *place)
{
    if (endpoint->kind == POLICY_ENDPOINT_LOOPBACK)
        return is_loopback(place) || same_text(place->host, place->length, "localhost");
    return (endpoint->kind == POLICY_ENDPOINT_HOST || endpoint->kind == POLICY_ENDPOINT_ADDRESS) &&
           host_matches(host, place);
}

static bool is_declared(const struct policy_endpoint *endpoint, const char *host, bool lookup,
                        const char *subject, size_t length)
{
    struct place place;

    if (lookup && starts_with(subject, length, "service:"))
        return true; /* the number of a service's port matters to whoever may use the network */
    if (lookup) {
        place.host = subject;
        place.length = length;
        place.port = POLICY_NONE;
        return looks_up(endpoint, host, &place);
    }
    if (starts_with(subject, length, "unix:"))
        return endpoint->kind == POLICY_ENDPOINT_UNIX && matches_prefixed(host, subject, length, 5);
    if (starts_with(subject, length, "netlink:"))
        return endpoint->kind == POLICY_ENDPOINT_NETLINK &&
               matches_prefixed(host, subject, length, 8);
    take_apart(subject, length, &place);
    return connects(endpoint, host, &place);
}

uint32_t find_endpoint(const struct policy *policy, bool lookup, const char *subject, size_t length)
{
    const struct policy_endpoint *endpoints = policy_at(policy, policy->endpoints.offset);

    for (uint32_t i = policy->endpoints.count; i-- > 0;)
        if (is_declared(endpoints + i, policy_string(policy, endpoints[i].host), lookup, subject,
                        length))
            return endpoints[i].rule;
    return POLICY_NONE;
}
