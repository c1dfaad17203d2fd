// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#error \
    "Fuseq has no openvino/runtime/intel_gpu/properties.hpp: there is no GPU device (docs/openvino_compat.md)"
