# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the models and inputs that the pages speak of: scratch_models.py FOLDER"""
import pathlib
import shutil
import sys

import numpy as np

import fuseq as ov

FLOAT = """model "float"
    %x = Parameter : f32[1,3,16,16]
    %w = Const value=random(1) : f32[8,3,3,3]
    %c = Convolution(%x, %w) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
    %y = ReLU(%c)
    %v = Const value=random(2) : f32[4,8,3,3]
    %d = Convolution(%y, %v) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
    %r = Result(%d)"""

# A running sum, in place of a recurrent network.
STATE = """model "state"
    %x = Parameter : f32[1,4]
    %zero = Const value={0,0,0,0} : f32[1,4]
    %old = ReadValue.6(%zero) variable_id="total"
    %new = Add(%old, %x)
    %keep = Assign.6(%new) variable_id="total"
    %r = Result(%new)"""


def save_input(folder, name, shape, seed):
    folder.mkdir(parents=True, exist_ok=True)
    values = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    np.save(folder / f"{name}.npy", values)


def main(folder):
    samples = folder / "samples/models"
    for ending in ("xml", "bin"):
        shutil.copy(samples / f"residual_cnn.{ending}", folder / f"model.{ending}")
    shutil.copytree(samples / "residual_cnn_input", folder / "in")
    ov.save_model(ov.Model.from_text(FLOAT), folder / "float.xml")
    for name in ("lstm", "decoder"):
        ov.save_model(ov.Model.from_text(STATE), folder / f"{name}.xml")
    for number in range(4):
        save_input(folder / f"data/{number:03}", "x", (1, 3, 16, 16), number)
    for name in ("step0", "step1", "step2", "a", "b"):
        save_input(folder / name, "x", (1, 4), 0)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
