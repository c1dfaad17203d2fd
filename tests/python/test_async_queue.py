# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""AsyncInferQueue."""
import gc
import weakref

import numpy as np
import pytest

import fuseq as ov


def row(value):
    return np.full((1, 4), value, np.float32)


def test_every_job_ends_once_with_its_userdata(doubled):
    queue = ov.AsyncInferQueue(doubled, 3)
    results = {}
    queue.set_callback(lambda request, number: results.update({number: request.results[0].copy()}))
    for number in range(40):
        queue.start_async({0: row(number)}, number)
    queue.wait_all()
    assert sorted(results) == list(range(40))
    for number, result in results.items():
        np.testing.assert_array_equal(result, row(2 * number))


def test_requests_are_reached_by_number(doubled):
    queue = ov.AsyncInferQueue(doubled, 2)
    assert len(queue) == 2 and queue.is_ready() and list(queue)[1] is queue[1]
    index = queue.get_idle_request_id()
    queue.start_async(row(4))
    queue.wait_all()
    np.testing.assert_array_equal(queue[index].results["y"], row(8))


def test_the_device_says_how_many(core, cnn_path):
    compiled = core.compile_model(cnn_path, "CPU", {"NUM_STREAMS": 2})
    assert len(ov.AsyncInferQueue(compiled)) == 2
    with pytest.raises(ValueError, match="jobs is -1"):
        ov.AsyncInferQueue(compiled, -1)


def test_what_a_callback_raises_reaches_the_waiting_thread(doubled):
    queue = ov.AsyncInferQueue(doubled, 2)

    def fail(_, number):
        if number == 3:
            raise KeyError(number)

    queue.set_callback(fail)
    with pytest.raises(KeyError):
        for number in range(8):
            queue.start_async(row(number), number)
        queue.wait_all()
    queue.wait_all()
    queue.start_async(row(0), 0)
    queue.wait_all()


def test_a_bad_input_leaves_the_queue_ready(doubled):
    queue = ov.AsyncInferQueue(doubled, 1)
    with pytest.raises(ov.Error, match="needed f32"):
        queue.start_async(np.zeros(3, np.float32), 1)
    assert queue.is_ready() and queue.userdata == [None]


def test_a_failed_run_reaches_the_waiting_thread(doubled):
    queue = ov.AsyncInferQueue(doubled, 1)
    queue.start_async()
    with pytest.raises(ov.Error, match="open dimensions"):
        queue.wait_all()


def test_a_queue_that_goes_waits_and_frees_its_requests(doubled):
    queue = ov.AsyncInferQueue(doubled, 2)
    seen = []
    queue.set_callback(lambda request, number: seen.append(number))
    request = weakref.ref(queue[0])
    for number in range(10):
        queue.start_async(row(number), number)
    del queue
    gc.collect()
    assert sorted(seen) == list(range(10))
    assert request() is None
