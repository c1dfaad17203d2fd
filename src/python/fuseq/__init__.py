# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Fuseq runs quantized neural networks on x86 CPUs.

    import numpy as np
    import fuseq as ov

    compiled = ov.Core().compile_model("model.xml", "CPU")
    scores = compiled(np.zeros((1, 3, 64, 64), np.float32))[0]

Names and call forms are those of OpenVINO's Python API, so that a script runs with the import
changed. Everything that goes wrong is a fuseq.Error (a RuntimeError); wrong keywords and values of
a type that no call takes are TypeErrors.
"""
from . import interpreter

interpreter.check()

from ._native import (CompiledModel, ConstOutput, Core, Dimension, Error, InferRequest, LayerDamage, Layout,
                      Model, Node, OVDict, PartialShape, ProfilingInfo, QuantizedLayer, QuantizedModel, Quantizer,
                      QuantizerStep, Tensor, Type, VariableState, Version, __version__, get_version)
from . import _native, absent, helpers, keywords, layout_helpers, preprocess, properties, utils
from .async_infer_queue import AsyncInferQueue
from .shape import Shape
from .functions import (compile_model, convert_model, explain, get_batch, quantize, read_model, save_model,
                        serialize, set_batch)

absent.explain_imports()
keywords.check_classes(_native)
keywords.check_classes(_native.preprocess)

# A port of a Model and one of a CompiledModel are of one class here.
Output = ConstOutput

__all__ = [
    "AsyncInferQueue", "CompiledModel", "ConstOutput", "Core", "Dimension", "Error", "InferRequest",
    "LayerDamage", "Layout", "Model", "Node", "OVDict", "Output", "PartialShape", "ProfilingInfo", "QuantizedLayer",
    "QuantizedModel", "Quantizer", "QuantizerStep", "Shape", "Tensor", "Type", "VariableState", "Version",
    "compile_model", "convert_model", "explain", "get_batch", "get_version", "helpers", "layout_helpers", "preprocess",
    "properties", "quantize", "read_model", "save_model", "serialize", "set_batch", "utils",
]

from . import runtime  # names of `__all__` in OpenVINO's older place
