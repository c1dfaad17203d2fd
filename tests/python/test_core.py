# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Core: devices and properties."""
import re
import subprocess
import sys

import numpy as np
import pytest

import fuseq as ov
import fuseq.properties as props
import fuseq.properties.hint as hints

from conftest import ROOT


def test_devices(core):
    assert {"CPU", "REFERENCE"} <= set(core.available_devices)
    assert core.get_versions("CPU")["CPU"].build_number == ov.get_version() == ov.__version__
    assert core.get_property("CPU", "FULL_DEVICE_NAME")
    assert "INT8" in core.get_property("CPU", props.device.capabilities)


def test_properties_by_name_and_by_constant(cnn_path):
    core = ov.Core()
    core.set_property("CPU", {props.inference_num_threads: 1, "PERF_COUNT": True})
    assert core.get_property("CPU", props.inference_num_threads) == 1
    assert core.get_property("CPU", "PERF_COUNT") is True
    compiled = core.compile_model(cnn_path, "CPU", {
        hints.performance_mode(): hints.PerformanceMode.LATENCY, props.num_streams(): "1"})
    assert compiled.get_property(hints.performance_mode) == "LATENCY"
    assert compiled.get_property("NUM_STREAMS") == 1
    assert compiled.get_property(props.model_name) == "residual_cnn"
    assert compiled.get_property(props.optimal_number_of_infer_requests) == 1
    assert dict([props.enable_profiling(True)]) == {"PERF_COUNT": True}


def constants(module):
    for value in vars(module).values():
        if isinstance(value, props.Property):
            yield value


@pytest.mark.parametrize("module", [props, props.hint, props.device, props.streams, props.fuseq])
def test_every_constant_is_a_property_of_the_device(core, cnn_path, module):
    compiled = core.compile_model(cnn_path)
    known = set(core.get_property("CPU", "SUPPORTED_PROPERTIES"))
    known |= set(compiled.get_property("SUPPORTED_PROPERTIES")) | {"SUPPORTED_PROPERTIES"}
    names = list(constants(module))
    assert names and set(names) <= known


def constants(module):
    return {str(value) for value in vars(module).values() if isinstance(value, props.Property)}


def test_every_property_has_a_constant(core, cnn_path):
    known = set()
    for module in (props, props.hint, props.device, props.log, props.streams, props.fuseq):
        known |= constants(module)
    compiled = core.compile_model(cnn_path, "CPU")
    supported = {str(name) for name in core.get_property("CPU", "SUPPORTED_PROPERTIES")}
    supported |= {str(name) for name in compiled.get_property("SUPPORTED_PROPERTIES")}
    assert supported == known


def test_properties_that_are_absent_by_design_say_why(core):
    page = (ROOT / "docs/properties.md").read_text().partition("## By design absent")[2]
    names = re.findall(r"`([A-Z_]+)`", page)
    assert len(names) > 15
    for name in {*names} - {"ENABLE_CPU_PINNING"}:
        with pytest.raises(ov.Error, match=f"'{name}'; it is OpenVINO's, and absent here: \\w+"):
            core.get_property("CPU", name)


def test_unknown_properties_name_the_nearest(core, cnn_path):
    with pytest.raises(ov.Error, match="'INFERENCE_NUM_THREAD'.*did you mean 'INFERENCE_NUM_THREADS'"):
        core.compile_model(cnn_path, "CPU", {"INFERENCE_NUM_THREAD": 1})
    with pytest.raises(ov.Error, match="did you mean 'NUM_STREAMS'"):
        core.set_property("CPU", {"NUM_STREAM": 1})
    with pytest.raises(ov.Error, match="did you mean 'PERF_COUNT'"):
        core.get_property("CPU", "PERF_COUNTS")
    with pytest.raises(ov.Error, match="did you mean 'NETWORK_NAME'"):
        core.compile_model(cnn_path).get_property("NETWRK_NAME")
    with pytest.raises(ov.Error, match="PERFORMANCE_HINT is 'FAST', expected one of LATENCY, THROUGHPUT"):
        core.compile_model(cnn_path, "CPU", {"PERFORMANCE_HINT": "FAST"})
    with pytest.raises(TypeError, match="properties are a dict"):
        core.compile_model(cnn_path, "CPU", ["NUM_STREAMS"])
    with pytest.raises(TypeError, match="no keyword 'device'; did you mean 'device_name'"):
        core.compile_model(cnn_path, device="CPU")


def test_unknown_devices_are_refused(core, cnn_path):
    with pytest.raises(ov.Error, match="GPU"):
        core.compile_model(cnn_path, "GPU")


def test_auto_is_the_fast_device(core, cnn_path, cnn_image):
    np.testing.assert_array_equal(core.compile_model(cnn_path, "AUTO")(cnn_image)[0],
                                  ov.compile_model(cnn_path)(cnn_image)[0])


def test_query_model(core, cnn_path):
    model = core.read_model(cnn_path)
    layers = core.query_model(model, "CPU")
    assert set(layers) == {op.friendly_name for op in model.get_ops()}
    assert set(layers.values()) == {"CPU"}


def test_the_process_ends_with_runs_under_way(cnn_path):
    program = f"""
import numpy as np, fuseq as ov
request = ov.Core().compile_model({str(cnn_path)!r}, "REFERENCE").create_infer_request()
request.set_callback(print, "called back")
request.start_async(np.zeros((1, 3, 64, 64), np.float32))
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stdout, run.stderr) == (0, "called back\n", "")
