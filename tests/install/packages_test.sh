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

check_clean_root() {
    [ "$(id -u)" -eq 0 ] || skip "debootstrap needs root"
    command -v debootstrap >/dev/null || skip "debootstrap is not installed"
    local root=$work/root mirror
    mirror=$(awk '/^URIs:/ {print $2; exit} /^deb / {print $2; exit}' /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2>/dev/null)
    debootstrap --variant=minbase bookworm "$root" ${mirror:+"$mirror"} >"$work/debootstrap.log" 2>&1 ||
        skip "debootstrap could not make a root: $(tail -1 "$work/debootstrap.log")"
    cp "$work"/packages/*.deb "$root/tmp/"
    cp -r "$model.xml" "$model.bin" "${model}_input" "$root/tmp/"
    chroot "$root" sh -c 'apt-get install -y -qq --no-install-recommends /tmp/*.deb' >"$work/apt.log" 2>&1 ||
        { tail -5 "$work/apt.log" >&2 && fail "apt could not install the packages"; }
    chroot "$root" infer -m /tmp/residual_cnn.xml -i /tmp/residual_cnn_input -o /tmp/out
    [ -s "$root/tmp/out/scores.npy" ] || fail "infer wrote no scores in the clean root"
    if [ -d "$root/usr/lib/python3/dist-packages/fuseq" ]; then
        chroot "$root" python3 -c 'import fuseq; print(fuseq.Core().available_devices)' || fail "import fuseq failed"
    fi
}

make_packages
if [ "$mode" = clean-root ]; then check_clean_root; else check_unpacked "$mode"; fi
rm -rf "$work"
