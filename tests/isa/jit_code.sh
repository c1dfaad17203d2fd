#!/usr/bin/env bash
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
#
# The code that oneDNN generates for the model of the quickstart at a level of instructions holds nothing above it. To
# be run by at_level.sh, which sets FUSEQ_MAX_ISA. The device's own products are switched off, so that there is much
# such code. One kernel may hold more than runs: oneDNN 2.6 generates the sums of weights for zero points of the source
# with every convolution of the kind brgconv (jit_brgemm_conv.cpp, init), and calls them in integer ones alone. It is
# left out where the log of the run has no such convolution.
#   usage: tests/isa/jit_code.sh INFER
# Exit status: 0 nothing above, 1 something; 77 without objdump.
set -euo pipefail

if [ $# != 1 ] || [ -z "${FUSEQ_MAX_ISA:-}" ]; then
    sed -n 's/^#   usage/usage/p' "$0" >&2
    exit 2
fi
infer=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
model=$here/../../samples/models/residual_cnn
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
DNNL_JIT_DUMP=1 DNNL_VERBOSE=1 "$infer" -m "$model.xml" -i "${model}_input" -o out --config FUSEQ_OWN_GEMM=NO >log
grep -q '^onednn_verbose,exec' log
if ! grep -q 'exec,cpu,convolution,brgconv:.*src_[us]8' log; then
    rm -f dnnl_dump_cpu_*_brgemm_conv_comp_pad_kernel_t.*.bin
fi
"$here/check_instructions.py" jit "$FUSEQ_MAX_ISA" dnnl_dump_cpu_*.bin
