// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/model.hpp"

namespace fuseq::cpu {

// Where the results of a deconvolution go on behind the last tap of the last element of src, as
// with an output_padding that is more than pads_end, its kernel gets taps of zero at the end until
// they do not: oneDNN's int8 deconvolutions give wrong numbers near such an end.
void cover_deconvolutions(Model& model);

}  // namespace fuseq::cpu
