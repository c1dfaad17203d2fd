# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Preprocessing as part of a model, with the names of OpenVINO's module.

    ppp = PrePostProcessor(model)
    ppp.input().tensor().set_element_type(ov.Type.u8).set_layout(ov.Layout("NHWC"))
    ppp.input().preprocess().resize(ResizeAlgorithm.RESIZE_LINEAR).mean([123.7, 116.3, 103.5])
    ppp.input().model().set_layout(ov.Layout("NCHW"))
    model = ppp.build()
"""
from . import _native

ColorFormat = _native.preprocess.ColorFormat
InputInfo = _native.preprocess.InputInfo
InputModelInfo = _native.preprocess.InputModelInfo
InputTensorInfo = _native.preprocess.InputTensorInfo
OutputInfo = _native.preprocess.OutputInfo
OutputModelInfo = _native.preprocess.OutputModelInfo
OutputTensorInfo = _native.preprocess.OutputTensorInfo
PaddingMode = _native.preprocess.PaddingMode
PostProcessSteps = _native.preprocess.PostProcessSteps
PrePostProcessor = _native.preprocess.PrePostProcessor
PreProcessSteps = _native.preprocess.PreProcessSteps
ResizeAlgorithm = _native.preprocess.ResizeAlgorithm

__all__ = ["ColorFormat", "InputInfo", "InputModelInfo", "InputTensorInfo", "OutputInfo",
           "OutputModelInfo", "OutputTensorInfo", "PaddingMode", "PostProcessSteps",
           "PrePostProcessor", "PreProcessSteps", "ResizeAlgorithm"]
