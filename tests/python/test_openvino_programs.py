# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Programs with the calls of OpenVINO's Python samples and user guide, with the import changed.

The forms of calls are those of the public documentation of OpenVINO 2024; models, pictures and what is expected
are the project's.
"""
import io
import threading

import numpy as np
import pytest

import fuseq as ov
import fuseq.properties as props
import fuseq.properties.device as device
import fuseq.properties.hint as hints
import fuseq.properties.log as log
import fuseq.properties.streams as streams
from fuseq.helpers import pack_data, unpack_data
from fuseq.preprocess import ColorFormat, PrePostProcessor, ResizeAlgorithm
from fuseq.utils.types import get_dtype, get_element_type

from conftest import ROOT

DETECTOR = ROOT / "samples/models/shape_detector.xml"


def read_bmp(path):
    """[1, H, W, 3] in the order blue, green, red, as cv2.imread() and np.expand_dims() give it."""
    data = path.read_bytes()
    start, width, height = (int.from_bytes(data[at:at + 4], "little") for at in (10, 18, 22))
    row = (3 * width + 3) // 4 * 4
    rows = np.frombuffer(data, np.uint8, row * height, start).reshape(height, row)
    return np.ascontiguousarray(rows[::-1, :3 * width]).reshape(1, height, width, 3)


@pytest.fixture(scope="module")
def shapes():
    return read_bmp(ROOT / "samples/models/shapes.bmp")


def u8_nhwc(model):
    """The step of the samples that take bytes."""
    ppp = ov.preprocess.PrePostProcessor(model)
    ppp.input().tensor().set_element_type(ov.Type.u8).set_layout(ov.Layout("NHWC"))
    ppp.input().model().set_layout(ov.Layout("NCHW"))
    ppp.output().tensor().set_element_type(ov.Type.f32)
    return ppp.build()


@pytest.mark.parametrize("device_name", ["CPU", "REFERENCE"])
def test_hello_classification(core, cnn_path, cnn_image, device_name):
    model = core.read_model(cnn_path)
    assert len(model.inputs) == 1 and len(model.outputs) == 1
    picture = np.ascontiguousarray(cnn_image.transpose(0, 2, 3, 1))
    ppp = ov.preprocess.PrePostProcessor(model)
    _, h, w, _ = picture.shape
    ppp.input().tensor() \
        .set_shape(picture.shape) \
        .set_element_type(ov.Type.u8) \
        .set_layout(ov.Layout("NHWC"))
    ppp.input().preprocess().resize(ov.preprocess.ResizeAlgorithm.RESIZE_LINEAR)
    ppp.input().model().set_layout(ov.Layout("NCHW"))
    ppp.output().tensor().set_element_type(ov.Type.f32)
    model = ppp.build()
    compiled_model = core.compile_model(model, device_name)
    results = compiled_model.infer_new_request({0: picture})
    probs = next(iter(results.values())).reshape(-1)
    top_3 = np.argsort(probs)[-3:][::-1]
    assert top_3[0] == core.compile_model(cnn_path, device_name)(cnn_image.astype(np.float32))[0].argmax()
    assert probs.sum() == pytest.approx(1, abs=1e-5)


def test_hello_query_device(core):
    for name in core.available_devices:
        keys = core.get_property(name, "SUPPORTED_PROPERTIES")
        assert {"SUPPORTED_PROPERTIES", "FULL_DEVICE_NAME", "NUM_STREAMS"} <= set(keys)
        for key in keys:
            assert str(core.get_property(name, key)) is not None
    assert core.get_property("CPU", device.full_name) == core.get_property(device_name="CPU", property="FULL_DEVICE_NAME")
    assert core.get_property("FULL_DEVICE_NAME", device_name="CPU") == core.get_property("CPU", property="FULL_DEVICE_NAME")
    with pytest.raises(TypeError, match="did you mean 'device_name'"):
        core.get_property(device_nam="CPU", property="FULL_DEVICE_NAME")


def test_classification_sample_async(core, cnn_path, cnn_image):
    model = u8_nhwc(core.read_model(model=cnn_path))
    _, h, w, _ = model.input().shape
    assert (h, w) == (64, 64)
    first = np.ascontiguousarray(cnn_image.transpose(0, 2, 3, 1))
    images = [first, 255 - first, first // 2]
    compiled_model = core.compile_model(model, "CPU")
    found = {}

    def completion_callback(infer_request: ov.InferRequest, path: str) -> None:
        predictions = next(iter(infer_request.results.values()))
        found[path] = np.argsort(predictions.reshape(-1))[-10:][::-1]

    infer_queue = ov.AsyncInferQueue(compiled_model)
    infer_queue.set_callback(completion_callback)
    for i, input_tensor in enumerate(images):
        infer_queue.start_async({0: input_tensor}, f"{i}.png")
    infer_queue.wait_all()
    for i, image in enumerate(images):
        np.testing.assert_array_equal(found[f"{i}.png"][0], compiled_model(image)[0].argmax())


def test_hello_reshape_ssd(core, shapes):
    model = core.read_model(DETECTOR)
    n, h, w, c = shapes.shape
    model.reshape({model.input().get_any_name(): ov.PartialShape((n, c, h, w))})
    model = u8_nhwc(model)
    compiled_model = core.compile_model(model, "CPU")
    results = compiled_model.infer_new_request({0: shapes[..., ::-1].copy()})
    detections = next(iter(results.values())).reshape(-1, 7)
    kept = [row for row in detections if row[0] >= 0 and row[2] > 0.5]
    assert sorted(int(row[1]) for row in kept) == [1, 1, 2, 2, 3, 3]
    boxes = [(int(row[3] * w), int(row[4] * h), int(row[5] * w), int(row[6] * h)) for row in kept if int(row[1]) == 1]
    np.testing.assert_allclose(sorted(boxes)[0], (15, 17, 53, 55), atol=2)


def test_throughput_benchmark(core, cnn_path):
    compiled_model = core.compile_model(cnn_path, "CPU", {"PERFORMANCE_HINT": "THROUGHPUT"})
    ireqs = ov.AsyncInferQueue(compiled_model)
    for ireq in ireqs:
        for model_input in compiled_model.inputs:
            tensor = ireq.get_tensor(model_input)
            assert tensor.get_size() == 3 * 64 * 64
            tensor.data[:] = np.full(list(tensor.shape), 7).astype(get_dtype(tensor.element_type))
    in_fly, latencies = set(), []
    for _ in range(12):
        idle_id = ireqs.get_idle_request_id()
        if idle_id in in_fly:
            latencies.append(ireqs[idle_id].latency)
        in_fly.add(idle_id)
        ireqs.start_async()
    ireqs.wait_all()
    assert all(latency > 0 for latency in latencies)
    assert len({float(ireqs[i].get_output_tensor().data.sum()) for i in in_fly}) == 1


def test_model_caching(tmp_path, cnn_path):
    for seen in (False, True):
        core = ov.Core()
        core.set_property({props.cache_dir: str(tmp_path)})
        compiled_model = core.compile_model(model=cnn_path, device_name="CPU")
        assert compiled_model.get_property(props.loaded_from_cache) is seen
    core.set_property(props.cache_dir(""))  # a pair of name and value
    assert "EXPORT_IMPORT" in core.get_property("CPU", device.capabilities)


def test_export_and_import(core, cnn_path, cnn_image):
    compiled = core.compile_model(cnn_path, "CPU")
    blob = compiled.export_model()
    stream = io.BytesIO()
    compiled.export_model(stream)
    stream.seek(0)
    expected = compiled(cnn_image)[0]
    for source in (blob, stream, ov.Tensor(np.frombuffer(blob, dtype=np.uint8))):
        np.testing.assert_array_equal(core.import_model(source, "CPU")(cnn_image)[0], expected)


def test_configuration(core, cnn_path):
    config = {hints.performance_mode: hints.PerformanceMode.THROUGHPUT, hints.inference_precision: ov.Type.f32}
    compiled_model = core.compile_model(cnn_path, "CPU", config)
    assert compiled_model.get_property(props.optimal_number_of_infer_requests) >= 1
    assert compiled_model.get_property(property=hints.performance_mode) == hints.PerformanceMode.THROUGHPUT
    core = ov.Core()
    core.set_property("CPU", {hints.execution_mode: hints.ExecutionMode.PERFORMANCE})
    core.set_property(device_name="CPU", properties={hints.enable_cpu_pinning: True, log.level: log.Level.NO})
    compiled_model = core.compile_model(cnn_path, "CPU", {streams.num: streams.Num.AUTO, props.inference_num_threads: 1})
    assert compiled_model.get_property(props.inference_num_threads) == 1
    assert compiled_model.get_property(streams.num) >= 1


def test_inference_request(core, cnn_path, cnn_image):
    model = core.read_model(cnn_path)
    compiled_model = core.compile_model(model, "AUTO")
    infer_request = compiled_model.create_infer_request()
    infer_request.infer()
    infer_request.start_async()
    infer_request.wait()
    assert infer_request.wait_for(10)
    data = cnn_image.astype(np.float32)
    expected = infer_request.infer(inputs={0: data})[0]
    for inputs in ([data], {"image": data}, {compiled_model.inputs[0]: data}, data, {0: data.astype(np.float64)}):
        np.testing.assert_array_equal(infer_request.infer(inputs=inputs)[0], expected)
    infer_request.set_tensor(model.input(0), ov.Tensor(data))
    infer_request.set_input_tensor(0, ov.Tensor(data))
    infer_request.infer()
    np.testing.assert_array_equal(infer_request.get_output_tensor().data, expected)
    np.testing.assert_array_equal(infer_request.get_tensor(compiled_model.outputs[0]).data, expected)
    np.testing.assert_array_equal(list(infer_request.results.values())[0], expected)
    finished = {"count": 0}

    def callback(info):
        info["count"] += 1

    infer_request.set_callback(callback, finished)
    infer_request.start_async()
    infer_request.wait()
    assert finished["count"] == 1


def test_results_are_a_dict(core, cnn_path, cnn_image):
    compiled_model = ov.compile_model(core.read_model(cnn_path))
    results = compiled_model(inputs={0: cnn_image})
    for key in ("scores", 0, compiled_model.outputs[0], next(iter(results))):
        np.testing.assert_array_equal(results[key], results[0])
    np.testing.assert_array_equal(next(iter(results.values())), results[0])


def test_tensors_share_memory_when_told():
    assert ov.Tensor(np.ones((2, 8))).element_type == ov.Type.f64
    assert ov.Tensor(np.ones((2, 8), np.int32)).element_type == ov.Type.i32
    data = np.ones((2, 8))
    shared = ov.Tensor(data, shared_memory=True)
    data[0][2] = 6
    assert shared.data[0][2] == 6
    shared.data[0][2] = 0.6
    assert data[0][2] == 0.6


@pytest.mark.parametrize("name, values", [("u4", [1, 2, 15, 0, 7]), ("i4", [-8, 7, 0, -1, 3]), ("u2", [3, 0, 1, 2, 3, 1]),
                                          ("u1", [1, 0, 0, 1, 1, 1, 0, 0, 1, 0])])
def test_packed_data(name, values):
    element_type = getattr(ov.Type, name)
    packed = pack_data(np.array(values).reshape(1, -1), element_type)
    tensor = ov.Tensor(packed, [1, len(values)], element_type)
    np.testing.assert_array_equal(unpack_data(tensor.data, tensor.element_type, tensor.shape), [values])
    np.testing.assert_array_equal(tensor.to_numpy(), [values])


def test_packed_data_that_does_not_fit():
    with pytest.raises(ov.Error, match="u4 holds 0 to 15, got 3 to 16"):
        pack_data(np.array([3, 16]), ov.Type.u4)
    with pytest.raises(ov.Error, match="f32 is not packed, expected one of u1, u2, u4, i4"):
        pack_data(np.array([3]), ov.Type.f32)


def test_types():
    assert get_dtype(ov.Type.f32) == np.float32 and get_dtype(ov.Type.u8) == np.uint8
    assert get_element_type(np.int8) == ov.Type.i8 and get_element_type(float) == ov.Type.f32
    assert get_dtype(ov.Type.bf16) == np.uint16


def test_preprocessing_is_saved_with_the_model(tmp_path, cnn_path, cnn_image):
    core = ov.Core()
    model = core.read_model(model=cnn_path)
    ppp = PrePostProcessor(model)
    ppp.input("image").tensor() \
        .set_element_type(ov.Type.u8) \
        .set_spatial_dynamic_shape() \
        .set_layout(ov.Layout("NHWC")) \
        .set_color_format(ColorFormat.BGR)
    ppp.input().model().set_layout(ov.Layout("NCHW"))
    ppp.input().preprocess() \
        .convert_element_type() \
        .convert_color(ColorFormat.RGB) \
        .resize(ResizeAlgorithm.RESIZE_LINEAR) \
        .mean([1., 2., 3.]) \
        .scale([2., 2., 2.])
    assert "image" in f"{ppp}"
    model = ppp.build()
    ov.set_batch(model, 2)
    assert ov.get_batch(model) == 2
    ov.serialize(model, tmp_path / "saved.xml")
    compiled_model = core.compile_model(tmp_path / "saved.xml", "CPU")
    picture = np.ascontiguousarray(cnn_image.transpose(0, 2, 3, 1)[..., ::-1])
    both = np.concatenate([picture, picture])
    values = (cnn_image.astype(np.float32) - np.array([1, 2, 3], np.float32).reshape(1, 3, 1, 1)) / 2
    expected = core.compile_model(cnn_path, "CPU")(values)[0]
    result = compiled_model(both)[0]
    assert result.shape == (2, 10)
    np.testing.assert_allclose(result, np.concatenate([expected, expected]), atol=0.02)


def test_open_shapes(doubled):
    model = ov.Model.from_text("""
        %x = Parameter : f32[?,3,?,?] "x"
        %y = ReLU(%x) : f32[?,3,?,?] "y"
        %r = Result(%y)""")
    model.reshape([-1, 3, (112, 448), (112, 448)])
    assert model.input(0).partial_shape[2] == ov.Dimension(112, 448)
    model.reshape([(1, 8), 3, ov.Dimension(4), -1])
    assert model.output(0).partial_shape.is_dynamic and model.output(0).partial_shape[3].is_dynamic
    shapes = {}
    for input_layer in model.inputs:
        shapes[input_layer] = input_layer.partial_shape
        shapes[input_layer][0] = -1
    model.reshape(shapes)
    assert model.input().partial_shape == ov.PartialShape([-1, 3, 4, -1])
    infer_request = doubled.create_infer_request()
    for rows in (1, 5):
        data = np.ones(shape=[rows, 4])
        infer_request.infer({"x": data})
        np.testing.assert_array_equal(infer_request.get_output_tensor().data[:], 2 * data)
    infer_request = doubled.create_infer_request()
    input_tensor = infer_request.get_input_tensor()
    for rows in (1, 3, 2):
        input_tensor.shape = [rows, 4]
        input_tensor.data[:] = 2
        infer_request.infer()
        np.testing.assert_array_equal(infer_request.get_output_tensor().data, np.full((rows, 4), 4))
    infer_request.set_input_tensor(ov.Tensor(np.ones((2, 4), np.float32)))
    input_tensor.shape = [7, 4]  # no longer the tensor of the request
    infer_request.infer()
    np.testing.assert_array_equal(infer_request.get_output_tensor().data, np.full((2, 4), 2))
    kept = infer_request.get_input_tensor()
    del infer_request
    kept.shape = [1, 4]
    np.testing.assert_array_equal(kept.data, np.ones((1, 4)))


def test_layouts(core, cnn_path):
    assert str(ov.Layout("NCHW")) == "[N,C,H,W]"
    assert ov.layout_helpers.batch_idx(ov.Layout("NCDHW")) == 0 and ov.layout_helpers.depth_idx(ov.Layout("NCDHW")) == 2
    assert ov.layout_helpers.height_idx(ov.Layout("...HW")) == -2 and ov.layout_helpers.width_idx(ov.Layout("...HW")) == -1
    assert ov.layout_helpers.has_channels(ov.Layout("?C...")) and not ov.layout_helpers.has_channels(ov.Layout("N..."))
    model = core.read_model(cnn_path)
    with pytest.raises(ov.Error, match="no input has a layout with N"):
        ov.set_batch(model, 4)
    model.get_parameters()[0].set_layout("NCHW")
    assert ov.layout_helpers.get_layout(model.input("image")) == ov.Layout("NCHW") == model.parameters[0].get_layout()
    ov.set_batch(model, 4)
    assert list(model.output().shape) == [4, 10]


def test_state_is_kept_reset_and_set(counter):
    infer_request = counter.create_infer_request()
    states = infer_request.query_state()
    assert [state.name for state in states] == ["v"]
    infer_request.reset_state()
    sums = []
    for value in (1, 2, 3):
        infer_request.infer({0: np.full(2, value, np.float32)})
        sums.append(float(states[0].state.data[0]))
    states[0].reset()
    infer_request.infer({0: np.full(2, 5, np.float32)})
    sums.append(float(states[0].state.data[0]))
    states[0].state = ov.Tensor(np.full(2, 5, np.float32), shared_memory=True)
    infer_request.infer({0: np.full(2, 9, np.float32)})
    sums.append(float(states[0].state.data[0]))
    assert sums == [1, 3, 6, 5, 14]


def test_outputs_are_added_by_layer_and_number(core, cnn_path):
    model = core.read_model(cnn_path)
    assert [port.get_any_name() for port in model.add_outputs(["fq_sum", ("pool", 0)])] == ["fq_sum", "pool"]
    model.add_outputs(("fq_mean", 0))
    assert len(model.outputs) == len(model.results) == 4


def test_another_thread_works_while_a_model_is_compiled(core, cnn_path, cnn_image):
    inputs = []
    model = core.read_model(cnn_path)
    thread = threading.Thread(target=lambda port: inputs.append(np.resize(cnn_image, list(port.shape))), args=[model.input()])
    thread.start()
    request = core.compile_model(model, "CPU").create_infer_request()
    thread.join()
    assert request.infer(inputs)[0].shape == (1, 10)


# The rows of docs/surface.md that say "absent"; test_openvino_tutorial.py has the reasons.
@pytest.mark.parametrize("module", ["opset13", "opset8", "passes", "op", "frontend", "exceptions", "tools", "properties.intel_cpu",
                                    "properties.intel_gpu", "properties.intel_auto", "properties.intel_npu"])
def test_absent_modules_cannot_be_imported(module):
    with pytest.raises(ModuleNotFoundError, match=f"fuseq.{module}"):
        __import__(f"fuseq.{module}")


@pytest.mark.parametrize("cls, names", [
    (ov.Core, ["register_plugins", "add_extension", "create_context", "get_default_context"]),
    (ov.Model, ["set_rt_info", "get_rt_info", "has_rt_info"]), (ov.ConstOutput, ["tensor", "set_rt_info"]),
    (ov.CompiledModel, ["set_property"]), (ov.preprocess.PreProcessSteps, ["custom"]),
    (ov.preprocess.InputTensorInfo, ["set_memory_type"])])
def test_absent_calls_are_no_attributes(cls, names):
    assert [name for name in names if hasattr(cls, name)] == []


def test_absent_forms_say_what_there_is(core):
    with pytest.raises(TypeError, match="arguments"):
        ov.Tensor(ov.Tensor(np.zeros((4, 4), np.float32)), [0, 0], [2, 2])
    with pytest.raises(ov.Error, match="no tensor holds <U1"):
        ov.Tensor(np.array(["a", "b"]))
    with pytest.raises(TypeError, match="No constructor defined"):
        ov.Model([], [])
    for name in ("SUPPORTED_METRICS", "SUPPORTED_CONFIG_KEYS", "CACHE_MODE", "AFFINITY"):
        with pytest.raises(ov.Error, match=f"has no property '{name}'; it is OpenVINO's, and absent here: "):
            core.get_property("CPU", name)
