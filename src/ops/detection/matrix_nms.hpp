// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/detection/class_nms.hpp"

namespace fuseq {

enum class DecayFunction { kGaussian, kLinear };
template <>
struct EnumNames<DecayFunction> {
    static constexpr const char* kNames[] = {"gaussian", "linear"};
};

struct MatrixNmsAttrs final : ClassNmsAttrs {
    DecayFunction decay_function = DecayFunction::kLinear;
    float gaussian_sigma = 2.0F;
    float post_threshold = 0.0F;
    void visit(AttributeVisitor& v) override {
        ClassNmsAttrs::visit(v);
        v.optional("decay_function", decay_function);
        v.optional("gaussian_sigma", gaussian_sigma);
        v.optional("post_threshold", post_threshold);
    }
    std::unique_ptr<Attributes> clone() const override {
        return std::make_unique<MatrixNmsAttrs>(*this);
    }
};

struct MulticlassNmsAttrs final : ClassNmsAttrs {
    float iou_threshold = 0.0F;
    float nms_eta = 1.0F;
    void visit(AttributeVisitor& v) override {
        ClassNmsAttrs::visit(v);
        v.optional("iou_threshold", iou_threshold);
        v.optional("nms_eta", nms_eta);
    }
    std::unique_ptr<Attributes> clone() const override {
        return std::make_unique<MulticlassNmsAttrs>(*this);
    }
};

// What an overlap with a better box leaves of a score; `largest` is the overlap of that box with
// those before it.
double matrix_decay(const MatrixNmsAttrs& attrs, double iou, double largest);

// The suppression of classes of other types, one box at a time.
std::vector<Detection> suppress_matrix_f64(const ClassView<double>& view,
                                           const ClassNmsAttrs& common);
std::vector<Detection> suppress_greedy_f64(const ClassView<double>& view,
                                           const ClassNmsAttrs& common);

}  // namespace fuseq
