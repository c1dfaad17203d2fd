#!/usr/bin/env bash
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
#
# Installs what is missing, from Debian 12's packages. Does nothing, and needs no rights, when all
# of it is there.
#   usage: samples/install_deps.sh [build | tests | ci | full | emulator]     ci, full: tests and more; tests: build and more
set -euo pipefail

build=(
    g++ cmake ninja-build
    libdnnl-dev                         # oneDNN 2.6.3 ...
    opencl-headers ocl-icd-opencl-dev   # ... whose CMake config asks for OpenCL
    libpugixml-dev libtbb-dev libxxhash-dev libfmt-dev libhwy-dev nlohmann-json3-dev libcli11-dev
    libhwloc-dev                        # which processors are there, and how they lie together
    libyaml-cpp-dev                     # profiles of the quantizer
    libonnx-dev libprotobuf-dev         # for the reader of ONNX files, which is left out without them
    libpng-dev libturbojpeg0-dev        # png and jpeg in the tools, which read bmp alone without them
    pybind11-dev python3-dev python3-numpy # for the Python package, which is left out without them
    flatbuffers-compiler libflatbuffers-dev # for the reader of TFLite files, likewise
    protobuf-compiler                   # with libprotobuf-dev for the reader of Caffe2 nets, likewise
)
tests=(libgtest-dev libgmock-dev libbenchmark-dev python3
    pkg-config dpkg-dev # as users of the packages have them
    python3-pytest python3-pip # tests of the Python package, and of its wheel
    libonnx-testdata) # cases of the ONNX format's authors
ci=(mkdocs doxygen clang-format clang-tidy libomp-dev git) # libomp-dev: the omp.h that clang reads
full=(debootstrap                       # packages are installed in a root of their own
    chromium chromium-driver python3-selenium) # tests/browser
emulator=(bochs bochs-term isolinux syslinux-common xorriso busybox-static cpio # tests/emulator/run_emulated.sh
    qemu-user)                          # tests/emulator/run_qemu_user.sh
optional=(ccache lld) # make rebuilding and linking faster

case "${1:-build}" in
    build) packages=("${build[@]}" "${optional[@]}") ;;
    tests) packages=("${build[@]}" "${optional[@]}" "${tests[@]}") ;;
    ci) packages=("${build[@]}" "${optional[@]}" "${tests[@]}" "${ci[@]}") ;;
    full) packages=("${build[@]}" "${optional[@]}" "${tests[@]}" "${full[@]}" "${emulator[@]}") ;;
    emulator) packages=("${emulator[@]}") ;;
    *)
        sed -n 's/^#   usage/usage/p' "$0" >&2
        exit 2
        ;;
esac

if ! command -v dpkg-query >/dev/null; then
    echo "error: this is not Debian; install these, or what your system calls them: ${packages[*]}" >&2
    exit 1
fi

missing=()
for package in "${packages[@]}"; do
    status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "error: not root and no sudo; as root run: apt-get install ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi
apt_get() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get \
        -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 "$@" </dev/null
}

echo "installing: ${missing[*]}"
for attempt in 1 2 3; do
    if apt_get update -qq && apt_get install -y -qq --no-install-recommends "${missing[@]}"; then
        exit 0
    fi
    echo "attempt $attempt failed" >&2
    sleep $((attempt * 5))
done
echo "error: could not install: ${missing[*]}" >&2
exit 1
