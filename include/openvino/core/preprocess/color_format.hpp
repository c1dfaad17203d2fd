// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/preprocess.hpp"

namespace ov::preprocess {
using fuseq::preprocess::ColorFormat;
using fuseq::preprocess::PaddingMode;
using fuseq::preprocess::ResizeAlgorithm;
}  // namespace ov::preprocess
