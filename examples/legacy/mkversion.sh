#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Writes version.h: when, where and by whom this was built.
echo "#define VERSION \"1.4 (`date +%Y-%m-%d`)\""
echo "#define BUILT_BY \"`whoami`@`hostname`\""
