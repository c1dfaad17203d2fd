#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""What a call from Python costs beyond the run of the model in C++.

usage: PYTHONPATH=build/release/python python_overhead.py [--calls N] [--shape 1,3,64,64]

The model adds 1 to its input. Of each call form the median time and what is left of it without the
median time that InferRequest::infer() took in C++ is printed, in microseconds. What start_async() and
wait() take beyond it is mostly the way to another thread and back, in C++ too.
"""
import argparse
import statistics
import time

import numpy as np

import fuseq as ov


def model_of(shape):
    sizes = ",".join(map(str, shape))
    return ov.Model.from_text(f"""model "increment"
        %x = Parameter : f32[{sizes}] "x"
        %one = Const value={{1}} : f32[]
        %y = Add(%x, %one) : f32[{sizes}] "y"
        %r = Result(%y)""")


def median_us(call, calls):
    for _ in range(calls // 10 + 1):
        call()
    times = []
    for _ in range(calls):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e6


def native_us(request, x, calls):
    times = []
    for _ in range(calls):
        request.infer(x, share_inputs=True, share_outputs=True)
        times.append(request.latency)
    return statistics.median(times) * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=5000)
    parser.add_argument("--shape", default="1,16")
    arguments = parser.parse_args()
    shape = [int(size) for size in arguments.shape.split(",")]
    compiled = ov.Core().compile_model(model_of(shape), "CPU", {"INFERENCE_NUM_THREADS": 1})
    request = compiled.create_infer_request()
    x = np.ones(shape, np.float32)
    tensor = ov.Tensor(x, shared_memory=True)
    request.set_input_tensor(tensor)
    forms = {
        "compiled(x)[0]": lambda: compiled(x)[0],
        "compiled({'x': x})['y']": lambda: compiled({"x": x})["y"],
        "compiled([x], share_outputs=True)[0]": lambda: compiled([x], share_outputs=True)[0],
        "request.infer(x)[0]": lambda: request.infer(x)[0],
        "request.infer(x, True, True)[0]": lambda: request.infer(x, True, True)[0],
        "start_async(), wait()": lambda: (request.start_async(), request.wait()),
    }
    native = native_us(request, x, arguments.calls)
    print(f"in C++ {native:.1f} us")
    for name, call in forms.items():
        total = median_us(call, arguments.calls)
        print(f"{name:40} {total:7.1f} us, beyond C++ {total - native:6.1f} us")


if __name__ == "__main__":
    main()
