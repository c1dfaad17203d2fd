# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""The layout that a model states for an input, or a port that feeds an output."""
from ._native import _get_layout as get_layout
from ._native import _set_layout as set_layout

__all__ = ["get_layout", "set_layout"]
