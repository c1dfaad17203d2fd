# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""What a device says of itself."""
from .property import Property

full_name = Property("FULL_DEVICE_NAME")
capabilities = Property("OPTIMIZATION_CAPABILITIES")

__all__ = ["capabilities", "full_name"]
