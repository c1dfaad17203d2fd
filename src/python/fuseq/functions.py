# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Functions of the package that need no object of their own."""
import os

from . import _native, keywords, layout_helpers
from ._native import CompiledModel, Core, Error, Model, PartialShape, Quantizer


def read_model(model, weights=None, **unknown):
    """Reads a model on a new Core; see Core.read_model()."""
    return Core().read_model(model, weights, **unknown)


def compile_model(model, device_name="CPU", config=None, **unknown):
    """Makes a Model, a path or bytes ready for a device; see Core.compile_model()."""
    return Core().compile_model(model, device_name, config, **unknown)


def _wanted_shapes(model, wanted):
    """What the keyword `input` of convert_model() says, for Model.reshape()."""
    if isinstance(wanted, dict):
        return wanted
    if isinstance(wanted, tuple) and len(wanted) == 2 and isinstance(wanted[0], str):
        return dict([wanted])
    parts = wanted if isinstance(wanted, list) else []
    if parts and all(isinstance(part, tuple) and len(part) == 2 and isinstance(part[0], str) for part in parts):
        return dict(parts)
    if parts and all(isinstance(part, (list, tuple, PartialShape)) for part in parts) and len(parts) == len(model.inputs):
        return dict(enumerate(parts))
    return wanted


@keywords.checked
def convert_model(input_model, input=None):
    """Reads the file of a format that Fuseq has a reader for (.onnx, .tflite, .xml, ...).

    input: new shapes of the inputs, as Model.reshape() takes them, a list in the order of the inputs,
    or (name, shape) for each. Raises TypeError for the objects of other frameworks, which OpenVINO's
    function takes too, and Error where a layer refuses a shape.
    """
    if not isinstance(input_model, (str, os.PathLike)):
        raise TypeError(f"got {type(input_model)}; Fuseq reads files: export the model to ONNX and "
                        "give its path")
    model = read_model(input_model)
    if input is not None:
        model.reshape(_wanted_shapes(model, input))
    return model


@keywords.checked
def save_model(model, output_model, compress_to_fp16=False, ir_version=11):
    """Writes an IR: output_model ends in .xml, the values of constants go to a .bin beside it.

    Constants keep their types; compress_to_fp16=True raises Error. Raises Error where the files
    cannot be written.
    """
    if compress_to_fp16:
        raise Error("write: Fuseq does not make f16 constants of f32 ones (compress_to_fp16)")
    _native._save_model(model, os.fspath(output_model), "", ir_version)


def _batch_dimensions(model):
    """Of each input: the port, and which dimension is the batch; None where its layout says none."""
    for port in model.inputs:
        layout = layout_helpers.get_layout(port)
        yield port, layout_helpers.batch_idx(layout) if layout_helpers.has_batch(layout) else None


_NO_BATCH = "no input has a layout with N; layout_helpers.set_layout() gives it one"


def get_batch(model):
    """The Dimension that is the batch of the inputs. Raises Error where no input has a layout with N,
    or inputs differ."""
    sizes = [port.partial_shape[axis] for port, axis in _batch_dimensions(model) if axis is not None]
    if not sizes:
        raise Error(f"model: {_NO_BATCH}")
    if any(size != sizes[0] for size in sizes):
        raise Error(f"model: inputs have batches of different sizes: {', '.join(map(str, sizes))}")
    return sizes[0]


def set_batch(model, batch_size=-1):
    """Gives the inputs that have a layout with N another batch; -1: open. Raises Error where no
    input has a layout with N; and where a layer refuses the shape, which leaves the model as it was."""
    shapes = {}
    for port, axis in _batch_dimensions(model):
        if axis is not None:
            shape = port.partial_shape
            shape[axis] = batch_size
            shapes[port] = shape
    if not shapes:
        raise Error(f"model: {_NO_BATCH}")
    model.reshape(shapes)


_VERSIONS = {"UNSPECIFIED": 11, "IR_V10": 10, "IR_V11": 11}


@keywords.checked
def serialize(model, xml_path, bin_path="", version="UNSPECIFIED"):
    """Writes an IR of version IR_V10 or IR_V11 (UNSPECIFIED). Raises Error for another one."""
    if version not in _VERSIONS:
        raise Error(f"write: version is {version!r}, expected one of {', '.join(_VERSIONS)}")
    _native._save_model(model, os.fspath(xml_path), os.fspath(bin_path), _VERSIONS[version])


@keywords.checked
def explain(model, device_name="CPU", config=None):
    """The report of what became of every FakeQuantize and every layer, as a dict.

    model: a CompiledModel, or what Core.compile_model() takes. A model with open shapes has a
    report after its first inference; raises Error before.
    """
    if not isinstance(model, CompiledModel):
        model = compile_model(model, device_name, config)
    return model.explain()


def quantize(model, data, *, subset_size=None, progress=None, **options):
    """Makes an int8 model of a float one.

    model: a Model or what Core.read_model() takes. data: calibration inputs, each an array for a
    model with one input, a list in the order of the inputs, or a dict by index or name; any
    iterable, of which the first subset_size are used. progress(done, total) may return False to
    stop. options: those of the tool `quantize` and docs/quantizer.md (schema="symmetric",
    calibration="kl", keep_original_precision=["Add"], max_drop=("SQNR", 30), ...).

    Returns a QuantizedModel: .model, .layers, .remarks, .save(path). Raises Error for data of a
    wrong type or shape, TypeError for an option that there is not, naming the nearest.
    """
    if not isinstance(model, Model):
        model = read_model(model)
    quantizer = Quantizer(model, **options)
    items = data if hasattr(data, "__len__") and hasattr(data, "__getitem__") else list(data)
    if subset_size is not None:
        items = [items[i] for i in range(min(subset_size, len(items)))]
    if not quantizer.profile(items, progress):
        raise Error(f"quantize: stopped after {quantizer.profiled_inputs} inputs")
    return quantizer.quantize(items)
