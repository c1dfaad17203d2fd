#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Prints a header with its comments as Doxygen's: the first block is the file's, others belong to what they stand
before, and a comment after code to that line."""
import re
import sys

WHOLE_LINE = re.compile(r"^(\s*)//(?!/) ?(.*)$")
AFTER_CODE = re.compile(r"^(.*[;,{}].*?)\s+// (.*)$")
NOT_FOR_READERS = re.compile(r"NOLINT|clang-format|SPDX-License|^Copyright")


def escaped(text):
    """Text that means nothing special to Doxygen."""
    return re.sub(r"([\\@<>#%&])", r"\\\1", text)


def doxygen_lines(lines):
    in_head = True
    for number, line in enumerate(lines):
        whole = WHOLE_LINE.match(line)
        after = AFTER_CODE.match(line)
        if whole:
            kept = "" if NOT_FOR_READERS.search(whole.group(2)) else escaped(whole.group(2))
            yield f"{whole.group(1)}/// " + ("@file\n" if in_head and number == 0 else "") + (
                f"{whole.group(1)}/// {kept}" if in_head and number == 0 else kept)
            continue
        in_head = False
        if after and not NOT_FOR_READERS.search(after.group(2)):
            yield f"{after.group(1)}  ///< {escaped(after.group(2))}"
        else:
            yield line


def main():
    with open(sys.argv[1], encoding="utf-8") as header:
        for line in doxygen_lines(header.read().splitlines()):
            print(line)


if __name__ == "__main__":
    main()
