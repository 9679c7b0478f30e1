#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Signals that come while calls are reported. Once a report has been read only death ends the call
# (Linux 5.19 and later); before that a signal takes it back, and the call is made again (SA_RESTART) or
# fails with EINTR. Measured on Linux 6.18 with a signal every 200 us and 20,000 opens: 200 to 300 reports
# of 1,200 to 1,800 signals are taken back.
# shellcheck source-path=SCRIPTDIR source=witness.sh
. "$(dirname "$0")/witness.sh"

# taken_back: how many calls the certificate says that signals ended.
taken_back() { ask "SELECT coalesce(sum(count), 0) FROM blind_spot WHERE class = 'interrupted'"; }

fresh
said=$(audit "$programs/alarmed" 20000 restart)
read -r interrupted failed signals <<<"$said"
check "signals came while a program that has calls restarted opened 20,000 files ($signals)" test "$signals" -gt 10
is "none of them failed" "$interrupted $failed" "0 0"
is "each was seen" "$(saw read u.txt)" 20000
echo "# $(taken_back) of its reports were taken back by $signals signals"

fresh
said=$(audit "$programs/alarmed" 20000)
read -r interrupted failed signals <<<"$said"
check "signals came while a program that has no calls restarted did ($signals)" test "$signals" -gt 10
is "calls fail for no other reason than a signal" "$failed" 0
is "each that failed is counted" "$(taken_back)" "$interrupted"
is "each that did not was seen" "$(saw read u.txt)" $((20000 - interrupted))
is "the evidence is not complete then" "$(evidence)" incomplete
echo "# $interrupted of its 20000 opens failed by $signals signals"
finish
