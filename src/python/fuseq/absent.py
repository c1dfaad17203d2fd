# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Modules of OpenVINO that Fuseq has not: importing one says why, instead of "no module named"."""
import re
import sys

_REASONS = (
    (r"(runtime\.)?(opset\d*|op|passes|op_extension)(\..*)?", "graphs are read from files, not built"),
    (r"frontend(\..*)?", "read_model() reads every format there is"),
    (r"tools(\..*)?", "the tools are programs, and convert_model() a function"),
    (r"inference_engine(\..*)?|offline_transformations(\..*)?", "it has the calls of OpenVINO's API 2.0"),
    (r"properties\.intel_\w+", "there are no properties of such devices"),
    (r"torch(\..*)?", "it is no backend of PyTorch"),
)


class _Absent:
    """The last finder of modules, asked for what no other one has found."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        package, _, module = name.partition(".")
        if package != __package__:
            return None
        for pattern, reason in _REASONS:
            if re.fullmatch(pattern, module):
                # Without `name=`: `from fuseq import opset8` would say only that there is no such name.
                raise ModuleNotFoundError(f"Fuseq has no {name}: {reason} (docs/surface.md)")
        return None


def explain_imports():
    if _Absent not in sys.meta_path:
        sys.meta_path.append(_Absent)
