# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Shapes whose sizes are all known."""
import operator

from ._native import PartialShape


class Shape(list):
    """A list of sizes: Shape([1, 3, 224, 224]), Shape("[1,3,224,224]").

    It compares equal to lists and tuples. Raises fuseq.Error for text with open sizes, TypeError
    for what is no whole number.
    """

    def __init__(self, axis_lengths=()):
        if isinstance(axis_lengths, str):
            axis_lengths = PartialShape(axis_lengths).to_shape()
        super().__init__(operator.index(size) for size in axis_lengths)

    def __eq__(self, other):
        return list.__eq__(self, list(other) if isinstance(other, tuple) else other)

    def __ne__(self, other):
        return not self == other

    __hash__ = None

    def to_string(self):
        """[1,3,224,224]"""
        return "[" + ",".join(map(str, self)) + "]"

    def __str__(self):
        return self.to_string()

    def __repr__(self):
        return f"<Shape: {self.to_string()}>"
