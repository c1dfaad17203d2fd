#!/usr/bin/python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""A small Inception V3 of u8, made here of the same random numbers: every tensor has the bytes that TFLite 2.9 computed (inception_v3_u8.tsv, written by
make_inception.py --size 75 --width 0.125 --library ...).

    inception_test.py INFER DEVICE
"""
import importlib.util
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
HERE = pathlib.Path(__file__).resolve().parent


def main():
    infer, device = sys.argv[1:]
    if shutil.which("flatc") is None or importlib.util.find_spec("numpy") is None:
        print("skipped: no flatc, or no numpy")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, HERE / "make_inception.py", folder, "--size", "75", "--width", "0.125", "--table",
                        HERE / "inception_v3_u8.tsv"], check=True)
        result = subprocess.run([sys.executable, HERE / "compare_tensors.py", "--infer", infer, "--models", folder,
                                 "--runtime", "tflite_builtin", "--device", device, "inception_v3_u8"],
                                check=False, capture_output=True, text=True)
    print(result.stdout, result.stderr)
    return 0 if "126 integer equal, 0 integer different" in result.stdout else 1


if __name__ == "__main__":
    sys.exit(main())
