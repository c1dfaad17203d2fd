// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// OpenVINO's C++ API over Fuseq (docs/openvino_compat.md): programs that read, reshape, preprocess,
// compile and run models are compiled again and need no change. What builds graphs is absent.
#pragma once

#include "openvino/core/core.hpp"
#include "openvino/runtime/runtime.hpp"
