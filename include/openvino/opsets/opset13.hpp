// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#error \
    "Fuseq has no openvino/opsets/opset13.hpp: graphs are read, not built (docs/openvino_compat.md)"
