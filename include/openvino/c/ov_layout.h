// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "openvino/c/ov_common.h"

typedef struct ov_layout ov_layout_t;

OPENVINO_C_API(ov_status_e) ov_layout_create(const char* layout_desc, ov_layout_t** layout);
OPENVINO_C_API(void) ov_layout_free(ov_layout_t* layout);
/* To be freed by ov_free(). */
OPENVINO_C_API(const char*) ov_layout_to_string(const ov_layout_t* layout);
