#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that sources which the quick build compiles together have no local name in common.

The compiler finds such names only when both files are in one group of 16, so that a new file breaks
a build that it has nothing to do with. Functions may share a name where their parameters differ.

usage: check_local_names.py [ROOT]

Exit status 0 when the rule holds, 1 with one line a finding.
"""
import collections
import pathlib
import re
import sys

from check_types import CLOSED, DEFINED, OPENED

ALIAS = re.compile(r"^using (\w+) = (.*)")
CONSTANT = re.compile(r"^(?:static |inline )*(?:constexpr|const) [\w:<>,* ]+?[ *&](\w+)(?:\[\w*\])? ?[={]")
ENUM = re.compile(r"^enum(?! class)[^{]*\{(.*)\}")
FUNCTION = re.compile(r"^(?!using|return|template|#|//)[\w:<>,*& \[\]]+[ *&](\w+)\((.*)")
TOGETHER = re.compile(r"fuseq_(?:quick_build|runs_once)\([^)]*TOGETHER")
# Folders of src/cpu: a call of its own, or a list.
CPU = re.compile(r"(?:foreach\(folder ([^)]*)\)\s*)?fuseq_cpu_folder\((\S+)[^)]*TOGETHER")


def parameter_types(text):
    """The types of a parameter list that begins after its parenthesis."""
    depth, part, parts = 0, "", []
    for letter in text:
        depth += (letter in "(<{[") - (letter in ")>}]")
        if depth < 0 or (letter == "," and depth == 0):
            parts.append(part)
            part = ""
            if depth < 0:
                break
        else:
            part += letter
    return ", ".join(re.sub(r"\s*\b\w+$", "", part.split("=")[0].strip()) for part in parts)


def local_names(text):
    """(qualified name, parameters; the definition of an alias; else empty) of unnamed namespaces."""
    scopes = []
    lines = text.splitlines()
    for i, line in enumerate(lines):
        if opened := OPENED.match(line):
            scopes.append(opened.group(1))
        elif CLOSED.match(line) and scopes:
            scopes.pop()
        elif "" in scopes:
            whole = " ".join(part.strip() for part in lines[i:i + 12])
            prefix = "::".join([scope for scope in scopes if scope] + [""])
            if alias := ALIAS.match(line):
                yield prefix + alias.group(1), alias.group(2)
            elif found := DEFINED.match(line) or CONSTANT.match(line):
                yield prefix + found.group(1), ""
            elif found := FUNCTION.match(whole) if line[:1].isalpha() and "(" in line else None:
                yield prefix + found.group(1), f"({parameter_types(found.group(2))})"
            if enum := ENUM.match(line):
                for name in re.findall(r"(\w+)(?: = [^,]*)?(?:,|$)", enum.group(1).strip()):
                    yield prefix + name, ""


def findings(files):
    """files: (path, text) of each source of one group."""
    where = collections.defaultdict(lambda: collections.defaultdict(list))
    for path, text in files:
        for name, form in dict.fromkeys(local_names(text)):
            where[name][form].append(path)
    for name, forms in sorted(where.items()):
        for form, paths in forms.items():
            # The same alias twice is no error.
            if len(paths) > 1 and form[:1] in ("", "("):
                yield f"{name}{form} is local to {' and to '.join(paths)}"
        if len(forms) > 1 and any(form[:1] != "(" for form in forms):
            paths = sorted({path for paths in forms.values() for path in paths})
            if len(paths) > 1:
                yield f"{name} is something else in each of {' and '.join(paths)}"


def groups(root):
    """The sources of each target that is compiled together."""
    for cmake in [*sorted(root.glob("src/**/CMakeLists.txt")), root / "transformations" / "CMakeLists.txt"]:
        text = cmake.read_text(encoding="utf-8")
        if cmake.parent == root / "src" / "cpu":
            for call in CPU.finditer(text):
                for folder in (call.group(1) or call.group(2)).split():
                    yield sorted((cmake.parent / folder).glob("*.cpp"))
        elif TOGETHER.search(text):
            yield sorted(cmake.parent.rglob("*.cpp"))


def main(arguments):
    root = pathlib.Path(arguments[1] if len(arguments) > 1 else ".").resolve()
    count, found = 0, []
    for paths in groups(root):
        count += len(paths)
        found += findings([(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")) for path in paths])
    for finding in found:
        print(finding)
    if count == 0:
        print(f"error: no sources below {root}")
    elif not found:
        print(f"local names: {count} files, no two in one namespace")
    return 1 if found or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
