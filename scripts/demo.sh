#!/bin/bash
# SPDX-License-Identifier: MIT
#
# From a fresh clone to a first report: installs what is needed, builds, audits the bundled example.
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top"
scripts/install-packages.sh build
mkdir -p build
if ! { cmake --preset release && cmake --build --preset release; } >build/demo.log 2>&1; then
    tail -n 30 build/demo.log
    exit 1
fi
tallyman=$top/build/release/cli/tallyman
demo=$top/build/demo
rm -rf "$demo"
mkdir -p "$demo/home"
cp -r examples/legacy examples/vendor "$demo"
echo '# settings of whoever builds' >"$demo/home/.tide.mk"
cd "$demo/legacy"

# A clean environment, so that the report is about the example and not about this shell.
in_clean_environment() {
    env -i PATH=/usr/local/bin:/usr/bin:/bin HOME="$demo/home" TZ=Europe/Paris LANG=C.UTF-8 "$@"
}

echo
echo "\$ cd $demo/legacy"
echo "\$ tallyman run -- make"
in_clean_environment "$tallyman" run -- make
echo
echo "\$ tallyman report"
in_clean_environment "$tallyman" report
echo
echo "The database of this run: $demo/legacy/tallyman.db"
echo "What is planted in the example: examples/legacy/README.md"
echo "To audit a build of your own: cd there; $tallyman run -- make"
