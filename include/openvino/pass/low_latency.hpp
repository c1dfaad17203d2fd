// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#error \
    "Fuseq has no openvino/pass/low_latency.hpp: models are transformed by the device alone (docs/openvino_compat.md)"
