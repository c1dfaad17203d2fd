# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""What a device says of itself."""
from .property import Property

full_name = Property("FULL_DEVICE_NAME")
capabilities = Property("OPTIMIZATION_CAPABILITIES")
architecture = Property("DEVICE_ARCHITECTURE")
type = Property("DEVICE_TYPE")  # OpenVINO's name

__all__ = ["architecture", "capabilities", "full_name", "type"]
