#!/usr/bin/env bash
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs a program on an emulated CPU: Bochs, a kernel of Debian, and nothing of it installed or run as root.
#   usage: tests/emulator/run_emulated.sh [OPTION]... -- PROGRAM [ARGUMENT]...
#     --cpu NAME        icelake (default: AVX-512 with VNNI), tigerlake, skylake_x (AVX-512 without), haswell (AVX2),
#                       nehalem (SSE4.2), or any name that `bochs-bin --help cpu` lists
#     --timeout S       seconds of this machine for boot and program together (default 600)
#     --with PATH       a file or folder that the program reads; it has the same path there
#     --out FOLDER      what the program leaves in FOLDER comes back
#     --stdin FILE      what the program reads (default: nothing)
#     --env NAME=VALUE  for the program, whose environment is otherwise empty
#     --memory MB       default 2048
#     --keep            leaves build/emulator/run.*: the kernel's log, Bochs' log, the disk
# The program's output, both streams, comes as it is written. Exit status: the program's; 124 after the time limit;
# 125 when the emulator or the kernel failed; 126 when a package is missing (samples/install_deps.sh emulator).
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
home=$root/build/emulator
usage() { sed -n 's/^#   usage/usage/p; s/^#     --/  --/p' "$0" >&2; exit 2; }
fail() { echo "run_emulated.sh: $1" >&2; exit "${2:-125}"; }

cpu=icelake timeout=600 memory=2048 keep='' stdin=/dev/null out=''
with=() environment=(PATH=/bin HOME=/tmp)
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    [ "$1" = --keep ] || [ $# -ge 2 ] || usage
    case $1 in
        --cpu) cpu=$2 ;;
        --timeout) timeout=$2 ;;
        --memory) memory=$2 ;;
        --with) with+=("$(realpath -s "$2")") ;;
        --out) out=$(realpath -s "$2") ;;
        --stdin) stdin=$(realpath -s "$2"); with+=("$stdin") ;;
        --env) environment+=("$2") ;;
        --keep) keep=yes; shift; continue ;;
        *) usage ;;
    esac
    shift 2
done
[ $# -ge 2 ] || usage
shift
program=$(realpath -s "$(command -v "$1" || fail "no program $1" 127)")
shift

case $cpu in
    icelake) model=corei7_icelake_u ;;
    skylake_x) model=corei7_skylake_x ;;
    haswell) model=corei7_haswell_4770 ;;
    nehalem) model=corei5_lynnfield_750 ;;
    *) model=$cpu ;;
esac
for command in bochs-bin xorriso cpio busybox; do
    command -v $command >/dev/null || fail "no $command; run samples/install_deps.sh emulator" 126
done
[ -f /usr/lib/ISOLINUX/isolinux.bin ] || fail "no isolinux; run samples/install_deps.sh emulator" 126

