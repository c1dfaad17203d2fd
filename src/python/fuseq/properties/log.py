# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""How much a device says."""
from .property import Property

level = Property("LOG_LEVEL")

__all__ = ["level"]
