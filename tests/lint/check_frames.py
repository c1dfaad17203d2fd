#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that exceptions can pass through every function of the libraries.

GCC may leave the cold part of a function empty. Its entry in .eh_frame then covers no code and begins
where the next function does; the linker keeps one of the two, and if it is the empty one, an
exception that passes through that function ends the process (abort in _Unwind_Resume).

usage: check_frames.py LIBRARY...

Exit status 0 when no entry is empty, 1 with one line a finding.
"""
import re
import subprocess
import sys

FRAME = re.compile(r" FDE .*\bpc=([0-9a-f]+)\.\.([0-9a-f]+)")
SYMBOL = re.compile(r"^([0-9a-f]+) \w (.+)$", re.MULTILINE)


def empty_frames(listing):
    """Addresses of the entries that cover no code, in what readelf prints."""
    return [begin for begin, end in FRAME.findall(listing) if int(begin, 16) == int(end, 16)]


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main(libraries):
    if not libraries:
        print(__doc__)
        return 2
    count = 0
    for library in libraries:
        listing = run("readelf", "--debug-dump=frames", library)
        if not FRAME.search(listing):
            print(f"error: {library} has no frames")
            count += 1
        for address in empty_frames(listing):
            names = [name for at, name in SYMBOL.findall(run("nm", "-C", library))
                     if int(at, 16) == int(address, 16)]
            print(f"error: {library}: an empty frame at {address}: {', '.join(names)}")
            count += 1
    print(f"frames: {len(libraries)} libraries, {count} errors")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
