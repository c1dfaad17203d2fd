// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "openvino/c/ov_dimension.h"

typedef ov_dimension_t ov_rank_t;

OPENVINO_C_API(bool) ov_rank_is_dynamic(const ov_rank_t rank);
