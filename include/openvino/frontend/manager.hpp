// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#error \
    "Fuseq has no openvino/frontend/manager.hpp: readers are plugins, fuseq/reader.hpp (docs/openvino_compat.md)"
