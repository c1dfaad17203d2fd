// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#error \
    "Fuseq has no openvino/runtime/allocator.hpp: tensors are aligned to 64 bytes, or lie over memory of the caller (docs/openvino_compat.md)"
