# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""CompiledModel: call forms, results, conversions, refusals."""
import threading

import numpy as np
import pytest

import fuseq as ov
from conftest import echo_model

A = np.arange(6, dtype=np.float32).reshape(2, 3)
B = np.full((2, 3), 10, np.float32)


def check(results):
    np.testing.assert_array_equal(results[0], 2 * A + B)
    np.testing.assert_array_equal(results[1], A - B)


def test_inputs_come_in_every_form(affine):
    check(affine([A, B]))
    check(affine((A, B)))
    check(affine({0: A, 1: B}))
    check(affine({"first": A, "second": B}))
    check(affine({affine.input("first"): A, affine.input(1): B}))
    check(affine([ov.Tensor(A), ov.Tensor(B, shared_memory=True)]))
    check(affine([A, B], share_inputs=False))
    check(affine([A, B], share_outputs=True))
    check(affine(inputs={"first": A, 1: B}))


def test_results_are_found_by_index_name_and_port(affine):
    results = affine([A, B])
    assert len(results) == 2
    np.testing.assert_array_equal(results["y"], results[0])
    np.testing.assert_array_equal(results[affine.output("z")], results[1])
    np.testing.assert_array_equal(results[-1], results[1])
    assert list(results) == affine.outputs
    assert set(results.to_dict()) == set(affine.outputs)
    first, second = results.values()
    np.testing.assert_array_equal(results.to_tuple()[1], second)
    assert [key.any_name for key, _ in results.items()] == ["y", "z"]
    assert "y" in results and "w" not in results and results.get("w") is None
    np.testing.assert_array_equal(first, 2 * A + B)


def test_an_unknown_result_names_the_known(affine):
    results = affine([A, B])
    with pytest.raises(ov.Error, match="there is no output 'w'; outputs: 'y', 'z'"):
        results["w"]
    with pytest.raises(ov.Error, match="there is no output 2; the model has 2"):
        results[2]
    with pytest.raises(TypeError, match="by an index, a name or a port"):
        results[1.5]


def test_results_are_copies_unless_shared(doubled):
    kept = doubled(np.ones((1, 4), np.float32))[0]
    doubled(np.full((1, 4), 5, np.float32))
    np.testing.assert_array_equal(kept, np.full((1, 4), 2))


def test_shared_inputs_are_read_in_place_and_never_written(affine):
    a, b = A.copy(), B.copy()
    affine([a, b])
    affine([A + 1, B], share_inputs=False)
    np.testing.assert_array_equal(a, A)
    np.testing.assert_array_equal(b, B)


def test_a_model_with_open_shapes_takes_any(doubled):
    for rows in (1, 3, 2):
        x = np.random.default_rng(rows).random((rows, 4), np.float32)
        np.testing.assert_array_equal(doubled(x)["y"], x + x)


@pytest.mark.parametrize("x", [
    np.arange(4, dtype=np.uint8).reshape(1, 4), np.arange(4).reshape(1, 4),
    np.arange(4, dtype=np.float64).reshape(1, 4), np.array([[True, False, True, True]]),
    np.arange(4, dtype=np.float16).reshape(1, 4), np.arange(8, dtype=np.float32)[::2].reshape(1, 4),
    np.asfortranarray(np.arange(8, dtype=np.float32).reshape(2, 4)),
    np.arange(4, dtype=">f4").reshape(1, 4)])
def test_numbers_that_keep_their_meaning_are_converted(doubled, x):
    np.testing.assert_array_equal(doubled(x)[0], 2 * x.astype(np.float32))


def test_lists_of_numbers_are_arrays(doubled):
    np.testing.assert_array_equal(doubled({"x": [[1, 2, 3, 4]]})[0], [[2, 4, 6, 8]])


@pytest.mark.parametrize("name", ["boolean", "u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64",
                                  "f16", "f32", "f64"])
@pytest.mark.parametrize("device", ["CPU", "REFERENCE"])
def test_every_type_goes_in_and_comes_out(core, name, device):
    x = np.array([[0, 1], [1, 1]]).astype(getattr(ov.Type, name).to_dtype())
    result = echo_model(core, name, device)(x)["y"]
    assert result.dtype == x.dtype
    np.testing.assert_array_equal(result, x.reshape(4))


def test_bf16_comes_as_real_numbers(core):
    x = np.array([[1.5, -2], [0.25, 3]], np.float32)
    np.testing.assert_array_equal(echo_model(core, "bf16")(x)[0], x.reshape(4))


