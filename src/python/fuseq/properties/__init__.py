# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Names of properties, as OpenVINO's module has them.

    core.set_property("CPU", {props.inference_num_threads: 4})
    core.compile_model(model, "CPU", {props.hint.performance_mode: props.hint.PerformanceMode.LATENCY})

A property is a str. Called without a value it gives its name, with one a pair for a dict.
"""
from .property import Property
from . import device, fuseq, hint, log, streams

enable_profiling = Property("PERF_COUNT")
cache_dir = Property("CACHE_DIR")
compilation_num_threads = Property("COMPILATION_NUM_THREADS")
inference_num_threads = Property("INFERENCE_NUM_THREADS")
num_streams = Property("NUM_STREAMS")
supported_properties = Property("SUPPORTED_PROPERTIES")
model_name = Property("NETWORK_NAME")
optimal_number_of_infer_requests = Property("OPTIMAL_NUMBER_OF_INFER_REQUESTS")
loaded_from_cache = Property("LOADED_FROM_CACHE")
available_devices = Property("AVAILABLE_DEVICES")
execution_devices = Property("EXECUTION_DEVICES")
range_for_streams = Property("RANGE_FOR_STREAMS")
range_for_async_infer_requests = Property("RANGE_FOR_ASYNC_INFER_REQUESTS")

__all__ = ["Property", "available_devices", "cache_dir", "compilation_num_threads", "device",
           "enable_profiling", "execution_devices", "fuseq", "hint", "inference_num_threads",
           "loaded_from_cache", "log", "model_name", "num_streams",
           "optimal_number_of_infer_requests", "range_for_async_infer_requests",
           "range_for_streams", "streams", "supported_properties"]
