// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What convolutions and deconvolutions share: src and dst channels-last, weights in the layout that
// oneDNN likes best, packed at compile time and shared by all requests.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cpu/lowering/anchor.hpp"

namespace fuseq::cpu {

class SpatialAnchorMaker {
public:
    SpatialAnchorMaker(StepBuilder& builder, const Group& group);
    virtual ~SpatialAnchorMaker() = default;
    TensorId make();

protected:
    // One spatial dimension as oneDNN takes it (dilation 0: dense).
    struct Padding {
        dnnl::memory::dims strides, dilations, begin, end;
    };
    struct Descriptors {
        dnnl::memory::desc src, wei, bias, dst;
    };

    virtual post_ops::AnchorKind kind() const = 0;
    virtual const char* kind_name() const = 0;
    virtual Padding padding() const = 0;
    // Dimensions of the weights as oneDNN counts them: [G,] OC, IC, kernel.
    virtual dnnl::memory::desc plain_weights(ElementType type) const = 0;
    // Output channel of an element of the IR's weights.
    virtual std::size_t output_channel(std::size_t element) const = 0;
    // Input of the node that holds the zero point.
    virtual std::size_t zero_point_input() const = 0;
    virtual dnnl::primitive_desc create(const Descriptors& descriptors,
                                        const Padding& padding,
                                        const dnnl::primitive_attr& attr,
                                        const std::string& preferred) const = 0;
    virtual std::int64_t macs() const = 0;

    const Node& node() const { return *group_.anchor; }
    const PlanTensor& src() const { return src_; }
    const Tensor& weights() const { return weights_; }
    const Shape& dst_dims() const { return dst_dims_; }

private:
    void read_node();
    void avoid_saturation();
    void widen(std::string why);
    std::optional<std::string> try_primitive(const ComposedAnchor& composed);
    Tensor constant_weights(const post_ops::Values& scale) const;
    TensorId add_step(const ComposedAnchor& composed, std::vector<std::string> notes);
    StepInfo describe(const ComposedAnchor& composed, std::vector<std::string> notes) const;

    StepBuilder& builder_;
    const Group& group_;
    TensorId src_id_ = kNoTensor;
    PlanTensor src_;
    Tensor weights_;
    ElementType wei_type_ = ElementType::undefined;  // that the primitive reads
    Shape dst_dims_;
    std::vector<float> zero_points_{0.0f};
    int zero_point_ = 0;    // the one that the primitive subtracts
    std::string note_;      // why it does not run in int8
    bool widened_ = false;  // computes in f32 on integers
    dnnl::primitive_desc desc_;
};

}  // namespace fuseq::cpu
