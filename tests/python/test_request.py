# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""InferRequest: tensors, asynchronous runs, state, times."""
import datetime
import gc
import threading
import weakref

import numpy as np
import pytest

import fuseq as ov


X = np.arange(4, dtype=np.float32).reshape(1, 4)


def test_infer_gives_results(doubled):
    request = doubled.create_infer_request()
    np.testing.assert_array_equal(request.infer(X)["y"], 2 * X)
    np.testing.assert_array_equal(request.infer({"x": X + 1})[0], 2 * X + 2)
    np.testing.assert_array_equal(request.results["y"], 2 * X + 2)
    assert request.latency > 0


def test_tensors_are_set_and_got_by_every_name(affine):
    request = affine.create_infer_request()
    a, b = np.ones((2, 3), np.float32), np.full((2, 3), 5, np.float32)
    request.set_tensor("first", ov.Tensor(a, shared_memory=True))
    request.set_tensor(affine.input(1), ov.Tensor(b, shared_memory=True))
    out = np.zeros((2, 3), np.float32)
    request.set_tensor("y", ov.Tensor(out, shared_memory=True))
    request.infer()
    np.testing.assert_array_equal(out, 2 * a + b)
    a[:] = 3
    request.infer()
    np.testing.assert_array_equal(out, 2 * a + b)
    np.testing.assert_array_equal(request.get_tensor("z").data, a - b)
    np.testing.assert_array_equal(request.get_output_tensor(1).data, a - b)
    assert len(request.input_tensors) == 2 and len(request.output_tensors) == 2
    assert request.get_input_tensor(0).data.ctypes.data == a.ctypes.data


def test_input_memory_of_the_request_can_be_filled(affine):
    request = affine.create_infer_request()
    request.input_tensors[0].data[:] = 4
    request.get_input_tensor(1).data[:] = 1
    np.testing.assert_array_equal(request.infer()[0], np.full((2, 3), 9))


def test_arrays_that_a_request_uses_are_kept(doubled):
    request = doubled.create_infer_request()
    request.set_input_tensor(ov.Tensor(np.full((1, 4), 3, np.float32), shared_memory=True))
    gc.collect()
    np.testing.assert_array_equal(request.infer()[0], np.full((1, 4), 6))


def test_copied_inputs_never_overwrite_what_was_shared(doubled):
    request = doubled.create_infer_request()
    shared = X.copy()
    request.infer(shared, share_inputs=True)
    request.infer(X + 7)
    np.testing.assert_array_equal(shared, X)


def test_start_async_and_wait(doubled):
    request = doubled.create_infer_request()
    request.start_async(X)
    request.wait()
    np.testing.assert_array_equal(request.results[0], 2 * X)
    request.start_async({0: X + 1}, share_inputs=True)
    assert request.wait_for(10000)
    np.testing.assert_array_equal(request.results[0], 2 * X + 2)


def test_the_callback_gets_its_userdata(doubled):
    request = doubled.create_infer_request()
    seen = []
    request.set_callback(lambda data: seen.append((data, threading.get_ident())), "of set_callback")
    request.start_async(X)
    request.wait()
    request.start_async(X, userdata="of start_async")
    request.wait()
    assert [data for data, _ in seen] == ["of set_callback", "of start_async"]
    assert request.userdata == "of start_async"


def test_wait_raises_what_the_callback_raised(doubled):
    request = doubled.create_infer_request()

    def fail(_):
        raise KeyError("from the callback")

    request.set_callback(fail)
    request.start_async(X)
    with pytest.raises(KeyError, match="from the callback"):
        request.wait()
    request.set_callback(lambda _: None)
    request.start_async(X)
    request.wait()


def test_wait_raises_what_the_run_raised(doubled):
    request = doubled.create_infer_request()
    called = []
    request.set_callback(called.append)
    request.start_async()
    with pytest.raises(ov.Error, match="open dimensions"):
        request.wait()
    assert called == []


def test_a_callback_may_start_its_request_again(doubled):
    request = doubled.create_infer_request()
    ended = threading.Event()
    counts = []

    def again(_):
        counts.append(len(counts))
        request.start_async() if len(counts) < 5 else ended.set()

    request.set_callback(again)
    request.start_async(X)
    assert ended.wait(20)
    request.wait()
    assert counts == [0, 1, 2, 3, 4]


