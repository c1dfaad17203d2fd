#!/usr/bin/env bash
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
#
# Installs what is missing, builds the tools, runs the bundled model and shows int8 at work.
set -euo pipefail
cd "$(dirname "$0")/.."

samples/install_deps.sh build
# A fresh build leaves out the tests (tests/run.sh adds them) and is the quick one (docs/building.md); an old one
# keeps what it has.
fresh=()
[ -f build/release/CMakeCache.txt ] || fresh=(-DFUSEQ_TESTS=OFF -DFUSEQ_QUICK_BUILD=ON)
cmake --preset release "${fresh[@]}"
cmake --build --preset release -j "$(nproc)" --target benchmark_app explain infer quantize samples fuseq_python

bin=build/release/bin
model=samples/models/residual_cnn.xml
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

title() { printf '\n=== %s\n' "$*"; }

title "The bundled model, on the CPU device: what became of every layer"
"$bin/explain" -m "$model"

title "How fast it is, on one core"
"$bin/benchmark_app" -m "$model" -d CPU -api sync -niter 1000 -nthreads 1

title "Are the results right? The same input on both devices"
for device in CPU REFERENCE; do
    "$bin/infer" -m "$model" -i samples/models/residual_cnn_input -o "$out/$device" -d "$device"
    printf '%-10s' "$device"
    tail -c 40 "$out/$device/scores.npy" | od -An -v -w40 -t f4
done

title "Done. Next: README.md, or explain -m YOUR_MODEL.xml"
