// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies bytes, those of signed integers on the way to unsigned ones.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fuseq::kernels {

// dst = src ^ flip; the two do not overlap.
void copy_flipped(const std::uint8_t* src, std::uint8_t* dst, std::size_t bytes, std::uint8_t flip);

}  // namespace fuseq::kernels
