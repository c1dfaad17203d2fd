# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Fuseq's own; docs/debugging.md says what each does."""
from .property import Property

fusion = Property("FUSEQ_FUSION")
low_precision = Property("FUSEQ_LOW_PRECISION")
keep_intermediates = Property("FUSEQ_KEEP_INTERMEDIATES")
float_fallback = Property("FUSEQ_FLOAT_FALLBACK")
drop_middle_rounds = Property("FUSEQ_DROP_MIDDLE_ROUNDS")
own_gemm = Property("FUSEQ_OWN_GEMM")
tile_groups = Property("FUSEQ_TILE_GROUPS")
plan_cache_bytes = Property("FUSEQ_PLAN_CACHE_BYTES")
poison_memory = Property("FUSEQ_POISON_MEMORY")
keep_float = Property("FUSEQ_KEEP_FLOAT")
disable = Property("FUSEQ_DISABLE")
max_isa = Property("FUSEQ_MAX_ISA")
dump_dir = Property("FUSEQ_DUMP_DIR")
compile_threads = Property("FUSEQ_COMPILE_THREADS")
quantize_method = Property("QUANTIZE_METHOD")
quantize_method_layers = Property("QUANTIZE_METHOD_LAYERS")
isa = Property("FUSEQ_ISA")
placement = Property("FUSEQ_PLACEMENT")
cache = Property("FUSEQ_CACHE")
report = Property("FUSEQ_REPORT")
execution_graph = Property("FUSEQ_EXECUTION_GRAPH")
cached_plans = Property("FUSEQ_CACHED_PLANS")
cached_plan_bytes = Property("FUSEQ_CACHED_PLAN_BYTES")

__all__ = ["cache", "cached_plan_bytes", "cached_plans", "compile_threads", "disable",
           "drop_middle_rounds", "dump_dir", "execution_graph", "float_fallback", "fusion", "isa",
           "keep_float", "keep_intermediates", "low_precision", "max_isa", "own_gemm", "placement",
           "plan_cache_bytes", "poison_memory", "quantize_method", "quantize_method_layers",
           "report", "tile_groups"]
