// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// ConvolutionBackpropData and GroupConvolutionBackpropData by oneDNN's deconvolution, where
// gemm.hpp does not take them.
#include "ops/deconvolution.hpp"
#include "cpu/lowering/spatial_anchor.hpp"

namespace fuseq::cpu {
namespace {

class DeconvolutionMaker final : public SpatialAnchorMaker {
public:
    using SpatialAnchorMaker::SpatialAnchorMaker;

protected:
    post_ops::AnchorKind kind() const override { return post_ops::AnchorKind::kDeconvolution; }
    const char* kind_name() const override { return "deconvolution"; }

    Padding padding() const override {
        const auto& attrs = node().attrs<DeconvolutionAttrs>();
        std::optional<std::vector<std::int64_t>> output_shape;
        if (node().has_input(2)) {
            output_shape = to_ints(node().input_node(2)->constant());
        }
        Padding result;
        for (const DeconvolutionWindow& d :
             deconvolution_windows(attrs, src().dims(), weights().get_shape(), output_shape)) {
            result.strides.push_back(d.window.stride);
            result.dilations.push_back(d.window.dilation - 1);
            result.begin.push_back(d.window.pad_begin);
            result.end.push_back(d.window.pad_end);
        }
        return result;
    }

    // The IR's weights are [IC, OC, kernel] or [G, IC/G, OC/G, kernel].
    dnnl::memory::desc plain_weights(ElementType type) const override {
        const Shape& shape = weights().get_shape();
        std::vector<int> order(shape.size());
        for (std::size_t d = 0; d < shape.size(); ++d) {
            order[d] = static_cast<int>(d);
        }
        std::swap(order[groups()], order[groups() + 1]);
        return dnnl_desc(type, shape, Layout::kPlain).permute_axes(order);
    }

    std::size_t output_channel(std::size_t element) const override {
        const Shape& shape = weights().get_shape();
        std::size_t kernel = 1;
        for (std::size_t d = groups() + 2; d < shape.size(); ++d) {
            kernel *= shape[d];
        }
        const std::size_t oc = shape[groups() + 1];
        const std::size_t group = groups() == 0 ? 0 : element / (kernel * oc * shape[1]);
        return group * oc + element / kernel % oc;
    }

    std::size_t zero_point_input() const override { return 3; }

    dnnl::primitive_desc create(const Descriptors& d,
                                const Padding& p,
                                const dnnl::primitive_attr& attr,
                                const std::string& preferred) const override {
        const dnnl::deconvolution_forward::desc operation(
            dnnl::prop_kind::forward_inference, dnnl::algorithm::deconvolution_direct, d.src, d.wei,
            d.bias, d.dst, p.strides, p.dilations, p.begin, p.end);
        return implementation_named(
            dnnl::deconvolution_forward::primitive_desc(operation, attr, cpu_engine()), preferred);
    }

    std::int64_t macs() const override {
        // Every element of src meets every weight of its group.
        return static_cast<std::int64_t>(shape_size(src().dims()) *
                                         (weights().get_size() / src().dims()[1]));
    }

private:
    // Number of dimensions before the channels of the weights: one for a grouped operation.
    std::size_t groups() const { return node().is("GroupConvolutionBackpropData") ? 1 : 0; }
};

}  // namespace

TensorId make_deconvolution(StepBuilder& builder, const Group& group) {
    return DeconvolutionMaker(builder, group).make();
}

}  // namespace fuseq::cpu
