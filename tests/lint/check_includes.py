#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Checks who includes whom (docs/architecture.md, "Layers").

usage: check_includes.py [ROOT]

Exit status 0 when every rule holds, 1 with one line a finding. A new folder needs a row in LAYERS;
the rows of src/cpu must allow no cycle.
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')

# Folder (longest match wins) -> folders and files it may include, written as include paths are.
MODEL = ["fuseq", "model", "ops"]


def cpu_rows():
    """The CPU device, from the bottom up: a folder may include what stands above it in its list."""
    rows = {
        "machine": ["fuseq"],
        "post_ops": ["fuseq", "cpu/machine"],
        "threading": ["fuseq", "cpu/machine"],
    }
    # Kernels know no operations and no plan, and start no threads.
    kernel = ["fuseq", "model", "cpu/machine", "cpu/post_ops/basic_ops.hpp",
              "cpu/post_ops/epilogue_program.hpp", "cpu/post_ops/support.hpp", "cpu/kernels/common"]
    rows["kernels/common"] = kernel
    rows["kernels/float_conv"] = kernel
    rows["kernels/eltwise"] = kernel
    for family in ("detection", "recurrent", "reduce"):
        rows[f"kernels/{family}"] = kernel + ["cpu/kernels/eltwise"]
    for family in ("depthwise", "small_conv"):
        rows[f"kernels/{family}"] = kernel + ["cpu/kernels/float_conv"]
    rows["kernels/small_conv"] += ["cpu/post_ops/chain_head.hpp"]
    rows["kernels/gemm"] = kernel + ["cpu/kernels/eltwise", "cpu/kernels/float_conv"]
    for family in ("pool", "resize"):
        rows[f"kernels/{family}"] = kernel
    rows["steps"] = MODEL + ["cpu/machine", "cpu/threading", "cpu/post_ops", "cpu/kernels"]
    planning = rows["steps"] + ["cpu/steps", "cpu/lowering", "cpu/plan"]
    rows["lowering"] = rows["steps"] + ["transformations", "cpu/steps", "cpu/lowering"]
    rows["plan"] = planning + ["transformations"]
    rows["exec"] = ["fuseq", "ops", "cpu/threading", "cpu/kernels/common", "cpu/steps", "cpu/plan"]
    rows["compile"] = planning + ["transformations", "cpu/exec"]
    rows["cache"] = rows["compile"] + ["ir", "cpu/compile"]
    rows["plugin"] = rows["cache"] + ["cpu/cache"]
    return {f"src/cpu/{folder}": allowed + [f"cpu/{folder}"] for folder, allowed in rows.items()}


LAYERS = {
    "include/fuseq": ["fuseq"],
    "include/openvino": ["fuseq", "openvino"],
    "src/model": MODEL,
    "src/ops": MODEL,
    "src/ir": MODEL + ["ir"],
    "src/preprocess": MODEL + ["preprocess"],
    "src/reference": MODEL + ["reference", "transformations"],
    "src/runtime": MODEL + ["ir", "runtime"],
    "transformations": MODEL + ["transformations"],
    **cpu_rows(),
    # Readers make models and know no device. Rooms to come: the quantizer runs them by the public
    # API, and what other languages and other libraries' programs see is made of that API alone.
    "src/readers/ir": MODEL + ["readers/ir"],
    "src/readers/common": MODEL + ["readers/common"],
    "src/readers/caffe2": MODEL + ["readers/common", "readers/caffe2"],
    "src/readers/mxnet": MODEL + ["readers/common", "readers/mxnet"],
    "src/readers/onnx": MODEL + ["readers/common", "readers/onnx"],
    "src/readers/tflite": MODEL + ["readers/common", "readers/tflite"],
    # Its C API has the handles of the runtime's.
    "src/quantizer": MODEL + ["transformations", "ir", "quantizer", "runtime/c_api_internal.hpp"],
    "src/python": ["fuseq", "python"],
    "src/compat": ["fuseq", "compat", "openvino"],
    # Programs use the public API, common/ and their own folder; the generator builds models out of
    # operations, and benchmark_app puts conversions into them (-ip, -mean_values).
    "samples": ["fuseq", "common", "model/nearest_name.hpp", "model/type_names.hpp"],
    "samples/benchmark_app": ["fuseq", "common", "ops"],
    "samples/generate_model": MODEL + ["ir", "common"],
    "tests": None,  # may include everything
}

