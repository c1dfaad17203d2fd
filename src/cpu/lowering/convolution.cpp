// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Convolution and GroupConvolution by oneDNN.
#include "ops/convolution.hpp"
#include "cpu/lowering/spatial_anchor.hpp"

namespace fuseq::cpu {
namespace {

// oneDNN's brgconv fills tables of its own for every column of dst: a row of a million columns takes
// 150 MB and 3 seconds to compile, one of 16 million half a minute.
constexpr dnnl::memory::dim kMaxBrgconvColumns = 1 << 17;

class ConvolutionMaker final : public SpatialAnchorMaker {
public:
    using SpatialAnchorMaker::SpatialAnchorMaker;

protected:
    post_ops::AnchorKind kind() const override { return post_ops::AnchorKind::kConvolution; }
    const char* kind_name() const override { return "convolution"; }

    Padding padding() const override {
        Padding result;
        const auto windows = convolution_windows(node().attrs<ConvolutionAttrs>(), src().dims(),
                                                 weights().get_shape());
        for (std::size_t d = 0; d < windows.size(); ++d) {
            const Window& w = windows[d];
            result.strides.push_back(w.stride);
            result.dilations.push_back(w.dilation - 1);
            result.begin.push_back(w.pad_begin);
            // Floor division may leave a rest that the last window does not reach.
            const auto in = static_cast<std::int64_t>(src().dims()[d + 2]);
            const auto out = static_cast<std::int64_t>(dst_dims()[d + 2]);
            result.end.push_back((out - 1) * w.stride + w.extent() - in - w.pad_begin);
        }
        return result;
    }

    dnnl::memory::desc plain_weights(ElementType type) const override {
        return dnnl_desc(type, weights().get_shape(), Layout::kPlain);
    }

    std::size_t output_channel(std::size_t element) const override {
        return element / (weights().get_size() / dst_dims()[1]);
    }

    std::size_t zero_point_input() const override { return 2; }

    dnnl::primitive_desc create(const Descriptors& d,
                                const Padding& p,
                                const dnnl::primitive_attr& attr,
                                const std::string& preferred) const override {
        const dnnl::convolution_forward::desc operation(
            dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, d.src, d.wei,
            d.bias, d.dst, p.strides, p.dilations, p.begin, p.end);
        const dnnl::convolution_forward::primitive_desc first(operation, attr, cpu_engine());
        return preferred.empty() && d.dst.dims().back() > kMaxBrgconvColumns
                   ? implementation_without(first, "brgconv:")
                   : implementation_named(first, preferred);
    }

    std::int64_t macs() const override {
        return static_cast<std::int64_t>(shape_size(dst_dims()) *
                                         (weights().get_size() / dst_dims()[1]));
    }
};

}  // namespace

TensorId make_convolution(StepBuilder& builder, const Group& group) {
    return ConvolutionMaker(builder, group).make();
}

}  // namespace fuseq::cpu
