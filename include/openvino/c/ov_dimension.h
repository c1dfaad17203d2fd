// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "openvino/c/ov_common.h"

/* A size of min to max; max -1: no limit. */
typedef struct ov_dimension {
    int64_t min;
    int64_t max;
} ov_dimension_t;

OPENVINO_C_API(bool) ov_dimension_is_dynamic(const ov_dimension_t dim);
