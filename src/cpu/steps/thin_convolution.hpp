// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Integer convolution of few channels by the plugin's own kernel, with the whole chain behind it on
// tiles that lie in the L1 cache, written in either layout.
#pragma once

#include <optional>

#include "cpu/kernels/border.hpp"
#include "cpu/kernels/chain_kernel.hpp"
#include "cpu/kernels/thin_conv.hpp"
#include "cpu/steps/step.hpp"

namespace fuseq::cpu {

class ThinConvolutionStep final : public Step {
public:
    // `rest`: what is left of the chain behind scale and bias; its dst_type is that of `dst`. The
    // tensors that it reads are of the size of dst and channels-last, as dst is then.
    ThinConvolutionStep(kernels::ThinConv kernel,
                        const post_ops::Chain& rest,
                        TensorId src,
                        const std::vector<TensorId>& extras,
                        const PlanTensor& dst,
                        TensorId dst_id);
    std::unique_ptr<Runner> bind(RequestMemory& memory) const override;
    std::optional<RowWalk> row_walk() const override;
    std::size_t packed_bytes() const override { return kernel_.packed_bytes(); }

private:
    class Run;

    kernels::ThinConv kernel_;
    std::optional<kernels::ChainKernel> chain_;
    kernels::BorderParams border_;  // of a tile, for channels-last results
    std::size_t height_ = 0;
    std::size_t width_ = 0;
    bool channels_last_ = true;
    bool by_rows_ = true;     // pixels of dst lie one behind the other
    bool by_pixels_ = false;  // the chain runs on pixels, not on planes
    bool direct_ = false;     // the kernel stores the result
};

}  // namespace fuseq::cpu
