#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the public symbols of a library with the list in src/abi, or renews the list.

    tests/install/abi.py build/release/lib/libfuseq.so src/abi/libfuseq.symbols [--update]

Public is what headers in include/fuseq declare and the library defines. A symbol that goes, or changes its name because a
parameter changed, breaks programs built before; a new one needs a line, so that it is noticed. src/abi/version_script.cmake
gives the symbols of the list the version of the ABI, and everything else of Fuseq FUSEQ_PRIVATE.
"""
import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCOPED = re.compile(r"^(?:class|struct|enum class)\s+(?:FUSEQ_\w+\s+)?(\w+)", re.M)
FUNCTION = re.compile(r"^(?!inline|constexpr|template|using|#|//|\s)[\w:<>,&*\s]+?[\s&*](\w+)\(", re.M)
C_FUNCTION = re.compile(r"\b(fuseq_\w+)\s*\(")


def public_names(headers):
    """Names of classes and of free functions at namespace scope, and functions of the C API."""
    scoped, functions, of_c = set(), set(), set()
    for header in headers:
        text = header.read_text()
        if header.suffix == ".h":
            of_c.update(C_FUNCTION.findall(text))
        else:
            scoped.update(SCOPED.findall(text))
            functions.update(FUNCTION.findall(text))
    return scoped, functions, of_c


def defined_symbols(library):
    """Mangled names of the dynamic symbols of a library, without versions.

    Not the weak ones: inline functions, which each program has too, and which a library has or not by how it was optimized."""
    lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True)
    symbols = (line.split()[-2:] for line in lines.stdout.splitlines())
    return sorted({name.split("@")[0] for kind, name in symbols if kind in "TDRB"})


def is_public(text, scoped, functions, of_c):
    """Whether a demangled name belongs to the public headers."""
    if text in of_c:
        return True
    text = re.sub(r"^(typeinfo|typeinfo name|vtable|guard variable) for ", "", text)
    match = re.match(r"fuseq::(?:detail::|preprocess::)?(\w+)(::|\(|$|\[abi)", text)
    if not match:
        return False
    name, after = match.groups()
    return name in scoped if after in ("::", "") else name in functions or name in scoped


def public_symbols(library):
    names = defined_symbols(library)
    demangled = subprocess.run(["c++filt"], check=True, capture_output=True, text=True, input="\n".join(names))
    known = public_names(sorted((ROOT / "include/fuseq").glob("*.h*")))
    return [name for name, text in zip(names, demangled.stdout.splitlines()) if is_public(text, *known)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("symbols", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    today = public_symbols(options.library)
    if not today:
        sys.exit(f"error: no public symbols in {options.library}")
    if options.update:
        options.symbols.write_text("\n".join(today) + "\n")
        return
    listed = options.symbols.read_text().split()
    gone, new = sorted(set(listed) - set(today)), sorted(set(today) - set(listed))
    for what, names in (("gone", gone), ("not listed", new)):
        for name in names:
            text = subprocess.run(["c++filt", name], check=True, capture_output=True, text=True).stdout.strip()
            print(f"{what}: {text} ({name})")
    if gone or new:
        sys.exit(f"error: {options.symbols}: {len(gone)} gone, {len(new)} not listed; --update renews the list")
    print(f"{options.library}: {len(today)} public symbols, as listed")


if __name__ == "__main__":
    main()
