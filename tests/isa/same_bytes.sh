#!/usr/bin/env bash
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
#
# A level of instructions (FUSEQ_MAX_ISA) against a CPU that has no more: the model of the quickstart gives the same
# bytes on this machine at that level and in QEMU on that CPU, without a limit. An instruction above the level would
# end the program there.
#   usage: tests/isa/same_bytes.sh INFER CPU LEVEL     CPU: Nehalem for sse41, Haswell for avx2
# Exit status: 0 the same, 1 not; 77 without QEMU (samples/install_deps.sh emulator).
set -euo pipefail

if [ $# != 3 ]; then
    sed -n 's/^#   usage/usage/p' "$0" >&2
    exit 2
fi
infer=$1
cpu=$2
level=$3
root=$(cd "$(dirname "$0")/../.." && pwd)
model=$root/samples/models/residual_cnn.xml
if ! command -v qemu-x86_64 >/dev/null; then
    echo "skipped: no qemu-x86_64; run samples/install_deps.sh emulator" >&2
    exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset FUSEQ_MAX_ISA DNNL_MAX_CPU_ISA ONEDNN_MAX_CPU_ISA

FUSEQ_MAX_ISA=$level "$infer" -m "$model" -i "${model%.xml}_input" -o "$folder/here" -nthreads 1 >/dev/null
"$root/tests/emulator/run_qemu_user.sh" --cpu "$cpu" -- \
    "$infer" -m "$model" -i "${model%.xml}_input" -o "$folder/there" -nthreads 1 >/dev/null
count=$(find "$folder/here" -type f | wc -l)
if [ "$count" = 0 ]; then
    echo "$infer wrote nothing" >&2
    exit 1
fi
diff -r "$folder/here" "$folder/there"
echo "$count files: the same bytes at $level here and on a $cpu"