def test_a_request_in_a_cycle_is_collected(doubled):
    class Holder:
        pass

    holder = Holder()
    holder.request = doubled.create_infer_request()
    holder.request.set_callback(lambda _, holder=holder: None)
    gone = weakref.ref(holder)
    del holder
    gc.collect()
    assert gone() is None


def test_a_running_request_is_waited_for_when_it_goes(core, cnn_path, cnn_image):
    compiled = core.compile_model(cnn_path)
    seen = []
    for _ in range(5):
        request = compiled.create_infer_request()
        request.set_callback(seen.append, 1)
        request.start_async(cnn_image)
        del request
    assert len(seen) == 5


def test_other_threads_run_meanwhile(core, cnn_path):
    model = core.read_model(cnn_path)
    model.reshape([1, 3, 192, 192])
    compiled = core.compile_model(model, "REFERENCE")
    request = compiled.create_infer_request()
    running, ticks = threading.Event(), []
    running.set()

    def tick():
        while running.is_set():
            ticks.append(None)

    thread = threading.Thread(target=tick)
    thread.start()
    before = len(ticks)
    request.infer(np.zeros((1, 3, 192, 192), np.float32))
    after = len(ticks)
    running.clear()
    thread.join()
    assert after - before > 10


def test_cancel_of_an_idle_request_does_nothing(doubled):
    request = doubled.create_infer_request()
    request.cancel()
    np.testing.assert_array_equal(request.infer(X)[0], 2 * X)


def test_state_lasts_and_is_reset(counter):
    request = counter.create_infer_request()
    x = np.array([1, 10], np.float32)
    request.infer(x)
    np.testing.assert_array_equal(request.infer(x)[0], 2 * x)
    state, = request.query_state()
    assert state.name == "v"
    np.testing.assert_array_equal(state.state.data, 2 * x)
    state.state = ov.Tensor(np.array([100, 200], np.float32))
    np.testing.assert_array_equal(request.infer(x)[0], [101, 210])
    state.reset()
    np.testing.assert_array_equal(request.infer(x)[0], x)
    request.reset_state()
    np.testing.assert_array_equal(request.infer(x)[0], x)
    with pytest.raises(ov.Error):
        state.state = ov.Tensor(np.zeros(3, np.float32))


def test_times_of_steps(core, cnn_path, cnn_image):
    compiled = core.compile_model(cnn_path, config={"PERF_COUNT": True})
    request = compiled.create_infer_request()
    request.infer(cnn_image)
    info = request.profiling_info
    assert len(info) == len(compiled.explain()["steps"])
    assert all(isinstance(step.real_time, datetime.timedelta) for step in info)
    assert info[0].node_name and info[0].exec_type


def test_wrong_tensors_and_names_say_what_is_needed(affine, doubled):
    request = affine.create_infer_request()
    with pytest.raises(ov.Error, match=r"input 'first': got shape \[2\], expected \[2,3\]"):
        request.set_tensor("first", ov.Tensor(np.zeros(2, np.float32)))
    with pytest.raises(ov.Error, match="no input or output 'secnd'; inputs: 'first', 'second'; "
                                       "outputs: 'y', 'z'; did you mean 'second'"):
        request.get_tensor("secnd")
    with pytest.raises(TypeError, match="got <class 'numpy.ndarray'>, a fuseq.Tensor is needed"):
        request.set_tensor("first", np.zeros((2, 3), np.float32))
    with pytest.raises(ov.Error, match="the model has 2 inputs: say which one"):
        request.get_input_tensor()
    with pytest.raises(ov.Error, match="there is no output 2"):
        request.get_output_tensor(2)
    with pytest.raises(ov.Error, match="read-only"):
        read_only = np.zeros((2, 3), np.float32)
        read_only.flags.writeable = False
        request.set_output_tensor(0, ov.Tensor(read_only, shared_memory=True))
    with pytest.raises(TypeError, match="no keyword 'user_data'; did you mean 'userdata'"):
        doubled.create_infer_request().start_async(X, user_data=1)
