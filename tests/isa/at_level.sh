#!/usr/bin/env bash
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs a command at a level of instructions (FUSEQ_MAX_ISA), where it is one that the machine has.
#   usage: tests/isa/at_level.sh LISTER LEVEL [--below] -- COMMAND [ARGUMENT]...
#     LISTER    the program fuseq_isa_levels
#     --below   only where the machine has a higher level: the same command also runs without a limit
# Exit status: the command's; 77 (skipped, with the reason on stderr) where the machine lacks the level, or where
# FUSEQ_TEST_LEVELS is `near` (tests/run.sh without -full) and the level is neither the machine's highest nor the
# next one below.
set -euo pipefail

if [ $# -lt 4 ]; then
    sed -n 's/^#   usage/usage/p' "$0" >&2
    exit 2
fi
lister=$1
level=$2
shift 2
below=no
if [ "$1" = --below ]; then
    below=yes
    shift
fi
[ "$1" = -- ]
shift

skip() {
    echo "skipped: level $level: $1" >&2
    exit 77
}

mapfile -t levels < <("$lister")
highest=${#levels[@]}
place=0
for ((i = 1; i <= highest; ++i)); do
    if [ "${levels[i - 1]}" = "$level" ]; then
        place=$i
    fi
done
if [ "$place" = 0 ]; then
    skip "this machine has ${levels[*]}"
fi
if [ "$below" = yes ] && [ "$place" = "$highest" ]; then
    skip "the same tests run without a limit, which is that level here"
fi
if [ "${FUSEQ_TEST_LEVELS:-all}" = near ] && [ "$place" -lt $((highest - 1)) ]; then
    skip "only the machine's highest level and the next one are tested; tests/run.sh -full tests all"
fi
unset DNNL_MAX_CPU_ISA ONEDNN_MAX_CPU_ISA
FUSEQ_MAX_ISA=$level exec "$@"
