# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Tensor: memory shared with numpy in both directions."""
import gc
import weakref

import numpy as np
import pytest

import fuseq as ov


def test_shared_memory_is_seen_from_both_sides():
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    tensor = ov.Tensor(array, shared_memory=True)
    array[0, 0] = 41
    assert tensor.data[0, 0] == 41
    tensor.data[1, 2] = 43
    assert array[1, 2] == 43
    assert tensor.data.__array_interface__["data"] == array.__array_interface__["data"]


def test_a_copy_is_apart():
    array = np.arange(6, dtype=np.int32)
    tensor = ov.Tensor(array)
    array[0] = 7
    assert tensor.data[0] == 0


def test_shared_memory_keeps_the_array():
    class Array(np.ndarray):
        pass

    array = np.ones(8, np.float32).view(Array)
    alive = weakref.ref(array)
    tensor = ov.Tensor(array, shared_memory=True)
    view = tensor.data
    del array, tensor
    gc.collect()
    assert alive() is not None
    assert view.sum() == 8
    del view
    gc.collect()
    assert alive() is None


def test_data_outlives_its_tensor():
    data = ov.Tensor(ov.Type.f32, [1000]).data
    gc.collect()
    data[:] = 3
    assert data.sum() == 3000


def test_a_tensor_of_a_type_and_shape_is_zeros():
    tensor = ov.Tensor(ov.Type.f32, ov.Shape([2, 2]))
    assert tensor.shape == [2, 2] and tensor.element_type == ov.Type.f32
    assert tensor.size == 4 and tensor.byte_size == 16
    assert tuple(tensor.strides) == (8, 4)
    np.testing.assert_array_equal(tensor.data, np.zeros((2, 2)))
    assert ov.Tensor(np.uint8, [3]).element_type == ov.Type.u8


def test_read_only_arrays_stay_read_only():
    array = np.frombuffer(b"\1\2\3\4", np.uint8)
    tensor = ov.Tensor(array, shared_memory=True)
    assert not tensor.data.flags.writeable
    np.testing.assert_array_equal(tensor.data, [1, 2, 3, 4])


def test_packed_types_take_bytes():
    tensor = ov.Tensor(np.array([0x21, 0x03], np.uint8), [3], ov.Type.u4)
    assert tensor.element_type == ov.Type.u4 and tensor.shape == [3]
    np.testing.assert_array_equal(tensor.to_numpy(), [1, 2, 3])
    np.testing.assert_array_equal(np.asarray(tensor), [1, 2, 3])


def test_every_order_can_be_copied_from():
    array = np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3))
    np.testing.assert_array_equal(ov.Tensor(array).data, array)
    np.testing.assert_array_equal(ov.Tensor(array[:, ::2]).data, array[:, ::2])


def test_copy_from_and_copy_to():
    tensor = ov.Tensor(ov.Type.f32, [2])
    tensor.copy_from(np.array([1, 2], np.float32))
    other = ov.Tensor(ov.Type.f32, [2])
    tensor.copy_to(other)
    np.testing.assert_array_equal(other.data, [1, 2])
    with pytest.raises(ov.Error, match=r"got f64 \[2\], this tensor is f32 \[2\]"):
        tensor.copy_from(np.zeros(2))


def test_owned_memory_grows_and_shared_memory_does_not():
    tensor = ov.Tensor(ov.Type.f32, [2])
    tensor.shape = [5]
    assert tensor.data.shape == (5,)
    shared = ov.Tensor(np.zeros(2, np.float32), shared_memory=True)
    with pytest.raises(ov.Error):
        shared.shape = [3]


@pytest.mark.parametrize("array,text", [
    (np.zeros((2, 3), np.float32).T, r"float32 \[3,2\] in Fortran order.*C order"),
    (np.zeros((4, 4), np.float32)[:, ::2], r"float32 \[4,2\] with gaps.*C order"),
    (np.zeros(2, np.complex64), r"no tensor holds complex64 \[2\]"),
    (np.zeros(2, ">f4"), "no tensor holds >f4"),
    (np.array(["a"]), "no tensor holds <U1"),
])
def test_an_array_that_cannot_be_shared_says_why(array, text):
    with pytest.raises(ov.Error, match=text):
        ov.Tensor(array, shared_memory=True)


def test_bytes_of_a_wrong_number_are_refused():
    with pytest.raises(ov.Error, match=r"2 bytes; u4 \[5\] takes 3 bytes"):
        ov.Tensor(np.zeros(2, np.uint8), [5], ov.Type.u4)


def test_an_unknown_keyword_names_the_nearest():
    with pytest.raises(TypeError, match="no keyword 'share_memory'; did you mean 'shared_memory'"):
        ov.Tensor(np.zeros(2, np.float32), share_memory=True)
