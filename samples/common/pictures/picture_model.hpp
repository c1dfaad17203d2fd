// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A model that takes the bytes of a picture.
#pragma once

#include <memory>

#include "common/pictures/picture.hpp"
#include "fuseq/fuseq.hpp"

namespace fuseq::samples {

// The first input becomes u8 [1, H, W, 3] of the size of the picture; conversion, layout and the
// resize to what the network takes, [1, 3, H, W] of reals, become part of the model.
std::shared_ptr<Model> model_of_picture(const std::shared_ptr<Model>& model,
                                        const Picture& picture);

// The memory of the picture as the input of such a model.
Tensor tensor_of_picture(Picture& picture);

}  // namespace fuseq::samples
