# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Preprocessing and layouts, against numpy."""
import ast
import pathlib

import numpy as np
import pytest

import fuseq as ov
import fuseq.preprocess
from fuseq.layout_helpers import get_layout, set_layout
from fuseq.preprocess import ColorFormat, PaddingMode, PrePostProcessor, ResizeAlgorithm


def network():
    return ov.Model.from_text("""model "net"
        %x = Parameter : f32[1,3,4,6]
        %y = ReLU(%x)
        %r = Result(%y)""")


def run(model, image):
    return ov.compile_model(model, "CPU")(image)[0]


def test_a_picture_becomes_what_the_model_expects():
    ppp = PrePostProcessor(network())
    ppp.input().tensor().set_element_type(ov.Type.u8).set_layout(ov.Layout("NHWC")) \
        .set_color_format(ColorFormat.BGR)
    ppp.input().preprocess().convert_element_type(ov.Type.f32).convert_color(ColorFormat.RGB) \
        .mean([1, 2, 3]).scale(2.0)
    ppp.input("x").model().set_layout("NCHW")
    ppp.output().tensor().set_layout(ov.Layout("NHWC"))
    ppp.output(0).model().set_layout("NCHW")
    assert str(ppp).startswith("input 'x': u8 [N,H,W,C] BGR -> ")
    model = ppp.build()
    image = np.arange(72, dtype=np.uint8).reshape(1, 4, 6, 3)
    expected = np.maximum((image[..., ::-1].astype(np.float32) - [1, 2, 3]) / 2, 0)
    np.testing.assert_allclose(run(model, image), expected, rtol=1e-6)


def test_steps_on_the_shape_do_what_numpy_does():
    ppp = PrePostProcessor(network())
    ppp.input().tensor().set_shape([1, 3, 3, 8])
    ppp.input().preprocess().crop([0, 0, 0, 2], [1, 3, 3, 8]).pad([0, 0, 1, 0], [0, 0, 0, 0], 5.0, PaddingMode.CONSTANT)
    image = np.arange(72, dtype=np.float32).reshape(1, 3, 3, 8)
    expected = np.pad(image[..., 2:], ((0, 0), (0, 0), (1, 0), (0, 0)), constant_values=5)
    np.testing.assert_array_equal(run(ppp.build(), image), expected)


def test_dimensions_are_reordered_and_pictures_resized():
    ppp = PrePostProcessor(network())
    ppp.input().tensor().set_from(np.zeros((1, 2, 3, 3), np.float32)).set_layout("NHWC")
    ppp.input().preprocess().resize(ResizeAlgorithm.RESIZE_NEAREST, 4, 6).convert_layout([0, 3, 1, 2])
    image = np.arange(18, dtype=np.float32).reshape(1, 2, 3, 3)
    expected = image.repeat(2, axis=1).repeat(2, axis=2).transpose(0, 3, 1, 2)
    np.testing.assert_array_equal(run(ppp.build(), image), expected)


def test_parts_keep_the_processor():
    info = PrePostProcessor(network()).input().tensor()
    assert info.set_layout("NCHW") is info


def test_wrong_steps_say_what_is_wrong_and_change_nothing():
    model = network()
    before = model.to_text()
    ppp = PrePostProcessor(model)
    ppp.input().preprocess().mean([1, 2])
    with pytest.raises(ov.Error, match="input 'x'"):
        ppp.build()
    assert model.to_text() == before
    with pytest.raises(ov.Error, match="'z'"):
        PrePostProcessor(model).input("z")
    with pytest.raises(TypeError):
        ppp.input().tensor().set_color_format("BGR")


def test_layouts():
    layout = ov.Layout("N...C")
    assert str(layout) == "[N,...,C]"
    assert layout.get_index_by_name("C") == -1 and layout.has_name("N") and not layout.empty
    assert layout == ov.Layout("[N, ..., C]") and hash(layout) == hash(ov.Layout("n...c"))
    with pytest.raises(ov.Error, match="(?i)twice|NN"):
        ov.Layout("NNHW")
    model = network()
    assert get_layout(model.input()).empty
    set_layout(model.input(), ov.Layout("NCHW"))
    assert get_layout(model.input()) == ov.Layout("NCHW")
    with pytest.raises(ov.Error):
        set_layout(model.input(), "NC")


def test_stubs_have_the_members_of_the_classes():
    stub = pathlib.Path(fuseq.preprocess.__file__).with_suffix(".pyi")
    classes = {node.name: node for node in ast.parse(stub.read_text()).body if isinstance(node, ast.ClassDef)}
    assert set(classes) == set(fuseq.preprocess.__all__)
    for name, node in classes.items():
        cls = getattr(fuseq.preprocess, name)
        stubbed = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
        stubbed |= {item.target.id for item in node.body if isinstance(item, ast.AnnAssign)}
        known = set(cls.__members__) if hasattr(cls, "__members__") else {m for m in vars(cls) if m[0] != "_"}
        assert {member for member in stubbed if member[0] != "_"} == known, name
        assert cls.__doc__
