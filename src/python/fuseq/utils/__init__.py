# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Helpers of programs, under OpenVINO's names."""
from . import types

__all__ = ["types"]
