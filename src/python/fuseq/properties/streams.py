# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Inferences at the same time."""
import enum

from .property import Property


class Num(enum.IntEnum):
    """Values of num beside a number."""

    AUTO = -1
    NUMA = -2

    def __str__(self):
        return self.name


num = Property("NUM_STREAMS")

__all__ = ["Num", "num"]
