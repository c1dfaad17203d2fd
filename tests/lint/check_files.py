#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Checks the form of tracked sources: length, licence header, include guard, length of functions.

usage: check_files.py [ROOT]

More than 500 lines is a warning, more than 700 an error; a C++ function has at most 60. Exit status 1 when there is an error.
"""
import pathlib
import shutil
import subprocess
import sys

from functions import functions

WARN_LINES = 500
MAX_LINES = 700
MAX_FUNCTION_LINES = 60
CODE = (".cpp", ".hpp", ".h", ".py", ".sh", ".inc")
CPP = (".cpp", ".hpp", ".h")
LICENCE = "SPDX-License-Identifier: Apache-2.0"


def tracked_files(root):
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    if shutil.which("git"):
        run = subprocess.run(command, cwd=root, capture_output=True, check=False)
        if run.returncode == 0:
            return sorted(name for name in run.stdout.decode().split("\0") if name)
    return sorted(p.relative_to(root).as_posix() for p in root.rglob("*")
                  if p.is_file() and "build" not in p.relative_to(root).parts)


def check_file(path, text):
    """Yields ("error" | "warning", sentence)."""
    lines = text.splitlines()
    if len(lines) > MAX_LINES:
        yield "error", f"{len(lines)} lines, at most {MAX_LINES}"
    elif len(lines) > WARN_LINES:
        yield "warning", f"{len(lines)} lines, aim for {WARN_LINES}"
    if path.endswith(".inc"):
        return
    if not any(LICENCE in line for line in lines[:5]):
        yield "error", f"no '{LICENCE}' in the first lines"
    if path.endswith((".hpp", ".h")) and "#pragma once" not in lines:
        # Highway's per-target headers are included once a target and say so.
        if not any("HWY_TARGET_TOGGLE" in line for line in lines):
            yield "error", "no #pragma once"
    if path.endswith(CPP):
        for name, line, length in functions(text):
            if length > MAX_FUNCTION_LINES:
                yield "error", (f"line {line}: {name}() has {length} lines, "
                                f"at most {MAX_FUNCTION_LINES}")


def main(arguments):
    root = pathlib.Path(arguments[1] if len(arguments) > 1 else ".").resolve()
    errors = files = 0
    for path in tracked_files(root):
        full = root / path
        if not path.endswith(CODE) or not full.is_file():
            continue
        files += 1
        for kind, sentence in check_file(path, full.read_text(encoding="utf-8")):
            print(f"{kind}: {path}: {sentence}")
            errors += kind == "error"
    if files == 0:
        print(f"error: no sources below {root}")
        return 1
    print(f"files: {files} checked, {errors} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
