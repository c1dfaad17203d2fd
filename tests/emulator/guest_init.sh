#!/bin/busybox sh
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
#
# Process 1 of the emulated machine (run_emulated.sh): runs /emulated/command of the CD with its output on the first
# serial port, writes results to the disk and turns the machine off. Its own output goes to the second port.
b=/bin/busybox
$b mount -t devtmpfs dev /dev
$b mount -t proc proc /proc
$b mount -t sysfs sys /sys
exec >/dev/ttyS1 2>&1
stop() {
    echo "emulated: failed: $1"
    $b poweroff -f
}

for module in $($b cat /lib/order); do
    $b insmod /lib/$module.ko || stop "insmod $module"
done
tries=0
until [ -b /dev/sr0 ] && [ -b /dev/sda ]; do
    tries=$((tries + 1))
    [ $tries -lt 100 ] || stop "no CD or no disk"
    $b sleep 0.1
done
# The CD, and memory for what is written.
$b mount -t iso9660 -o ro /dev/sr0 /cd || stop "mount CD"
$b mount -t tmpfs -o size=75% rw /rw || stop "mount tmpfs"
$b mkdir /rw/upper /rw/work
$b mount -t overlay -o lowerdir=/cd,upperdir=/rw/upper,workdir=/rw/work root /root || stop "mount overlay"
for folder in dev proc sys; do
    $b mount -o bind /$folder /root/$folder
done
$b chmod 1777 /root/tmp
out=$($b cat /root/emulated/out)
[ -z "$out" ] || $b mkdir -p "/root$out"

uptime() { $b cut -d ' ' -f 1 /proc/uptime; }
exec 3>/dev/ttyS0
$b stty -F /dev/ttyS0 115200 raw -echo
begin=$(uptime)
$b chroot /root /bin/sh /emulated/command >&3 2>&3 3>&-
status=$?
end=$(uptime)
exec 3>&- # waits until all is sent

echo "$status $begin $end" >/root/emulated/status
: >/root/emulated/complete
cd /root || stop "no root"
# The status first; the last file says that everything had room.
$b tar -cf /dev/sda emulated/status ${out:+"${out#/}"} emulated/complete
$b sync
$b poweroff -f
