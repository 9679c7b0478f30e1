/* SPDX-License-Identifier: MIT
 *
 * libFuzzer target: bytes -> baseline -> a run with one finding. What parses is used; what does not
 * gives exactly one line.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "baseline.h"
#include "memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void apply(struct baseline *baseline)
{
    struct analysis_finding finding = {.fingerprint = "0123456789abcdef",
                                       .verdict = VERDICT_UNDECLARED};
    struct analysis analysis = {.findings = &finding, .finding_count = 1, .memory = memory_new()};

    analysis_apply_baseline(&analysis, baseline);
    if (analysis.stale_count + finding.known != baseline_count(baseline))
        abort();
    for (size_t i = 1; i < analysis.stale_count; i++)
        if (strcmp(analysis.stale[i - 1].fingerprint, analysis.stale[i].fingerprint) >= 0)
            abort();
    memory_free(analysis.memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buffer why = BUFFER_INIT;
    struct baseline *baseline = baseline_parse("fuzz", (const char *)data, size, &why);

    if ((baseline == NULL) != (why.length != 0) ||
        (why.length && memchr(why.data, '\n', why.length)))
        abort();
    if (baseline)
        apply(baseline);
    baseline_free(baseline);
    buffer_fini(&why);
    return 0;
}
