# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""A Python that the package does not fit is told so."""
import importlib.util

import pytest

import fuseq.interpreter


def without(monkeypatch, module):
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == module else found(name))


def test_this_python_fits():
    fuseq.interpreter.check()


def test_a_python_of_another_version_is_refused(monkeypatch, tmp_path):
    (tmp_path / "_native.cpython-39-x86_64-linux-gnu.so").touch()
    without(monkeypatch, "fuseq._native")
    with pytest.raises(ImportError, match=r"fuseq is not built for /.* \(Python 3\.\d+\): there is _native.cpython-39-x86_64-linux-gnu.so; docs/python.md"):
        fuseq.interpreter.check(tmp_path)


def test_a_python_without_numpy_is_refused(monkeypatch):
    without(monkeypatch, "numpy")
    with pytest.raises(ImportError, match="fuseq needs numpy, which /.* does not have; docs/python.md"):
        fuseq.interpreter.check()
