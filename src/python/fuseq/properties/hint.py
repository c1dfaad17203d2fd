# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""What a model is compiled for."""
import enum

from .property import Property


class PerformanceMode(enum.Enum):
    """Values of performance_mode."""

    LATENCY = "LATENCY"
    THROUGHPUT = "THROUGHPUT"
    CUMULATIVE_THROUGHPUT = "CUMULATIVE_THROUGHPUT"

    def __str__(self):
        return self.value


performance_mode = Property("PERFORMANCE_HINT")

__all__ = ["PerformanceMode", "performance_mode"]
