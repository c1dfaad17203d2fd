# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""The type stubs and docstrings say what the package has."""
import ast
import inspect
import pathlib

import pytest

import fuseq as ov

STUB = pathlib.Path(ov.__file__).with_name("__init__.pyi")
TREE = ast.parse(STUB.read_text())
CLASSES = {node.name: node for node in TREE.body if isinstance(node, ast.ClassDef)}


def stub_members(node):
    names = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
    return names | {item.target.id for item in node.body if isinstance(item, ast.AnnAssign)}


def members(cls):
    return {name for name in vars(cls) if not name.startswith("_")}


def test_every_public_name_has_a_stub():
    stubbed = {node.name for node in TREE.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    stubbed |= {alias.asname for node in TREE.body if isinstance(node, ast.ImportFrom)
                for alias in node.names if alias.asname}
    assert set(ov.__all__) == stubbed | {"Output"}


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_stubs_have_the_members_of_the_class(name):
    cls = getattr(ov, name)
    stubbed = {member for member in stub_members(CLASSES[name]) if not member.startswith("_")}
    assert stubbed == members(cls)


def test_every_class_and_function_has_a_docstring():
    missing = [name for name in ov.__all__
               if (inspect.isclass(getattr(ov, name)) or inspect.isroutine(getattr(ov, name)))
               and not inspect.getdoc(getattr(ov, name))]
    assert missing == []


@pytest.mark.parametrize("call", [
    lambda: ov.Core(xml_config="x"), lambda: ov.Core().import_model(b"", device="CPU"),
    lambda: ov.Core().query_model(None, device="CPU"), lambda: ov.Core().register_plugin("p.so", device="X"),
    lambda: ov.AsyncInferQueue(None, job=2), lambda: ov.convert_model("m.onnx", input_mdel=1),
    lambda: ov.save_model(None, "m.xml", compress_to_f16=True), lambda: ov.serialize(None, "m.xml", bin_pth=""),
    lambda: ov.preprocess.PreProcessSteps.resize(None, None, dst_heigth=1), lambda: ov.Layout(layout="NCHW")])
def test_unknown_keywords_name_the_nearest(call):
    with pytest.raises(TypeError, match=r"has no keyword '(\w+)'; did you mean '(\w+)'\? It has \w+"):
        call()


def test_values_of_other_types_are_answered_with_those_that_fit(core, cnn_path):
    steps = ov.preprocess.PrePostProcessor(core.read_model(cnn_path)).input().preprocess()
    with pytest.raises(TypeError, match=r"^resize\(\) takes other arguments: got \(str\), it takes \(alg: ResizeAlgorithm\) or "
                                        r"\(alg: ResizeAlgorithm, dst_height: int, dst_width: int\); ResizeAlgorithm is one of "
                                        r"RESIZE_LINEAR, "):
        steps.resize("linear")
    with pytest.raises(TypeError, match=r"^wait_for\(\) takes other arguments: got \(timeout: str\), it takes \(timeout: int\)$"):
        core.compile_model(cnn_path).create_infer_request().wait_for(timeout="long")
    with pytest.raises(TypeError, match=r"^Tensor\(\) takes other arguments: got \(int, int, int\), it takes \(port: ConstOutput\) or "):
        ov.Tensor(1, 2, 3)


def test_unknown_keywords_of_calls_without_any():
    with pytest.raises(TypeError, match=r"^get_available_devices\(\) has no keyword 'zzz'; it has none$"):
        ov.Core().get_available_devices(zzz=1)
    with pytest.raises(TypeError, match=r"^from_text\(\) has no keyword 'zzz'; it has text$"):
        ov.Model.from_text("", zzz=1)


def test_checked_calls_keep_names_and_docstrings():
    assert ov.Core.import_model.__name__ == "import_model"
    assert "export_model" in ov.Core.import_model.__doc__
