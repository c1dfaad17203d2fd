// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#error \
    "Fuseq has no openvino/runtime/auto/properties.hpp: there is no AUTO device; its name means CPU (docs/openvino_compat.md)"
