/* SPDX-License-Identifier: MIT */
#include "hook_names.h"

#include <string.h>

static const char *const names[] = {
#define HOOK(name, ret, fails, params, args, event, note)   #name,
#define CHANGE(name, ret, fails, params, args, event, note) #name,
#define CUSTOM(name, ret, fails, params, args, event, note) #name,
#include "tallyman/hooks.def"
    "start",
#include "tallyman/hooks_time64.def"
#undef HOOK
#undef CHANGE
#undef CUSTOM
};

const char *hook_name(uint16_t hook)
{
    return hook < sizeof names / sizeof *names ? names[hook] : "?";
}

bool hook_is_exec(uint16_t hook)
{
    return strncmp(hook_name(hook), "exec", 4) == 0 || strcmp(hook_name(hook), "fexecve") == 0;
}

static const char *const calls[] = {
#define CALL(name, shape, kind, a, b, c) #name,
#include "witness_calls.def"
#undef CALL
};

const char *witness_call_name(uint16_t call)
{
    return call < sizeof calls / sizeof *calls ? calls[call] : NULL;
}