@pytest.mark.parametrize("element_type,x,text", [
    ("u8", np.zeros((2, 2), np.float32),
     r"input 'x': got float32 \[2,2\] in C order, needed u8 \[2,2\]: real numbers would be cut"),
    ("u8", np.array([[0, 256], [1, 2]]), r"got int64 \[2,2\].*needed u8 \[2,2\]: some values do not fit"),
    ("i8", np.array([[0, -129], [1, 2]]), "some values do not fit"),
    ("boolean", np.array([[0, 2], [1, 1]]), "some values do not fit"),
    ("f32", np.zeros((2, 3), np.float32), r"got float32 \[2,3\] in C order, needed f32 \[2,2\]"),
    ("f32", np.zeros((4,), np.float32), r"got float32 \[4\] in C order, needed f32 \[2,2\]"),
    ("f32", np.zeros((2, 2), np.complex64), r"got complex64 \[2,2\].*needed f32"),
    ("f32", np.array([["a", "b"], ["c", "d"]]), r"got <U1 \[2,2\].*needed f32"),
])
def test_a_wrong_array_says_what_is_needed(core, element_type, x, text):
    with pytest.raises(ov.Error, match=text):
        echo_model(core, element_type)(x)


def test_a_wrong_tensor_says_what_is_needed(core):
    with pytest.raises(ov.Error, match="got a tensor of f64, expected f32"):
        echo_model(core, "f32")(ov.Tensor(np.zeros((2, 2))))


def test_wrong_calls_say_what_was_meant(affine):
    with pytest.raises(ov.Error, match="got one array, the model has 2 inputs.*'first', 'second'"):
        affine(A)
    with pytest.raises(ov.Error, match="got 3 inputs, the model has 2"):
        affine([A, B, A])
    with pytest.raises(ov.Error, match="no input 'frist'; inputs: 'first', 'second'; did you mean 'first'"):
        affine({"frist": A})
    with pytest.raises(TypeError, match="no keyword 'share_input'; did you mean 'share_inputs'"):
        affine([A, B], share_input=True)
    with pytest.raises(TypeError, match="input 'first': got <class 'object'>, an array of f32"):
        affine([object(), B])
    check(affine([A, B]))


def test_an_input_that_was_never_given_is_an_error(doubled):
    with pytest.raises(ov.Error, match="input 'x' has open dimensions"):
        doubled()


def test_threads_call_at_the_same_time(doubled):
    failures = []

    def work(seed):
        rng = np.random.default_rng(seed)
        for _ in range(50):
            x = rng.random((1 + seed, 4), np.float32)
            if not np.array_equal(doubled(x)[0], x + x):
                failures.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_the_quantized_network_agrees_with_the_reference(core, cnn_path, cnn_image):
    cpu = core.compile_model(cnn_path, "CPU")(cnn_image)[0]
    reference = core.compile_model(cnn_path, "REFERENCE")(cnn_image)[0]
    assert cpu.argmax() == reference.argmax()
    np.testing.assert_allclose(cpu, reference, rtol=0.1, atol=0.1)


def test_an_exported_model_is_imported(core, cnn_path, cnn_image, tmp_path):
    compiled = core.compile_model(cnn_path)
    expected = compiled(cnn_image)[0]
    blob = compiled.export_model()
    assert isinstance(blob, bytes)
    np.testing.assert_array_equal(core.import_model(blob)(cnn_image)[0], expected)
    with open(tmp_path / "model.blob", "wb") as out:
        compiled.export_model(out)
    with open(tmp_path / "model.blob", "rb") as stream:
        np.testing.assert_array_equal(core.import_model(stream, "CPU")(cnn_image)[0], expected)
    with pytest.raises(ov.Error):
        core.import_model(blob[:100])


def test_the_report_is_a_dict(core, cnn_path):
    report = core.compile_model(cnn_path).explain()
    assert report == ov.explain(cnn_path)
    assert len(report["steps"]) > 0 and "totals" in report


def test_the_execution_graph_has_the_keys_of_openvino(core, cnn_path, cnn_image, tmp_path):
    compiled = core.compile_model(cnn_path, "CPU", {"PERF_COUNT": True})
    request = compiled.create_infer_request()
    request.infer(cnn_image)
    graph = compiled.get_runtime_model()
    steps = [op for op in graph.get_ordered_ops() if op.get_type_name() == "ExecutionNode"]
    convolutions = [op for op in steps if op.get_rt_info()["layerType"] == "Convolution"]
    assert convolutions
    for op in steps:
        assert op.get_rt_info()["execTimeMcs"].isdigit()
        assert set(op.get_rt_info()) == {
            "execTimeMcs", "layerType", "primitiveType", "originalLayersNames", "outputPrecisions",
            "outputLayouts", "runtimePrecision", "execOrder"}
    assert {op.get_rt_info()["runtimePrecision"] for op in convolutions} <= {"u8", "i8"}
    ov.save_model(graph, str(tmp_path / "graph.xml"))
    assert 'type="Convolution"' in (tmp_path / "graph.xml").read_text()


def test_infer_new_request(doubled):
    np.testing.assert_array_equal(doubled.infer_new_request(np.ones((1, 4), np.float32))[0],
                                  np.full((1, 4), 2))
