// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#error \
    "Fuseq has no openvino/runtime/remote_tensor.hpp: there is no device with memory of its own (docs/openvino_compat.md)"
