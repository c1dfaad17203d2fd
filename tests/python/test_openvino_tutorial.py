# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Programs with the calls of OpenVINO's tutorial of its Python API and of its benchmark samples, with the import changed.

The forms of calls are those of the public documentation of OpenVINO 2024; models and what is expected are the
project's.
"""
import copy
import io
import statistics
from time import perf_counter

import numpy as np
import pytest

import fuseq as ov
from fuseq.utils.types import get_dtype


@pytest.fixture
def two_inputs():
    """sum = 2 a + b."""
    return ov.Model.from_text("""model "sums"
        %a = Parameter : f32[1,3] "a"
        %b = Parameter : f32[1,3] "b"
        %two = Const value={2} : f32[]
        %twice = Multiply(%a, %two)
        %sum = Add(%twice, %b) : f32[1,3] "sum"
        %r = Result(%sum)""")


def test_devices_are_listed():
    core = ov.Core()
    devices = core.available_devices
    assert devices == ["CPU", "REFERENCE"]
    for device in devices:
        assert core.get_property(device, "FULL_DEVICE_NAME")
        assert core.get_versions(device)[device].build_number == ov.get_version()


@pytest.mark.parametrize("device", ["AUTO", "AUTO:CPU", "AUTO:-GPU", "AUTO:GPU,CPU"])
def test_auto_is_the_fast_device(core, cnn_path, device):
    assert core.compile_model(cnn_path, device).get_property("EXECUTION_DEVICES") == "CPU"


def test_the_older_place_of_names_is_there(cnn_path, cnn_image):
    compiled_model = ov.runtime.Core().compile_model(cnn_path, "CPU")
    assert isinstance(compiled_model, ov.runtime.CompiledModel) and ov.runtime.Type is ov.Type
    assert compiled_model(cnn_image)[0].argmax() == 2


def test_models_come_from_files_bytes_and_streams(core, cnn_path, cnn_image):
    xml, weights = cnn_path.read_bytes(), cnn_path.with_suffix(".bin").read_bytes()
    expected = core.compile_model(model=cnn_path, device_name="CPU")(cnn_image)[0]
    for model in (core.read_model(model=xml, weights=weights), core.read_model(io.BytesIO(xml), io.BytesIO(weights)),
                  core.read_model(str(cnn_path), cnn_path.with_suffix(".bin")), ov.convert_model(cnn_path)):
        np.testing.assert_array_equal(core.compile_model(model, "CPU")(cnn_image)[0], expected)


def test_information_about_inputs_and_outputs(core, cnn_path):
    model = core.read_model(cnn_path)
    input_layer, output_layer = model.input(0), model.output(0)
    assert f"input precision: {input_layer.element_type}" == "input precision: f32"
    assert f"input shape: {input_layer.shape}" == "input shape: [1,3,64,64]"
    assert (output_layer.any_name, output_layer.names) == ("scores", {"scores"})
    assert model.get_output_size() == 1 and model.get_output_element_type(0) == ov.Type.f32
    assert model.get_output_shape(0) == [1, 10] and model.get_output_partial_shape(0) == ov.PartialShape([1, 10])
    assert model.get_result() == model.result == model.get_output_op(0) == model.results[0]
    assert model.get_result_index(model.results[0]) == model.get_result_index(output_layer) == 0
    assert model.get_parameter_index(model.parameters[0]) == 0 and model.get_parameter_index(model.results[0]) == -1
    with pytest.raises(ov.Error, match="output 1"):
        model.get_output_shape(1)


def test_layers_say_what_they_read_and_give(two_inputs):
    read = {op.friendly_name: [port.node.friendly_name for port in op.input_values()] for op in two_inputs.get_ordered_ops()}
    assert read["twice"] == ["a", "two"] and read["sum"] == ["twice", "b"] and read["r"] == ["sum"]
    add = next(op for op in two_inputs.get_ops() if op.get_type_name() == "Add")
    assert add.get_input_size() == 2 and add.get_input_shape(1) == [1, 3]
    assert add.get_input_element_type(0) == add.get_element_type() == add.element_type == ov.Type.f32
    assert add.get_input_partial_shape(0) == add.partial_shape == ov.PartialShape([1, 3])
    assert add.shape == add.get_shape() == add.outputs()[0].shape
    add.friendly_name = "total"
    assert two_inputs.result.input_values()[0].node.friendly_name == "total"
    with pytest.raises(ov.Error, match="layer 'total' has no input 2; it has 2"):
        add.get_input_shape(2)


def test_layouts_are_attributes_of_parameters(two_inputs):
    for parameter in two_inputs.parameters:
        parameter.layout = ov.Layout("NC")
    assert two_inputs.input("b").node.layout == ov.Layout("NC")
    two_inputs.reshape({"a": [-1, 3], "b": [(1, 8), 3]})
    with pytest.raises(ov.Error, match="batches of different sizes"):
        ov.get_batch(two_inputs)
    ov.set_batch(two_inputs, 4)
    assert list(two_inputs.output().shape) == [4, 3]


def test_copies_of_models_are_independent(two_inputs):
    other = copy.deepcopy(two_inputs)
    other.reshape({"a": [7, 3], "b": [7, 3]})
    assert two_inputs.get_output_shape(0) == [1, 3] and other.get_output_shape(0) == [7, 3]


@pytest.mark.parametrize("shapes", [[1, 3, 64, 64], [[2, 3, 64, 64]], [(1, 8), 3, 64, 64], ("image", [3, 3, 64, 64]),
                                    [("image", ov.PartialShape([-1, 3, 64, 64]))], {"image": "[?,3,64,64]"}])
def test_shapes_are_given_when_a_file_is_converted(cnn_path, shapes):
    wanted = {"[1, 3, 64, 64]": "[1,3,64,64]", "[[2, 3, 64, 64]]": "[2,3,64,64]", "[(1, 8), 3, 64, 64]": "[1..8,3,64,64]",
              "('image', [3, 3, 64, 64])": "[3,3,64,64]"}
    model = ov.convert_model(cnn_path, input=shapes)
    assert str(model.input().partial_shape) == wanted.get(str(shapes), "[?,3,64,64]")


def test_requests_are_benchmarked_one_after_another(core, cnn_path):
    compiled_model = core.compile_model(cnn_path, "CPU", {"PERFORMANCE_HINT": "LATENCY"})
    ireq = compiled_model.create_infer_request()
    for model_input in compiled_model.inputs:
        tensor = ov.Tensor(np.full(list(model_input.shape), 128, get_dtype(model_input.element_type)))
        ireq.set_tensor(model_input, tensor)
    ireq.infer()
    latencies = []
    for _ in range(10):
        start = perf_counter()
        ireq.infer()
        latencies.append(perf_counter() - start)
    assert statistics.median(latencies) > 0
    assert ireq.get_compiled_model().get_property("PERFORMANCE_HINT") == "LATENCY"


def test_jobs_of_a_queue_and_their_results(core, two_inputs):
    compiled_model = core.compile_model(two_inputs, "CPU", {"PERFORMANCE_HINT": "THROUGHPUT"})
    queue = ov.AsyncInferQueue(compiled_model, jobs=4)
    found = {}
    queue.set_callback(lambda request, number: found.update({number: request.get_output_tensor().data[:].copy()}))
    for number in range(12):
        queue.start_async({"a": np.full((1, 3), number, np.float32), "b": np.ones((1, 3), np.float32)}, number)
    queue.wait_all()
    assert {number: values.tolist() for number, values in found.items()} == {n: [[2 * n + 1] * 3] for n in range(12)}


def test_profiling_says_what_was_executed(core, cnn_path):
    request = core.compile_model(cnn_path, "CPU", {"PERF_COUNT": True}).create_infer_request()
    request.infer()
    assert request.profiling_info
    for step in request.profiling_info:
        assert step.status == ov.ProfilingInfo.Status.EXECUTED and step.real_time.microseconds >= 0


def test_memory_may_be_asked_back(core, cnn_path, cnn_image):
    compiled_model = core.compile_model(cnn_path, "CPU")
    before = compiled_model(cnn_image)[0]
    compiled_model.release_memory()
    np.testing.assert_array_equal(compiled_model(cnn_image)[0], before)


@pytest.mark.parametrize("statement, reason", [
    ("from fuseq import opset8", "graphs are read from files, not built"),
    ("import fuseq.opset13 as ops", "graphs are read from files, not built"),
    ("from fuseq.runtime import opset10", "graphs are read from files, not built"),
    ("from fuseq.runtime.passes import Manager", "graphs are read from files, not built"),
    ("from fuseq.frontend import FrontEndManager", "read_model\\(\\) reads every format"),
    ("from fuseq.tools import mo", "convert_model\\(\\) a function"),
    ("from fuseq.inference_engine import IECore", "API 2.0"),
    ("import fuseq.properties.intel_gpu", "no properties of such devices")])
def test_imports_of_what_is_absent_say_why(statement, reason):
    with pytest.raises(ImportError, match=rf"Fuseq has no fuseq\.\w.*{reason}"):
        exec(statement, {})


def test_other_wrong_imports_are_what_they_are():
    with pytest.raises(ModuleNotFoundError, match="^No module named 'fuseq.no_such_module'$"):
        __import__("fuseq.no_such_module")
    with pytest.raises(ImportError, match="cannot import name 'Cor' from 'fuseq'"):
        exec("from fuseq import Cor", {})
