#!/usr/bin/env bash
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
#
# The code that oneDNN generates for the model of the quickstart at a level of instructions holds nothing above it, or is
# never executed: generated kernels that do hold more are overwritten with traps before their first call, and the model
# must give the same bytes. (oneDNN 2.6.3 generates brgemm_conv_comp_pad, the correction for zero points of int8, for
# convolutions of floats as well.) To be run by at_level.sh, which sets FUSEQ_MAX_ISA. The device's own products are
# switched off, so that there is much such code.
#   usage: tests/isa/jit_code.sh INFER TRAP
#     TRAP  the library trap_generated
# Exit status: 0 nothing above is executed, 1 something may be; 77 without objdump.
set -euo pipefail

if [ $# != 2 ] || [ -z "${FUSEQ_MAX_ISA:-}" ]; then
    sed -n 's/^#   usage/usage/p' "$0" >&2
    exit 2
fi
infer=$(realpath "$1")
trap_generated=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
model=$here/../../samples/models/residual_cnn
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

run() { # OUT [VARIABLE=VALUE]...: the model, with the generated code in files of the current folder
    local out=$1
    shift
    env DNNL_JIT_DUMP=1 "$@" "$infer" -m "$model.xml" -i "${model}_input" -o "$out" --config FUSEQ_OWN_GEMM=NO >"$out.log" 2>&1
}
trapped() { # NAMES OUT: the same with these kernels as traps
    run "$2" LD_PRELOAD="$trap_generated" FUSEQ_TRAP_GENERATED="$1"
}

run plain
if "$here/check_instructions.py" jit "$FUSEQ_MAX_ISA" dnnl_dump_cpu_*.bin >found; then
    tail -n 1 found
    exit 0
else
    status=$?
    [ $status = 1 ] || exit $status
fi
cat found
above=$(sed -n 's/^dnnl_dump_cpu_\(.*\)\.[0-9]*\.bin+.*/\1/p' found | sort -u)
[ -n "$above" ]
# The traps work: a kernel that is executed ends the program.
status=0
{ trapped jit_uni_reorder_kernel_f32 executed || status=$?; } 2>/dev/null
if [ $status != $((128 + $(kill -l TRAP))) ]; then
    echo "a kernel that is executed was not caught: exit status $status"
    exit 1
fi
if ! trapped "$above" never || ! grep -q 'trap_generated: [1-9]' never.log; then
    cat never.log
    echo "above $FUSEQ_MAX_ISA, and executed or not found again: $above"
    exit 1
fi
diff -r plain never
echo "above $FUSEQ_MAX_ISA and never executed: $above"
