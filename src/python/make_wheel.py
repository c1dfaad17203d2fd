#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Makes a wheel of a finished build: the Python package, the library, its devices and readers.

usage: make_wheel.py --build build/release --out DIR

What Debian's packages give (oneDNN, TBB, protobuf, ...) is not in it; docs/python.md lists it.
"""
import argparse
import base64
import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

METADATA = """Metadata-Version: 2.1
Name: fuseq
Version: {version}
Summary: Quantized neural networks on x86 CPUs
License: Apache-2.0
Requires-Python: >={python}
Requires-Dist: numpy
"""
WHEEL = """Wheel-Version: 1.0
Generator: make_wheel.py
Root-Is-Purelib: false
Tag: {tag}
"""


def libraries(folder):
    """(name in the wheel, file): each shared library once, by the name that it is loaded by."""
    for path in sorted(folder.glob("libfuseq*.so*")):
        plain = not path.is_symlink() and path.name.endswith(".so")
        by_soname = path.is_symlink() and re.search(r"\.so\.\d+$", path.name)
        if plain or by_soname:
            yield path.name, path.resolve()


def contents(installed):
    """name in the wheel -> bytes"""
    package = next(installed.glob("**/dist-packages/fuseq"), None)
    if package is None:
        sys.exit("error: the build has no Python package (FUSEQ_PYTHON)")
    files = {f"fuseq/{path.relative_to(package).as_posix()}": path.read_bytes()
             for path in sorted(package.rglob("*"))
             if path.is_file() and "__pycache__" not in path.parts}
    library_folder = next(installed.glob("**/libfuseq.so.0")).parent
    for name, path in libraries(library_folder):
        files[f"fuseq/lib/{name}"] = path.read_bytes()
    return files


def tag_of(files):
    """cp311-cp311-linux_x86_64, from _native.cpython-311-x86_64-linux-gnu.so"""
    native = next(name for name in files if name.startswith("fuseq/_native."))
    number = re.search(r"cpython-(\d+)", native).group(1)
    return f"cp{number}-cp{number}-linux_x86_64", f"{number[0]}.{number[1:]}"


def record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
    return f"{name},sha256={digest},{len(data)}"


def write_wheel(files, version, out):
    tag, python = tag_of(files)
    info = f"fuseq-{version}.dist-info"
    files[f"{info}/METADATA"] = METADATA.format(version=version, python=python).encode()
    files[f"{info}/WHEEL"] = WHEEL.format(tag=tag).encode()
    record = [record_line(name, data) for name, data in files.items()] + [f"{info}/RECORD,,"]
    files[f"{info}/RECORD"] = ("\n".join(record) + "\n").encode()
    wheel = out / f"fuseq-{version}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)  # with a fixed date: equal builds give equal wheels
            entry.external_attr = (0o755 if ".so" in name else 0o644) << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return wheel


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    cache = (arguments.build / "CMakeCache.txt").read_text()
    version = re.search(r"^CMAKE_PROJECT_VERSION:STATIC=(.*)$", cache, re.MULTILINE).group(1)
    arguments.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as prefix:
        subprocess.run(["cmake", "--install", arguments.build, "--prefix", prefix], check=True,
                       stdout=subprocess.DEVNULL)
        print(write_wheel(contents(pathlib.Path(prefix)), version, arguments.out))


if __name__ == "__main__":
    main()
