# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: MIT
#
# CPython's own tests, as Debian ships them, of what meets the system.
packages='python3.11 libpython3.11-testsuite'
sources=''
minutes=60

modules='test_os test_posix test_subprocess test_signal test_time test_fork1 test_popen test_tempfile
    test_shutil test_pathlib test_locale test_random test_threading test_faulthandler test_socket
    test_wait3 test_wait4 test_pty test_select test_selectors test_poll test_epoll test_thread
    test_posixpath test_site test_cmd_line test_mmap test_resource test_getpass test_netrc test_uuid
    test_platform test_socketserver test_ctypes test_asyncio test_concurrent_futures
    test_multiprocessing_fork test_multiprocessing_forkserver test_multiprocessing_spawn'

build() {
    :
}

run_tests() {
    local module
    # shellcheck disable=SC2086  # a list
    [ $# -gt 0 ] || set -- $modules
    for module; do
        echo "== $module"
        timeout 900 /usr/bin/python3.11 -m test --timeout 300 -u all,-audio,-gui,-network,-urlfetch,-largefile,-cpu,-tzdata \
            --junit-xml "$PWD/$module.xml" "$module" 2>&1
        echo "RESULT $module:exit $?"
        /usr/bin/python3.11 - "$module" <<'PYTHON'
import sys, xml.etree.ElementTree as tree
module = sys.argv[1]
for case in tree.parse(module + ".xml").iter("testcase"):
    kinds = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
    print(f"RESULT {module}:{case.get('name').split()[0]}", kinds[0] if kinds else "ok")
PYTHON
    done
}

results() {
    sed -n 's/^RESULT \([^ ]*:exit\) 0$/\1\tok/p; t; s/^RESULT \([^ ]*\) \(.*\)$/\1\t\2/p'
}
