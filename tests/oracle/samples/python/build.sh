#!/bin/sh
# SPDX-License-Identifier: MIT
# A wheel's worth of work without pip: the extension, and the package in a folder to be packed.
set -e
export SOURCE_DATE_EPOCH=1600000000
python3 setup.py -q build
python3 setup.py -q install_lib --skip-build --install-dir out
python3 setup.py -q bdist_egg --skip-build --dist-dir out
cd out
rm ./*.egg # the times in it are the moment's
python3 -c 'import sample; print(sample.count("tally"))'
