// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#error \
    "Fuseq has no openvino/core/op_extension.hpp: operations are those of the opsets (docs/openvino_compat.md)"
