# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Models that the tests of the package share. Expected values come from numpy."""
import pathlib

import numpy as np
import pytest

import fuseq as ov

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def core():
    return ov.Core()


@pytest.fixture(scope="session")
def cnn_path():
    return ROOT / "samples/models/residual_cnn.xml"


@pytest.fixture(scope="session")
def cnn_image():
    return np.load(ROOT / "samples/models/residual_cnn_input/image.npy")


@pytest.fixture
def affine(core):
    """y = 2 a + b, z = a - b, for f32[2,3]."""
    return core.compile_model(ov.Model.from_text("""model "affine"
        %a = Parameter : f32[2,3] "first"
        %b = Parameter : f32[2,3] "second"
        %two = Const value={2} : f32[]
        %twice = Multiply(%a, %two)
        %sum = Add(%twice, %b) : f32[2,3] "y"
        %difference = Subtract(%a, %b) : f32[2,3] "z"
        %r0 = Result(%sum)
        %r1 = Result(%difference)"""))


@pytest.fixture
def doubled(core):
    """y = x + x, for f32 of any number of rows of 4."""
    return core.compile_model(ov.Model.from_text("""model "doubled"
        %x = Parameter : f32[?,4] "x"
        %sum = Add(%x, %x) : f32[?,4] "y"
        %r = Result(%sum)"""))


@pytest.fixture
def counter(core):
    """out = v + x; v = v + x."""
    return core.compile_model(ov.Model.from_text("""model "counter"
        %x = Parameter : f32[2]
        %v = ReadValue.6 variable_id="v" variable_type=f32 variable_shape=[2]
        %sum = Add(%v, %x)
        %keep = Assign.6(%sum) variable_id="v"
        %out = Result(%sum)"""))


def echo_model(core, element_type, device="CPU"):
    """y = x, for two rows of a type."""
    return core.compile_model(ov.Model.from_text(f"""model "echo"
        %x = Parameter : {element_type}[2,2] "x"
        %shape = Const value={{4}} : i64[1]
        %y = Reshape(%x, %shape) special_zero=false : {element_type}[4] "y"
        %r = Result(%y)"""), device)
