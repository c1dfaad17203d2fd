// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Pixels of three bytes to planes, as they are. AVX-512 VBMI (has_avx512_vbmi()).
#pragma once

#include <cstddef>
#include <cstdint>

namespace fuseq::kernels {

// Byte c of pixel i goes to planes[c * plane + i].
void split_triples(const std::uint8_t* src,
                   std::uint8_t* planes,
                   std::size_t plane,
                   std::size_t pixels);

}  // namespace fuseq::kernels
