# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Model, its ports and layers; reading and writing."""
import io

import numpy as np
import pytest

import fuseq as ov


@pytest.fixture
def model(core, cnn_path):
    return core.read_model(cnn_path)


def test_an_ir_ends_in_xml(model, tmp_path):
    with pytest.raises(ov.Error, match="model.txt' does not end in .xml"):
        ov.save_model(model, tmp_path / "model.txt")
    assert not list(tmp_path.iterdir())


def test_ports_have_names_types_and_shapes(model):
    port = model.input()
    assert port.any_name == "image" and port.get_names() == {"image"}
    assert port.element_type == ov.Type.f32 and port.shape == [1, 3, 64, 64]
    assert model.input(0) == model.input("image") == model.inputs[0]
    assert len({model.input(0), model.input("image")}) == 1
    assert port.node.get_type_name() == "Parameter"


def test_layers_come_producers_first_with_their_attributes(model):
    ops = model.get_ordered_ops()
    kinds = [op.get_type_name() for op in ops]
    assert "Convolution" in kinds and kinds.index("Parameter") < kinds.index("Convolution")
    convolution = ops[kinds.index("Convolution")]
    attributes = convolution.get_attributes()
    assert len(attributes["strides"]) == 2 and attributes["auto_pad"] == "explicit"
    assert convolution.output(0).partial_shape.is_static
    assert model.get_parameters()[0].friendly_name == "image"
    assert len(model.get_results()) == len(model.outputs)


def test_constants_give_their_values():
    model = ov.Model.from_text("""model "m"
        %x = Parameter : f32[2]
        %c = Const value={1,2} : f32[2]
        %sum = Add(%x, %c)
        %r = Result(%sum)""")
    constant = next(op for op in model.get_ops() if op.name == "c")
    np.testing.assert_array_equal(constant.data, np.array([1, 2], np.float32))
    with pytest.raises(ov.Error):
        _ = model.get_results()[0].data


@pytest.mark.parametrize("shapes", [[2, 3, 64, 64], "[2,3,64,64]", ov.PartialShape([2, 3, 64, 64]),
                                    {"image": [2, 3, 64, 64]}, {0: (2, 3, 64, 64)}])
def test_reshape_takes_every_form(model, shapes):
    model.reshape(shapes)
    assert model.input().shape == [2, 3, 64, 64]
    assert model.output(0).shape[0] == 2


def test_a_refused_shape_leaves_the_model(model):
    with pytest.raises(ov.Error):
        model.reshape([1, 4, 64, 64])
    assert model.input().shape == [1, 3, 64, 64]
    with pytest.raises(ov.Error, match="no input 'picture'; inputs: 'image'"):
        model.reshape({"picture": [1, 3, 64, 64]})


def test_a_layer_becomes_an_output(model):
    name = next(op.name for op in model.get_ordered_ops() if op.get_type_name() == "Convolution")
    before = len(model.outputs)
    added = model.add_outputs(name)
    assert len(model.outputs) == before + 1 and added[0].node.name == name


def test_dynamic_models_say_so(model):
    assert not model.is_dynamic()
    model.reshape([-1, 3, 64, 64])
    assert model.is_dynamic() and model.input().partial_shape[0].is_dynamic
    with pytest.raises(ov.Error):
        _ = model.input().shape


def test_models_are_read_from_paths_bytes_and_files(core, cnn_path, model):
    xml, weights = cnn_path.read_bytes(), cnn_path.with_suffix(".bin").read_bytes()
    binary = np.frombuffer(weights, np.uint8)
    text = model.to_text()
    assert core.read_model(str(cnn_path)).to_text() == text
    assert core.read_model(cnn_path, cnn_path.with_suffix(".bin")).to_text() == text
    assert core.read_model(xml, weights).to_text() == text
    assert core.read_model(io.BytesIO(xml), io.BytesIO(weights)).to_text() == text
    assert core.read_model(xml.decode(), ov.Tensor(binary)).to_text() == text
    assert ov.read_model(cnn_path).to_text() == text


def test_a_saved_model_reads_back(core, model, tmp_path):
    ov.save_model(model, tmp_path / "saved.xml")
    assert core.read_model(tmp_path / "saved.xml").to_text() == model.to_text()
    ov.serialize(model, tmp_path / "a.xml", tmp_path / "b.bin", "IR_V10")
    assert core.read_model(tmp_path / "a.xml", tmp_path / "b.bin").input().shape == [1, 3, 64, 64]
    with pytest.raises(ov.Error, match="compress_to_fp16"):
        ov.save_model(model, tmp_path / "saved.xml", compress_to_fp16=True)
    with pytest.raises(ov.Error, match="expected one of UNSPECIFIED, IR_V10, IR_V11"):
        ov.serialize(model, tmp_path / "a.xml", version="IR_V7")


def test_bad_files_say_which_and_why(core, tmp_path):
    with pytest.raises(ov.Error, match="missing.xml") as caught:
        core.read_model(tmp_path / "missing.xml")
    assert caught.value.stage == "read" and caught.value.file.endswith("missing.xml")
    assert isinstance(caught.value, RuntimeError)
    with pytest.raises(TypeError, match="model: got <class 'int'>, a path, bytes"):
        core.read_model(7)
    with pytest.raises(TypeError, match="no keyword 'weight'; did you mean 'weights'"):
        core.read_model(tmp_path / "x.xml", weight="x.bin")


def test_other_frameworks_models_are_refused():
    with pytest.raises(TypeError, match="export the model to ONNX"):
        ov.convert_model(object())


def test_a_port_keeps_its_model(core, cnn_path):
    port = core.read_model(cnn_path).input()
    assert port.any_name == "image" and port.node.output().shape == [1, 3, 64, 64]
