// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Colors of classes.
#pragma once

#include <cstddef>

#include "common/pictures/picture.hpp"

namespace fuseq::samples {

// Sixteen colors that are told apart, in turn.
Color color_of_class(std::size_t index);
// White or black, whichever is read on that ground.
Color readable_on(const Color& ground);

}  // namespace fuseq::samples
