# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Type, Shape, PartialShape, Dimension."""
import pickle

import copy

import numpy as np
import pytest

import fuseq as ov

PAIRS = [("boolean", np.bool_), ("u8", np.uint8), ("i8", np.int8), ("u16", np.uint16),
         ("i16", np.int16), ("u32", np.uint32), ("i32", np.int32), ("u64", np.uint64),
         ("i64", np.int64), ("f16", np.float16), ("f32", np.float32), ("f64", np.float64)]


@pytest.mark.parametrize("name,dtype", PAIRS)
def test_a_type_is_made_of_a_dtype_and_back(name, dtype):
    element_type = getattr(ov.Type, name)
    assert ov.Type(dtype) == element_type
    assert ov.Type(np.dtype(dtype)) == element_type
    assert element_type.to_dtype() == np.dtype(dtype)
    assert element_type.size == np.dtype(dtype).itemsize
    assert element_type.get_type_name() == name
    assert str(element_type) == name


def test_types_compare_hash_print_and_pickle():
    assert ov.Type.f32 == np.float32 and ov.Type.f32 != ov.Type.f16
    assert len({ov.Type.f32, ov.Type(np.float32), ov.Type.u8}) == 2
    assert repr(ov.Type.f32) == "<Type: 'float32'>"
    assert pickle.loads(pickle.dumps(ov.Type.i4)) == ov.Type.i4
    assert ov.Type("FP32") == ov.Type.f32


def test_packed_types_and_bf16_are_seen_as_bits():
    assert ov.Type.u4.bitwidth == 4 and ov.Type.u4.to_dtype() == np.uint8
    assert ov.Type.bf16.bitwidth == 16 and ov.Type.bf16.to_dtype() == np.uint16
    assert ov.Type.bf16.is_real() and not ov.Type.u4.is_real()


@pytest.mark.parametrize("value", [np.complex64, object, "no_type", np.dtype(">f4"), 7])
def test_what_no_tensor_holds_is_no_type(value):
    with pytest.raises(TypeError, match="is no element type"):
        ov.Type(value)


def test_a_partial_shape_is_made_of_lists_and_text():
    shape = ov.PartialShape([1, -1, (2, 8), "3..", ov.Dimension(5)])
    assert str(shape) == "[1,?,2..8,3..,5]"
    assert shape == ov.PartialShape("[1,?,2..8,3..,5]")
    assert shape == "1,?,2..8,3..,5"
    assert len(shape) == 5 and shape.is_dynamic and not shape.is_static
    assert shape[2] == ov.Dimension(2, 8) and shape[-1] == 5
    assert shape.get_max_shape() == [1, -1, 8, -1, 5]
    assert ov.PartialShape.dynamic().rank.is_dynamic


def test_a_partial_shape_holds_others():
    wide = ov.PartialShape([1, (2, 8)])
    assert wide.relaxes([1, 3]) and not wide.relaxes([1, 9]) and not wide.relaxes([1, 3, 1])
    assert ov.PartialShape([1, (3, 4)]).refines(wide) and not wide.refines([1, 3])
    assert ov.PartialShape.dynamic().relaxes(wide) and not wide.relaxes(ov.PartialShape.dynamic())
    other = copy.deepcopy(wide)
    other[0] = 5
    assert str(wide) == "[1,2..8]" and str(other) == "[5,2..8]" and copy.copy(wide) == wide


def test_sizes_are_set_and_a_static_shape_is_a_list():
    shape = ov.PartialShape([1, -1])
    shape[1] = 7
    assert shape.to_shape() == [1, 7] and shape.is_static
    assert isinstance(shape.to_shape(), ov.Shape)
    assert ov.Shape("[2,3]") == (2, 3) and ov.Shape([2, 3]) != [3, 2]
    assert str(ov.Shape([2, 3])) == "[2,3]"


def test_what_is_no_shape_is_refused():
    with pytest.raises(TypeError, match="is no dimension"):
        ov.PartialShape([1.5])
    with pytest.raises(TypeError, match="is no shape"):
        ov.PartialShape(3)
    with pytest.raises(ov.Error):
        ov.PartialShape("[1,x]")
    with pytest.raises(ov.Error):
        ov.PartialShape([-1]).to_shape()
    with pytest.raises(IndexError, match="no dimension 2"):
        ov.PartialShape([1, 2])[2]
    with pytest.raises(TypeError):
        ov.Shape([1.5])
