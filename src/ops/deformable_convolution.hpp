// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/convolution.hpp"
#include "ops/for_each_task.hpp"

namespace fuseq {

struct DeformableConvolutionAttrs : AttributesOf<DeformableConvolutionAttrs> {
    ConvolutionAttrs window;
    std::int64_t group = 1;
    std::int64_t deformable_group = 1;        // each has offsets of its own
    bool bilinear_interpolation_pad = false;  // an attribute from opset 8 on
    void visit(AttributeVisitor& v) override {
        window.visit(v);
        v.optional("group", group);
        v.optional("deformable_group", deformable_group);
    }
};

struct DeformableConvolution8Attrs final : DeformableConvolutionAttrs {
    void visit(AttributeVisitor& v) override {
        DeformableConvolutionAttrs::visit(v);
        v.optional("bilinear_interpolation_pad", bilinear_interpolation_pad);
    }
    std::unique_ptr<Attributes> clone() const override {
        return std::make_unique<DeformableConvolution8Attrs>(*this);
    }
};

// The kernel, in tasks of some positions of dst.
void run_deformable_convolution(EvalContext& context, ForEachTask for_each = one_task_at_a_time);

}  // namespace fuseq
