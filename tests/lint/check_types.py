#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that no two files define a type of one name in one namespace.

Such files compile and link, and then one of them runs the code of the other: std::vector<Box> of
four floats with the push_back() of four doubles. Types of one file belong in its unnamed namespace.
Namespaces of Highway's targets and test programs, which link apart, are left out.

usage: check_types.py [ROOT]

Exit status 0 when the rule holds, 1 with one line a finding.
"""
import collections
import pathlib
import re
import sys

OPENED = re.compile(r"^\s*(?:inline\s+)?namespace\s*([\w:]*)\s*\{")
CLOSED = re.compile(r"^\}\s*//\s*namespace")
# Not a specialization (Name<...>), nor the definition of a nested type (Outer::Inner).
DEFINED = re.compile(r"^(?:struct|class|union|enum(?: class)?)\s+(?:alignas\(\w+\)\s+)?(\w+)\s*"
                     r"(?:final\b\s*)?(?::[^:;][^;]*)?\{")


def types_of(text):
    """Qualified names of the types that a file defines for the linker to see."""
    scopes = []
    for line in text.splitlines():
        opened = OPENED.match(line)
        if opened:
            scopes.append(opened.group(1))
            continue
        if CLOSED.match(line):
            if scopes:
                scopes.pop()
            continue
        defined = DEFINED.match(line)
        if defined and "" not in scopes and "HWY_NAMESPACE" not in scopes:
            yield "::".join(scopes + [defined.group(1)])


def findings(files):
    """files: (path, text) of each."""
    where = collections.defaultdict(list)
    for path, text in files:
        for name in dict.fromkeys(types_of(text)):
            where[name].append(path)
    for name, paths in sorted(where.items()):
        if len(paths) > 1:
            yield f"{name} is defined in {' and in '.join(paths)}"


def main(arguments):
    root = pathlib.Path(arguments[1] if len(arguments) > 1 else ".").resolve()
    files = [(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))
             for top in ("include", "src", "transformations")
             for path in sorted((root / top).rglob("*")) if path.suffix in (".cpp", ".hpp", ".h")]
    if not files:
        print(f"error: no sources below {root}")
        return 1
    found = list(findings(files))
    for finding in found:
        print(finding)
    if not found:
        print(f"types: {len(files)} files, no name twice")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