# External headers that come in quotes too.
EXTERNAL = ["hwy"]
# External headers that only some folders may see.
ONEDNN = re.compile(r"^(oneapi/)?dnnl")
ONEDNN_FOLDERS = ["src/cpu", "tests/unit/cpu", "tests/bench"]
POST_OPS = "src/cpu/post_ops"
EMITTER = "dnnl_post_ops_composer."


def is_below(path, folder):
    return path == folder or path.startswith(folder + "/")


def layer_of(path):
    found = [folder for folder in LAYERS if is_below(path, folder)]
    return max(found, key=len) if found else None


def check_onednn(path, name):
    if not ONEDNN.match(name):
        return None
    if not any(is_below(path, folder) for folder in ONEDNN_FOLDERS):
        return "only src/cpu may include oneDNN"
    if is_below(path, POST_OPS) and not path.rsplit("/", 1)[1].startswith(EMITTER):
        return f"within {POST_OPS} only {EMITTER}* may include oneDNN"
    return None


def check_project(root, path, name, layer):
    """One include in quotes. It names a file below include/, src/, tests/ or the root."""
    folder = pathlib.PurePosixPath(path).parent
    allowed = LAYERS[layer]
    if (root / folder / name).is_file() and "/" not in name:
        return None  # a neighbour
    bases = ["include", "src", ".", "tests", "samples"]
    if not any((root / base / name).is_file() for base in bases):
        return "no such file"
    if layer.startswith("samples") and is_below("samples/" + name, folder.as_posix()):
        return None  # its own folder
    if allowed is not None and not any(is_below(name, a) for a in allowed):
        return f"{layer} may include only {', '.join(allowed)}"
    return None


def cycles(layers):
    """One line for each row below src/cpu that allows, by way of others, what includes it."""
    edges = {}
    for folder, allowed in layers.items():
        if is_below(folder, "src/cpu"):
            targets = {other for other in layers for a in allowed
                       if is_below(other, "src/" + a) or is_below("src/" + a, other)}
            edges.setdefault(folder, set()).update(targets)
    reached = {folder: targets - {folder} for folder, targets in edges.items()}
    while True:
        more = {folder: set().union(targets, *(reached.get(t, set()) for t in targets))
                for folder, targets in reached.items()}
        if more == reached:
            break
        reached = more
    for folder in sorted(reached):
        if folder in reached[folder]:
            yield f"{folder}: its row in LAYERS closes a cycle"


def check_file(root, path):
    layer = layer_of(path)
    if layer is None:
        yield f"{path}: no layer for this folder; add a row to LAYERS in tests/lint/check_includes.py"
        return
    text = (root / path).read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        name = match.group(2)
        finding = check_onednn(path, name)
        external = any(is_below(name, library) for library in EXTERNAL)
        if finding is None and match.group(1) == '"' and not external:
            finding = check_project(root, path, name, layer)
        if finding:
            yield f'{path}:{number}: includes "{name}": {finding}'


def source_files(root):
    for top in ("include", "src", "transformations", "samples", "tests"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".cpp", ".hpp", ".h", ".inc") and path.is_file():
                yield path.relative_to(root).as_posix()


def main(arguments):
    root = pathlib.Path(arguments[1] if len(arguments) > 1 else ".").resolve()
    files = list(source_files(root))
    if not files:
        print(f"error: no sources below {root}")
        return 1
    findings = list(cycles(LAYERS))
    findings += [finding for path in files for finding in check_file(root, path)]
    for finding in findings:
        print(finding)
    if not findings:
        print(f"includes: {len(files)} files, all rules hold")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
