# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""What users install: a wheel with pip, and the package of cmake --install."""
import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

from conftest import ROOT

BUILD = os.environ.get("FUSEQ_BUILD_DIR")
pytestmark = pytest.mark.skipif(not BUILD, reason="FUSEQ_BUILD_DIR names no finished build")

PROGRAM = f"""
import numpy as np, fuseq as ov, fuseq.runtime, fuseq.properties.hint
compiled = ov.Core().compile_model({str(ROOT / "samples/models/residual_cnn.xml")!r})
print(ov.__file__, compiled(np.load({str(ROOT / "samples/models/residual_cnn_input/image.npy")!r}))[0].shape)
"""


def runs_in(folder, tmp_path):
    """From another folder, so that nothing of the tree is found."""
    run = subprocess.run([sys.executable, "-c", PROGRAM], cwd=tmp_path, capture_output=True, text=True,
                         env={**os.environ, "PYTHONPATH": str(folder)}, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith(str(folder)) and "(1, 10)" in run.stdout


def test_a_wheel_is_installed_and_used(tmp_path):
    if importlib.util.find_spec("pip") is None:
        pytest.skip("python3-pip is not installed")
    made = subprocess.run([sys.executable, ROOT / "src/python/make_wheel.py", "--build", BUILD,
                           "--out", tmp_path], capture_output=True, text=True, check=True)
    wheel = pathlib.Path(made.stdout.strip())
    assert wheel.name.startswith("fuseq-") and wheel.suffix == ".whl"
    subprocess.run([sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "-q",
                    "--target", tmp_path / "site", wheel], check=True)
    runs_in(tmp_path / "site", tmp_path)


def test_the_installed_package_is_used(tmp_path):
    subprocess.run(["cmake", "--install", BUILD, "--prefix", tmp_path / "usr"], check=True,
                   stdout=subprocess.DEVNULL)
    package, = (tmp_path / "usr").glob("**/dist-packages")
    runs_in(package, tmp_path)
