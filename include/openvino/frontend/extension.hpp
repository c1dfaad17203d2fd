// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#error \
    "Fuseq has no openvino/frontend/extension.hpp: readers are plugins, fuseq/reader.hpp (docs/openvino_compat.md)"
