# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Fuseq's own; docs/debugging.md says what each does."""
from .property import Property

fusion = Property("FUSEQ_FUSION")
low_precision = Property("FUSEQ_LOW_PRECISION")
keep_intermediates = Property("FUSEQ_KEEP_INTERMEDIATES")
keep_float = Property("FUSEQ_KEEP_FLOAT")
disable = Property("FUSEQ_DISABLE")
float_fallback = Property("FUSEQ_FLOAT_FALLBACK")
max_isa = Property("FUSEQ_MAX_ISA")
isa = Property("FUSEQ_ISA")
report = Property("FUSEQ_REPORT")

__all__ = ["disable", "float_fallback", "fusion", "isa", "keep_float", "keep_intermediates",
           "low_precision", "max_isa", "report"]
