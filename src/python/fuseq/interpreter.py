# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Refuses a Python that the package does not fit, in words that help: there may be several on a machine."""
import importlib.util
import pathlib
import sys

_HINT = "docs/python.md says which Python it is for"


def check(folder=None):
    """Raises ImportError without numpy, or where the native part is of another Python."""
    this = f"{sys.executable} (Python {sys.version_info.major}.{sys.version_info.minor})"
    if importlib.util.find_spec("numpy") is None:
        raise ImportError(f"fuseq needs numpy, which {this} does not have; {_HINT}")
    if importlib.util.find_spec("fuseq._native") is None:
        files = (folder or pathlib.Path(__file__).parent).glob("_native*.so")
        built = ", ".join(sorted(file.name for file in files)) or "nothing"
        raise ImportError(f"fuseq is not built for {this}: there is {built}; {_HINT}")
