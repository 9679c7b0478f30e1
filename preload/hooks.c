/* SPDX-License-Identifier: MIT
 *
 * The wrappers that the table writes: do the call, record it, return. Nothing here touches the
 * result, errno or an argument.
 */
#include "hook.h"
#include "note_values.h"

#ifdef __i386__
/* A child that ended; stopped and continued ones did not. */
static void note_child(struct call *call, pid_t pid, int status)
{
    if (WIFSTOPPED(status) || WIFCONTINUED(status))
        return;
    call->error = status;
    note_strings(call, EVENT_PROCESS_EXIT, NULL, 0, NULL, 0, (uint64_t)pid);
}
#endif

#define WRAPPER(function, real, name, ret, fails, params, args, event, started)                    \
    ret function params                                                                            \
    {                                                                                              \
        struct call call = {.hook = HOOK_##name, .time = started};                                 \
        ret result = real args;                                                                    \
        if (self_active()) {                                                                       \
            call.error = ERROR_OF(result, fails);                                                  \
            event;                                                                                 \
        }                                                                                          \
        return result;                                                                             \
    }

#define HOOK(name, ret, fails, params, args, event, note)                                          \
    WRAPPER(hook_##name, REAL(name), name, ret, fails, params, args, event, 0)
#define CHANGE(name, ret, fails, params, args, event, note)                                        \
    WRAPPER(hook_##name, REAL(name), name, ret, fails, params, args, event,                        \
            self_active() ? log_time() : 0)
#define CUSTOM(name, ret, fails, params, args, event, note)
#include "tallyman/hooks.def"
#ifdef __i386__
#    include "tallyman/hooks_time64.def"
#endif

#define OLD(id, name, version64, version32, ret, fails, params, args, event)                       \
    WRAPPER(old_##id, REAL_OLD(id), name, ret, fails, params, args, event, 0)
#define OLD_CUSTOM(id, name, version64, version32, ret, fails, params, args, event)
#include "tallyman/hooks_old.def"
