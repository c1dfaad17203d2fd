// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/model.hpp"

namespace fuseq::cpu {

// A constant that differs within an image but is the same for all images of the batch
// (corrections of a zero point at the borders) is repeated for each image, so that the arithmetic
// with it can join a chain as a tensor of the same shape. Only where shapes are static.
void expand_constants(Model& model);

}  // namespace fuseq::cpu
