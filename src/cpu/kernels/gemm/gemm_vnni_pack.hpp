// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What laying out and packing a matrix product share.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"

namespace fuseq::kernels::gemm {

// The params of a convolution, also where those given are a deconvolution's. Its own lists are
// shown by spans of `params`.
struct AsConvolution {
    explicit AsConvolution(const GemmParams& given);
    AsConvolution(const AsConvolution&) = delete;
    AsConvolution& operator=(const AsConvolution&) = delete;

    GemmParams params;
    std::optional<SubPixels> subpixels{};
    std::vector<float> scale{}, bias{};
};

// `otherwise` where the list is empty; one value or one a channel; padded with zeros to whole
// panels. Throws Error for other sizes.
AlignedVector<float> padded(std::span<const float> list,
                            float otherwise,
                            std::size_t channels,
                            const char* what);
std::size_t padded_channels(std::size_t channels);

// Throws Error for types that are not stored.
Store store_of(const GemmParams& params);
// `quick`: see PackedOp. Throws Error for operations that there are not.
std::vector<PackedOp> packed_ops(const GemmParams& params, bool quick);
// Whether the list of operations is a clip and a factor, for unsigned bytes.
bool clips(const GemmParams& params);
// Packed::epilogue, after the weights.
void pack_epilogue(const GemmParams& params, Packed& packed);

}  // namespace fuseq::kernels::gemm
