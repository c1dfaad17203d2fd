# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Inferences at the same time."""
from .property import Property

num = Property("NUM_STREAMS")

__all__ = ["num"]
