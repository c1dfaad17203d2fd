# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Nothing grows with the number of calls."""
import gc
import tracemalloc

import numpy as np
import pytest

import fuseq as ov

CALLS = 10000


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def grows_by(call):
    """Python's and all memory that CALLS calls leave, after some to warm up."""
    for _ in range(CALLS // 10):
        call()
    gc.collect()
    tracemalloc.start()
    before, resident = tracemalloc.get_traced_memory()[0], resident_bytes()
    for _ in range(CALLS):
        call()
    gc.collect()
    after, resident_after = tracemalloc.get_traced_memory()[0], resident_bytes()
    tracemalloc.stop()
    return after - before, resident_after - resident


# 16 bytes a call would be 160 KB; tracemalloc's own tables are in the resident memory.
def check(call):
    traced, resident = grows_by(call)
    assert traced < 64 * 1024
    assert resident < 8 * 1024 * 1024


X = np.ones((1, 4), np.float32)


@pytest.mark.parametrize("share", [True, False])
def test_calls(doubled, share):
    check(lambda: doubled({"x": X}, share_inputs=share, share_outputs=share)["y"])


def test_calls_that_convert(doubled):
    x = np.ones((1, 4), np.int64)
    check(lambda: doubled([x]))


def test_calls_that_fail(doubled):
    wrong = np.ones((1, 5), np.float32)

    def call():
        try:
            doubled(wrong)
        except ov.Error:
            pass

    check(call)


def test_requests_tensors_and_callbacks(doubled):
    request = doubled.create_infer_request()

    def call():
        request.set_callback(lambda _: None, object())
        request.set_input_tensor(ov.Tensor(X, shared_memory=True))
        request.start_async()
        request.wait()
        return request.results[0], request.get_tensor("x").data

    check(call)
