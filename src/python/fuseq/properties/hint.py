# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""What a model is compiled for."""
import enum

from .property import Property


class PerformanceMode(str, enum.Enum):
    """Values of performance_mode."""

    LATENCY = "LATENCY"
    THROUGHPUT = "THROUGHPUT"
    CUMULATIVE_THROUGHPUT = "CUMULATIVE_THROUGHPUT"

    def __str__(self):
        return self.value


class ExecutionMode(str, enum.Enum):
    """Values of execution_mode."""

    PERFORMANCE = "PERFORMANCE"
    ACCURACY = "ACCURACY"

    def __str__(self):
        return self.value


class SchedulingCoreType(str, enum.Enum):
    """Values of scheduling_core_type."""

    ANY_CORE = "ANY_CORE"
    PCORE_ONLY = "PCORE_ONLY"
    ECORE_ONLY = "ECORE_ONLY"

    def __str__(self):
        return self.value


performance_mode = Property("PERFORMANCE_HINT")
num_requests = Property("PERFORMANCE_HINT_NUM_REQUESTS")
execution_mode = Property("EXECUTION_MODE_HINT")
inference_precision = Property("INFERENCE_PRECISION_HINT")
enable_cpu_pinning = Property("ENABLE_CPU_PINNING")
enable_hyper_threading = Property("ENABLE_HYPER_THREADING")
scheduling_core_type = Property("SCHEDULING_CORE_TYPE")

__all__ = ["ExecutionMode", "PerformanceMode", "SchedulingCoreType", "enable_cpu_pinning",
           "enable_hyper_threading", "execution_mode", "inference_precision", "num_requests",
           "performance_mode", "scheduling_core_type"]
