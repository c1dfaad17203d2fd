# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""How much a device says."""
import enum

from .property import Property


class Level(str, enum.Enum):
    """Values of level."""

    NO = "LOG_NONE"
    ERR = "LOG_ERROR"
    WARNING = "LOG_WARNING"
    INFO = "LOG_INFO"
    DEBUG = "LOG_DEBUG"
    TRACE = "LOG_TRACE"

    def __str__(self):
        return self.value


level = Property("LOG_LEVEL")

__all__ = ["Level", "level"]
