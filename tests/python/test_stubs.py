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
