// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#error \
    "Fuseq has no openvino/runtime/intel_cpu/properties.hpp: they tune OpenVINO's own CPU device (docs/openvino_compat.md)"
