/* SPDX-License-Identifier: MIT */
#include "hook_names.h"

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
