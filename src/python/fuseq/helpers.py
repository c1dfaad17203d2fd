# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Arrays of elements smaller than a byte, as models store them."""
import numpy as np

from ._native import Error, Tensor, Type

# Bits of an element, and the values it holds.
_PACKED = {"u1": (1, 0, 1), "u2": (2, 0, 3), "u4": (4, 0, 15), "i4": (4, -8, 7)}


def pack_data(array, type):
    """The elements of a whole-number array as bytes (uint8), for Tensor(bytes, shape, type).

    type: Type.u1, u2, u4 or i4. The last byte is filled with zeros. Raises Error for another type,
    and for values that it does not hold.
    """
    name = Type(type).get_type_name()
    if name not in _PACKED:
        raise Error(f"pack: {name} is not packed, expected one of {', '.join(_PACKED)}")
    bits, low, high = _PACKED[name]
    values = np.asarray(array).reshape(-1)
    if values.size and (values.min() < low or values.max() > high):
        raise Error(f"pack: {name} holds {low} to {high}, got {values.min()} to {values.max()}")
    if bits == 1:
        return np.packbits(values.astype(np.uint8))  # the first element is the highest bit
    each = 8 // bits
    padded = np.zeros(-(-values.size // each) * each, np.uint8)
    padded[:values.size] = values.astype(np.int64) & (2 ** bits - 1)
    shifts = bits * np.arange(each)  # the first element is in the lowest bits
    return np.bitwise_or.reduce(padded.reshape(-1, each) << shifts, axis=1).astype(np.uint8)


def unpack_data(array, type, shape):
    """The elements of such bytes, of that shape, each as uint8 or int8."""
    return Tensor(np.ascontiguousarray(array), list(shape), type).to_numpy()


__all__ = ["pack_data", "unpack_data"]
