// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/model.hpp"

namespace fuseq::cpu {

// Where the results of a deconvolution go on after the last tap of the last element of src, as
// with an output_padding that is more than pads_end, its kernel gets taps of zero at the end until
// they do not: oneDNN's int8 deconvolutions give wrong numbers near such an end. So do kernels
// smaller than their stride, until they reach it: oneDNN fills the rows between the taps with what
// happened to be in its registers.
void cover_deconvolutions(Model& model);

}  // namespace fuseq::cpu
