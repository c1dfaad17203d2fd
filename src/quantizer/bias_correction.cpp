// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/bias_correction.hpp"

#include <algorithm>

#include "ops/convolution.hpp"
#include "ops/matmul.hpp"
#include "quantizer/placement.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq::quantizer {
namespace {

// For each spatial dimension and tap, the share of window positions where it lies in the source.
// Empty where that is not known, or where there is no padding to speak of.
using TapShares = std::vector<std::vector<double>>;

TapShares tap_shares(const Node& anchor, const Shape& weights) {
    const PartialShape& source = anchor.input(0).partial_shape();
    if (anchor.is("MatMul") || !source.is_static()) {
        return {};
    }
    const Shape shape = source.to_shape();
    TapShares shares;
    const auto windows = convolution_windows(anchor.attrs<ConvolutionAttrs>(), shape, weights);
    for (std::size_t d = 0; d < windows.size(); ++d) {
        const Window& window = windows[d];
        const auto size = static_cast<std::int64_t>(shape[d + 2]);
        const std::int64_t positions = window_positions(size, window);
        std::vector<double>& of_taps = shares.emplace_back();
        for (std::int64_t tap = 0; tap < window.size; ++tap) {
            std::int64_t inside = 0;
            for (std::int64_t p = 0; p < positions; ++p) {
                const std::int64_t at =
                    p * window.stride - window.pad_begin + tap * window.dilation;
                inside += at >= 0 && at < size ? 1 : 0;
            }
            of_taps.push_back(
                positions > 0 ? static_cast<double>(inside) / static_cast<double>(positions) : 0.0);
        }
    }
    return shares;
}

// What each weight is multiplied by, on average.
class Factors {
public:
    Factors(const Node& anchor, const Shape& shape, const std::vector<double>& means)
        : shape_(shape),
          means_(means),
          shares_(tap_shares(anchor, shape)),
          grouped_(anchor.is("GroupConvolution")) {
        if (anchor.is("MatMul")) {
            const bool rows = shape.size() > 1 && !anchor.attrs<MatMulAttrs>().transpose_b;
            channel_dim_ = shape.size() - (rows ? 2 : 1);
        } else {
            channel_dim_ = grouped_ ? 2 : 1;
        }
    }

    double operator()(std::size_t element) const {
        std::vector<std::size_t> at(shape_.size());
        for (std::size_t d = shape_.size(); d-- > 0; element /= shape_[d]) {
            at[d] = element % shape_[d];
        }
        const std::size_t group = grouped_ ? at[0] * shape_[2] : 0;
        double factor = means_.at(group + at[channel_dim_]);
        const std::size_t first = shape_.size() - shares_.size();
        for (std::size_t d = 0; d < shares_.size(); ++d) {
            factor *= shares_[d][at[first + d]];
        }
        return factor;
    }

private:
    const Shape& shape_;
    const std::vector<double>& means_;
    TapShares shares_;
    bool grouped_;
    std::size_t channel_dim_ = 0;
};

}  // namespace

std::vector<double> input_means(const Node& anchor, const Profile& profile) {
    const auto found = profile.tensors.find(tensor_name(anchor.input(0)));
    if (found == profile.tensors.end() || found->second.channel_count == 0) {
        return {};
    }
    // Of a MatMul, channels are the last dimension.
    const bool channels_fit =
        is_one_of(anchor, {"Convolution", "GroupConvolution"}) ||
        (anchor.is("MatMul") && !anchor.attrs<MatMulAttrs>().transpose_a &&
         channel_dim_of(anchor.input(0)) + 1 == anchor.input(0).partial_shape().rank());
    if (!channels_fit) {
        return {};
    }
    std::vector<double> means = found->second.channel_sums;
    for (double& mean : means) {
        mean /= static_cast<double>(found->second.channel_count);
    }
    return means;
}

std::vector<double> mean_errors(const Node& anchor,
                                const ChannelOrder& order,
                                const Tensor& before,
                                const Tensor& after,
                                const std::vector<double>& means) {
    const Factors factor(anchor, before.get_shape(), means);
    const float* exact = before.data<float>();
    const float* rounded = after.data<float>();
    std::vector<double> errors(order.count());
    order.for_each_run([&](std::size_t channel, std::size_t begin, std::size_t count) {
        for (std::size_t i = begin; i < begin + count; ++i) {
            errors[channel] +=
                (static_cast<double>(rounded[i]) - static_cast<double>(exact[i])) * factor(i);
        }
    });
    return errors;
}

}  // namespace fuseq::quantizer
