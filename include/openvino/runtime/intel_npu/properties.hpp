// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#error \
    "Fuseq has no openvino/runtime/intel_npu/properties.hpp: there is no NPU device (docs/openvino_compat.md)"