# --- the kernel: unpacked, not installed ----------------------------------------------------------------------------
fetch_kernel() {
    local package scratch
    package=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/.*Depends: \(linux-image-[^ ]*\)$/\1/p' | head -1)
    [ -n "$package" ] || fail "apt-cache does not know linux-image-cloud-amd64; apt-get update?" 126
    scratch=$(mktemp -d "$home/kernel.XXXXXX")
    (cd "$scratch" && apt-get download -q "$package" >&2) || fail "could not download $package" 126
    dpkg-deb -x "$scratch"/*.deb "$scratch/unpacked"
    mkdir "$scratch/kernel"
    cp "$scratch"/unpacked/boot/vmlinuz-* "$scratch/kernel/vmlinuz"
    for module in "${modules[@]}"; do
        cp "$(find "$scratch/unpacked" -name "$module.ko")" "$scratch/kernel/"
        # A signature takes time to check, and this kernel does without.
        strip --strip-debug "$scratch/kernel/$module.ko"
    done
    mv -T "$scratch/kernel" "$home/kernel" 2>/dev/null || true # another run may have been faster
    rm -rf "$scratch"
}
# In the order in which they need each other.
modules=(scsi_common scsi_mod libata ata_piix sd_mod cdrom sr_mod isofs overlay)
mkdir -p "$home"
[ -f "$home/kernel/vmlinuz" ] || fetch_kernel

# --- what the guest sees: a CD with the same paths as here -----------------------------------------------------------
run=$(mktemp -d "$home/run.XXXXXX")
emulator=''
cleanup() {
    [ -z "$emulator" ] || kill -KILL "$emulator" 2>/dev/null || true
    [ -n "$keep" ] && echo "kept: $run" >&2 || rm -rf "$run"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

declare -A taken=()
take_file() { taken[$1]=$(realpath "$1"); }
# A program or library with what it is linked with; libfuseq.so with the plugins that it will load.
take_program() {
    [ -z "${taken[$1]:-}" ] || return 0
    take_file "$1"
    local library neighbour
    while read -r library; do
        case $library in
            */libfuseq.so*)
                for neighbour in "${library%/*}"/*.so* "${library%/*}"/plugins.xml; do
                    [ ! -f "$neighbour" ] || take_program "$neighbour"
                done ;;
            *) take_file "$library" ;;
        esac
    done < <(ldd "$1" 2>/dev/null | grep -o '/[^ ]*' || true)
}
take() {
    local file
    [ -e "$1" ] || fail "no $1" 2
    while IFS= read -r -d '' file; do
        if [ "$(head -c 4 "$file" | tr -d '\0')" = $'\x7fELF' ]; then take_program "$file"; else take_file "$file"; fi
    done < <(find -L "$1" -type f -print0)
}
take "$program"
for path in "${with[@]}"; do take "$path"; done

stage=$run/stage
mkdir -p "$stage"/{bin,dev,proc,sys,tmp,emulated,boot/isolinux} "$stage$PWD"
cp "$(command -v busybox)" "$stage/bin/busybox"
for name in sh env cat ls rm mkdir; do ln -s busybox "$stage/bin/$name"; done
{
    printf 'cd %q && exec /bin/env -i' "$PWD"
    printf ' %q' "${environment[@]}" "$program" "$@"
    printf ' < %q\n' "$stdin"
} >"$stage/emulated/command"
echo "$out" >"$stage/emulated/out"

mkdir -p "$run"/initrd/{bin,lib,dev,proc,sys,cd,rw,root}
cp "$stage/bin/busybox" "$run/initrd/bin/"
cp "$home"/kernel/*.ko "$run/initrd/lib/"
install -m 755 "$here/guest_init.sh" "$run/initrd/init"
echo "${modules[*]}" >"$run/initrd/lib/order"
(cd "$run/initrd" && find . | cpio -o -H newc -R 0:0 --quiet) >"$stage/boot/initrd"
cp "$home/kernel/vmlinuz" "$stage/boot/"
cp /usr/lib/ISOLINUX/isolinux.bin /usr/lib/syslinux/modules/bios/ldlinux.c32 "$stage/boot/isolinux/"
# Bochs 2.7 reports wrong sizes for XSAVES and for the state of protection keys, and Linux would do without AVX; with
# UMIP, RDPID, FSRM and SHA left to it the kernel hangs early on icelake (without UMIP or RDPID alone, too). Programs see
# all features: CPUID is not changed.
cat >"$stage/boot/isolinux/isolinux.cfg" <<END
default linux
prompt 0
label linux
 kernel /boot/vmlinuz
 append initrd=/boot/initrd console=ttyS1 loglevel=4 nokaslr mitigations=off nopcid cryptomgr.notests=1 clearcpuid=xsaves,xsavec,pku,umip,rdpid,fsrm,sha_ni
END

{
    echo "/=$stage"
    for path in "${!taken[@]}"; do
        echo "$(sed 's/[\\=]/\\&/g' <<<"$path")=$(sed 's/[\\=]/\\&/g' <<<"${taken[$path]}")"
    done
} >"$run/paths"
xorriso -as mkisofs -R -D -graft-points -path-list "$run/paths" -b boot/isolinux/isolinux.bin -c boot/isolinux/boot.cat \
    -no-emul-boot -boot-load-size 4 -boot-info-table -o "$run/cd.iso" >"$run/xorriso.log" 2>&1 ||
    { cat "$run/xorriso.log" >&2; fail "xorriso failed"; }
truncate -s $((1024 * 16 * 63 * 512)) "$run/disk.img" # sparse; results come back as a tar file on it

# --- the machine -----------------------------------------------------------------------------------------------------
# A low number of instructions a second makes the delays of devices short; the kernel's clock is the TSC, which
# counts instructions. This build of Bochs is the one with the debugger, which wants to hear `c`.
cat >"$run/bochsrc" <<END
display_library: term
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/bochs/VGABIOS-lgpl-latest
cpu: model=$model, count=1, ips=20000000, ignore_bad_msrs=1
memory: guest=$memory, host=$memory
pci: enabled=1, chipset=i440fx
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
ata0-master: type=disk, path=$run/disk.img, mode=flat, cylinders=1024, heads=16, spt=63
ata1: enabled=1, ioaddr1=0x170, ioaddr2=0x370, irq=15
ata1-master: type=cdrom, path=$run/cd.iso, status=inserted
boot: cdrom
plugin_ctrl: speaker=0, parallel=0, gameport=0
com1: enabled=1, mode=file, dev=$run/output
com2: enabled=1, mode=file, dev=$run/kernel.log
clock: sync=none, time0=utc
log: $run/bochs.log
panic: action=fatal
error: action=ignore
info: action=report
debug: action=ignore
END
echo c >"$run/debugger"
: >"$run/output"
: >"$run/kernel.log"
SECONDS=0 ticks=0
TERM=vt100 bochs-bin -q -f "$run/bochsrc" -rc "$run/debugger" >"$run/bochs.out" 2>&1 </dev/null &
emulator=$!
tail -c +1 -s 0.2 -f --pid=$emulator "$run/output" &
reader=$!
while kill -0 $emulator 2>/dev/null; do
    [ $SECONDS -lt "$timeout" ] || { kill -KILL $emulator; fail "stopped after $timeout s" 124; }
    if grep -q 'Kernel panic\|emulated: failed' "$run/kernel.log"; then
        tail -20 "$run/kernel.log" >&2
        fail "the guest stopped"
    fi
    read -r ticks < <(cut -d ' ' -f 14 /proc/$emulator/stat 2>/dev/null) || true
    sleep 0.5
done
wait $emulator 2>/dev/null || true # 1 also after a power-off
emulator=''
wait $reader 2>/dev/null || true

mkdir "$run/results"
tar -xf "$run/disk.img" -C "$run/results" 2>/dev/null || true
if [ ! -f "$run/results/emulated/status" ]; then
    tail -5 "$run/bochs.out" "$run/bochs.log" "$run/kernel.log" >&2
    fail "the emulator ended without a result"
fi
if [ -n "$out" ]; then
    [ -f "$run/results/emulated/complete" ] || fail "what is in $out is too much for the disk of 504 MiB"
    mkdir -p "$out" && cp -a "$run/results$out/." "$out/"
fi
read -r status begin end <"$run/results/emulated/status"
cpu_seconds=$((ticks / $(getconf CLK_TCK)))
echo "emulated on $cpu: exit status $status; $SECONDS s, CPU time $cpu_seconds s;" \
    "on the guest's clock boot $begin s, program until $end s" >&2
exit "$status"
