#!/usr/bin/env bash
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
#
# Makes the Debian packages and uses what is in them as a program outside of the tree would.
#   usage: packages_test.sh SOURCE BUILD WORK COMPILER          unpacked below WORK, by pkg-config
#          packages_test.sh SOURCE BUILD WORK clean-root        installed by apt in a fresh Debian 12 (debootstrap)
# Exit status 77: skipped, with the reason.
set -euo pipefail
source=$1 build=$2 work=$3 mode=$4
model=$source/samples/models/residual_cnn

fail() {
    echo "packages_test: $*" >&2
    exit 1
}
skip() {
    echo "packages_test: skipped: $*" >&2
    exit 77
}

make_packages() {
    rm -rf "$work"
    mkdir -p "$work"
    cpack --config "$build/CPackConfig.cmake" -B "$work/packages" >"$work/cpack.log" 2>&1 ||
        { cat "$work/cpack.log" >&2 && fail "cpack failed"; }
}

# What dpkg says each package needs, and that nothing lies outside of /usr.
check_contents() {
    local package=$1 field
    for field in Package Version Depends Maintainer Description; do
        [ -n "$(dpkg-deb -f "$package" "$field")" ] || fail "$package has no $field"
    done
    dpkg-deb -c "$package" | awk '{print $6}' | grep -v '^\./usr/' && fail "$package holds files outside of /usr"
    return 0
}

check_unpacked() {
    local root=$work/root compiler=$1
    for package in "$work"/packages/*.deb; do
        check_contents "$package"
        dpkg-deb -x "$package" "$root"
    done
    "$root/usr/bin/infer" -m "$model.xml" -i "${model}_input" -o "$work/out"
    [ -s "$work/out/scores.npy" ] || fail "infer wrote no scores"
    command -v pkg-config >/dev/null || skip "pkg-config is not installed"
    # Words of flags: split on purpose.
    # shellcheck disable=SC2046
    PKG_CONFIG_PATH=$root/usr/lib/pkgconfig "$compiler" "$source/samples/hello_infer/main.cpp" -o "$work/hello" \
        $(PKG_CONFIG_PATH=$root/usr/lib/pkgconfig pkg-config --cflags --libs fuseq) "-Wl,-rpath,$root/usr/lib"
    "$work/hello" "$model.xml" | grep -q '^best: ' || fail "hello_infer found no best class"
}

# Runs a command in the clean root; says what failed, with its last words.
root_runs() {
    local what=$1
    shift
    chroot "$work/root" "$@" >"$work/step.log" 2>&1 || { tail -5 "$work/step.log" >&2 && fail "$what in the clean root"; }
}

# Each tool, with nothing installed but the packages and what they need.
check_tools() {
    local model=/tmp/models/residual_cnn.xml
    root_runs "infer on arrays" infer -m "$model" -i /tmp/models/residual_cnn_input -o /tmp/out
    [ -s "$work/root/tmp/out/scores.npy" ] || fail "infer wrote no scores in the clean root"
    root_runs "infer on a picture" infer -m /tmp/models/shape_detector.xml -i /tmp/models/shapes.bmp -draw boxes -out /tmp/boxes.png
    [ -s "$work/root/tmp/boxes.png" ] || fail "infer drew no picture in the clean root"
    root_runs "explain" explain -m "$model" -profile -html /tmp/plan.html
    root_runs "benchmark_app" benchmark_app -m "$model" -niter 5
}

# Python, with each reader: their libraries are found, so that the text itself is what is wrong.
check_python() {
    printf 'no model' | tee "$work/root/tmp/models/wrong.onnx" >"$work/root/tmp/models/wrong.tflite"
    cat >"$work/root/tmp/program.py" <<'END'
import pathlib

import numpy as np
import fuseq as ov

core = ov.Core()
assert core.available_devices == ["CPU", "REFERENCE"]
image = np.load("/tmp/models/residual_cnn_input/image.npy")
scores = core.compile_model("/tmp/models/residual_cnn.xml", "CPU")(image)[0]
assert scores.argmax() == np.load("/tmp/out/scores.npy").argmax()
for name in "onnx", "tflite":
    try:
        core.read_model(f"/tmp/models/wrong.{name}")
    except ov.Error as error:
        assert error.file.endswith(name) and ".so" not in str(error), error
    else:
        raise AssertionError(f"{name}: read what is no model")

values = ",".join(str(value) for value in np.random.default_rng(1).normal(size=8 * 3 * 9).round(3))
model = ov.Model.from_text(f"""model "float"
    %x = Parameter : f32[1,3,8,8] "x"
    %w = Const value={{{values}}} : f32[8,3,3,3]
    %c = Convolution(%x, %w) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
    %r = Result(%c)""")
ov.save_model(model, "/tmp/float.xml")
for i in range(4):
    folder = pathlib.Path(f"/tmp/data/{i:03}")
    folder.mkdir(parents=True)
    np.save(folder / "x.npy", np.random.default_rng(i).normal(size=(1, 3, 8, 8)).astype(np.float32))
END
    root_runs "Python" python3 /tmp/program.py
    root_runs "quantize" quantize -m /tmp/float.xml -i /tmp/data -o /tmp/int8.xml
    root_runs "infer on what quantize wrote" infer -m /tmp/int8.xml -i /tmp/data/000 -o /tmp/out8
}

# The samples that are projects of their own, by CMake and by pkg-config.
check_development() {
    root_runs "apt, for a compiler" apt-get install -y -qq --no-install-recommends g++ cmake make pkg-config
    cp -r "$source/samples/hello_infer" "$source/samples/hello_c" "$work/root/tmp/"
    root_runs "find_package(fuseq)" sh -c 'cmake -S /tmp/hello_infer -B /tmp/built && cmake --build /tmp/built'
    root_runs "the program of CMake" /tmp/built/hello_infer /tmp/models/residual_cnn.xml
    # The flags are found in the root.
    # shellcheck disable=SC2016
    root_runs "pkg-config" sh -c 'cc /tmp/hello_c/main.c -o /tmp/hello $(pkg-config --cflags --libs fuseq)'
    root_runs "the program in C" /tmp/hello /tmp/models/residual_cnn.xml
}

check_clean_root() {
    [ "$(id -u)" -eq 0 ] || skip "debootstrap needs root"
    command -v debootstrap >/dev/null || skip "debootstrap is not installed"
    local root=$work/root mirror
    mirror=$(awk '/^URIs:/ {print $2; exit} /^deb / {print $2; exit}' /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2>/dev/null)
    debootstrap --variant=minbase bookworm "$root" ${mirror:+"$mirror"} >"$work/debootstrap.log" 2>&1 ||
        skip "debootstrap could not make a root: $(tail -1 "$work/debootstrap.log")"
    cp "$work"/packages/*.deb "$root/tmp/"
    cp -r "$source/samples/models" "$root/tmp/"
    root_runs "apt, for the packages," sh -c 'apt-get install -y -qq --no-install-recommends /tmp/*.deb'
    check_tools
    [ ! -d "$root/usr/lib/python3/dist-packages/fuseq" ] || check_python
    check_development
}

make_packages
if [ "$mode" = clean-root ]; then check_clean_root; else check_unpacked "$mode"; fi
rm -rf "$work"
