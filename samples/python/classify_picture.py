#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""What is in a picture? Preprocessing becomes part of the model, so a call takes the bytes of any size:

    PYTHONPATH=build/release/python python3 samples/python/classify_picture.py \
        samples/models/residual_cnn.xml samples/models/residual_cnn_picture.bmp

Nothing but numpy is needed. Any other reader, such as PIL's or OpenCV's, gives such an array too.
"""
import pathlib
import sys

import numpy as np

import fuseq as ov


def read_bmp(path):
    """The bytes [height, width, 3] of a bmp of 24 bits, in the order red, green, blue."""
    data = pathlib.Path(path).read_bytes()
    start, width, height, bits = (int.from_bytes(data[at:at + size], "little") for at, size in
                                  ((10, 4), (18, 4), (22, 4), (28, 2)))
    if data[:2] != b"BM" or bits != 24 or height >= 2 ** 31:
        raise ValueError(f"{path} is no bmp of 24 bits with its rows from the bottom")
    row = (3 * width + 3) // 4 * 4  # filled up to whole words
    rows = np.frombuffer(data, np.uint8, row * height, start).reshape(height, row)
    return rows[::-1, :3 * width].reshape(height, width, 3)[..., ::-1]


def main(model_path, picture_path, device="CPU"):
    picture = np.ascontiguousarray(read_bmp(picture_path)[np.newaxis])
    core = ov.Core()
    ppp = ov.preprocess.PrePostProcessor(core.read_model(model_path))
    ppp.input().tensor().set_shape(picture.shape).set_element_type(ov.Type.u8).set_layout("NHWC")
    ppp.input().preprocess().convert_element_type(ov.Type.f32).resize(ov.preprocess.ResizeAlgorithm.RESIZE_LINEAR)
    ppp.input().model().set_layout("NCHW")
    scores = core.compile_model(ppp.build(), device)(picture)[0].reshape(-1)
    for index in scores.argsort()[::-1][:3]:
        print(f"class {index}: {scores[index]:.4f}")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: classify_picture.py MODEL PICTURE [DEVICE]")
    try:
        main(*sys.argv[1:])
    except (ov.Error, OSError, ValueError) as error:
        sys.exit(f"error: {error}")
