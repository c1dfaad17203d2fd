#!/usr/bin/env bash
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs a program on an older CPU than this machine's, in QEMU's user mode: no kernel to boot, the files of this
# machine, up to AVX2 (QEMU 7.2 has no AVX-512: run_emulated.sh).
#   usage: tests/emulator/run_qemu_user.sh [--cpu NAME] -- PROGRAM [ARGUMENT]...
#     --cpu NAME        Nehalem (default: SSE4.2), Haswell (AVX2), or any name that `qemu-x86_64 -cpu help` lists
# Exit status: the program's; 126 when there is no QEMU (samples/install_deps.sh emulator).
set -euo pipefail

cpu=Nehalem
if [ "${1:-}" = --cpu ] && [ $# -ge 2 ]; then
    cpu=$2
    shift 2
fi
if [ "${1:-}" != -- ] || [ $# -lt 2 ]; then
    sed -n 's/^#   usage/usage/p; s/^#     --/  --/p' "$0" >&2
    exit 2
fi
shift
if ! command -v qemu-x86_64 >/dev/null; then
    echo "run_qemu_user.sh: skipped: no qemu-x86_64; run samples/install_deps.sh emulator" >&2
    exit 126
fi
# QEMU warns of features that it does not emulate and that no program here asks for (PCID, invariant TSC and the like).
exec qemu-x86_64 -cpu "$cpu" "$@" 2> >(grep -v "TCG doesn't support requested feature" >&2)
