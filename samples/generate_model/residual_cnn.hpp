// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The bundled model: a small residual network that has one of everything that quantization meets.
#pragma once

#include <cstdint>
#include <memory>

#include "common/pictures/picture.hpp"
#include "fuseq/model.hpp"

namespace fuseq::samples {

inline constexpr std::uint64_t kDefaultSeed = 20260101;
inline constexpr std::size_t kImageSize = 64;

// An image of soft blobs and noise, [1, 3, 64, 64], values 0 to 255.
Tensor synthetic_image(std::uint64_t seed);
// The same as a picture.
Picture synthetic_picture(std::uint64_t seed);

// Input "image" f32 [1, 3, 64, 64] with values 0 to 255, output "scores" [1, 10]. The ranges of
// its FakeQuantize layers hold what a few synthetic images reach in the float network. The same
// seed gives the same model on every machine.
std::shared_ptr<Model> residual_cnn(std::uint64_t seed = kDefaultSeed);

}  // namespace fuseq::samples
