#!/usr/bin/env bash
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
#
# Installs what is missing, builds, runs every test. Arguments go to ctest:
#   tests/run.sh -R Composer -V
# Levels of instructions: the machine's highest and the next one below (docs/isa_levels.md); all with
#   tests/run.sh -full [ARGUMENT]...
# which also runs what takes long or needs more packages: programs in a clean Debian root, browser.
# FUSEQ_PRESET=asan selects another preset of CMakePresets.json; FUSEQ_QUICK_BUILD=OFF or ON another way to build
# (docs/building.md): a fresh build folder is ON, an old one keeps what it has. Needs no terminal.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
exec </dev/null
export CI="${CI:-true}"

export FUSEQ_TEST_LEVELS=near
full=()
if [ "${1:-}" = -full ]; then
    FUSEQ_TEST_LEVELS=all
    full=(-C full)
    shift
fi

preset="${FUSEQ_PRESET:-release}"
jobs=$(nproc)

finish() {
    echo "tests/run.sh: $1"
    exit "$2"
}

packages=tests
[ ${#full[@]} -eq 0 ] || packages=full
samples/install_deps.sh "$packages" || finish "FAILED: installing packages" 1
quick=${FUSEQ_QUICK_BUILD:-}
[ -f "build/$preset/CMakeCache.txt" ] || quick=${quick:-ON}
cmake --preset "$preset" -DFUSEQ_TESTS=ON ${quick:+"-DFUSEQ_QUICK_BUILD=$quick"} || finish "FAILED: configuring" 1
cmake --build --preset "$preset" -j "$jobs" || finish "FAILED: building" 1
ctest --preset "$preset" -j "$jobs" --no-tests=error "${full[@]}" "$@" || finish "FAILED: tests" 1
finish "all tests passed" 0
