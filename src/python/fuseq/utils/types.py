# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Element types and numpy's."""
import numpy as np

from .._native import Type


def get_dtype(openvino_type):
    """The numpy type of a Type's memory: bits of bf16 are uint16, packed types are uint8."""
    return openvino_type.to_dtype()


def get_element_type(data_type):
    """The Type of a numpy type, of Python's int (i64), float (f32) or bool, or of a Type's name."""
    return Type({int: np.int64, float: np.float32, bool: np.bool_}.get(data_type, data_type))


__all__ = ["get_dtype", "get_element_type"]
