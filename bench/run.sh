#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Measures what tallyman costs. The sides take turns, so that a slow minute of the machine hits all of
# them; medians count.
#
#   run.sh [--rounds N] [--sides LIST] [--lua FOLDER] [--hello FOLDER] [--instructions] [CASE...]
#
#   --rounds N       default 11
#   --sides LIST     of plain, empty (a preload that does nothing), shim (alone), gaps, full (with the
#                    witness) and strace; default plain,empty,shim,gaps
#   --lua, --hello   sources of lua5.4 and hello to build and configure, unpacked by
#                    scripts/fetch-sources.sh --upstream
#   --instructions   count instructions per call instead of measuring time (callgrind)
#   CASE             some of: exec open stat getenv clock_gettime lua hello; default all that can be
#
# TALLYMAN, TALLYMAN_SHIM and BENCH_PROGRAMS say where the things measured are; the target `bench` sets
# them.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
: "${TALLYMAN:?}" "${BENCH_PROGRAMS:?}"
exec python3 "$here/measure.py" "$@"
