# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""The layout that a model states for an input, or a port that feeds an output; where dimensions are."""
from ._native import _get_layout as get_layout
from ._native import _set_layout as set_layout


def _of(name, letter):
    def has(layout):
        return layout.has_name(letter)

    def index(layout):
        return layout.get_index_by_name(letter)
    has.__name__, has.__doc__ = f"has_{name}", f"Whether the layout says where the {name} is."
    index.__name__ = f"{name}_idx"
    index.__doc__ = f"The dimension of the {name}; negative, counted from the end, after dots. Raises Error where there is none."
    return has, index


has_batch, batch_idx = _of("batch", "N")
has_channels, channels_idx = _of("channels", "C")
has_depth, depth_idx = _of("depth", "D")
has_height, height_idx = _of("height", "H")
has_width, width_idx = _of("width", "W")

__all__ = ["batch_idx", "channels_idx", "depth_idx", "get_layout", "has_batch", "has_channels", "has_depth", "has_height",
           "has_width", "height_idx", "set_layout", "width_idx"]
