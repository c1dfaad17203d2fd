// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Poolings of regions of a feature map.
#pragma once

#include <vector>

#include "fuseq/attributes.hpp"

namespace fuseq {

enum class RoiPoolingMethod { kMax, kBilinear };
template <>
struct EnumNames<RoiPoolingMethod> {
    static constexpr const char* kNames[] = {"max", "bilinear"};
};

// Newer IRs say output_size, output_roi or both, older ones pooled_h and pooled_w.
struct RoiPoolingAttrs final : AttributesOf<RoiPoolingAttrs> {
    std::int64_t pooled_h = 0;
    std::int64_t pooled_w = 0;
    std::vector<std::int64_t> output_size;
    std::vector<std::int64_t> output_roi;
    float spatial_scale = 1.0F;
    RoiPoolingMethod method = RoiPoolingMethod::kMax;
    void visit(AttributeVisitor& v) override {
        v.optional("pooled_h", pooled_h);
        v.optional("pooled_w", pooled_w);
        v.optional("output_size", output_size);
        v.optional("output_roi", output_roi);
        v.required("spatial_scale", spatial_scale);
        v.optional("method", method);
    }
};

enum class PsRoiPoolingMode { kAverage, kBilinear };
template <>
struct EnumNames<PsRoiPoolingMode> {
    static constexpr const char* kNames[] = {"average", "bilinear"};
};

struct PsRoiPoolingAttrs final : AttributesOf<PsRoiPoolingAttrs> {
    std::int64_t output_dim = 1;
    std::int64_t group_size = 1;
    float spatial_scale = 1.0F;
    PsRoiPoolingMode mode = PsRoiPoolingMode::kAverage;
    std::int64_t spatial_bins_x = 1;
    std::int64_t spatial_bins_y = 1;
    void visit(AttributeVisitor& v) override {
        v.required("output_dim", output_dim);
        v.optional("group_size", group_size);
        v.required("spatial_scale", spatial_scale);
        v.optional("mode", mode);
        v.optional("spatial_bins_x", spatial_bins_x);
        v.optional("spatial_bins_y", spatial_bins_y);
    }
};

enum class RoiAlignMode { kAvg, kMax };
template <>
struct EnumNames<RoiAlignMode> {
    static constexpr const char* kNames[] = {"avg", "max"};
};

enum class RoiAlignedMode { kAsymmetric, kHalfPixelForNn, kHalfPixel };
template <>
struct EnumNames<RoiAlignedMode> {
    static constexpr const char* kNames[] = {"asymmetric", "half_pixel_for_nn", "half_pixel"};
};

struct RoiAlignAttrs : AttributesOf<RoiAlignAttrs> {
    std::int64_t pooled_h = 1;
    std::int64_t pooled_w = 1;
    std::int64_t sampling_ratio = 0;
    float spatial_scale = 1.0F;
    RoiAlignMode mode = RoiAlignMode::kAvg;
    RoiAlignedMode aligned_mode = RoiAlignedMode::kAsymmetric;  // from opset 9 on
    void visit(AttributeVisitor& v) override {
        v.required("pooled_h", pooled_h);
        v.required("pooled_w", pooled_w);
        v.required("sampling_ratio", sampling_ratio);
        v.required("spatial_scale", spatial_scale);
        v.required("mode", mode);
    }
};

struct RoiAlign9Attrs final : RoiAlignAttrs {
    void visit(AttributeVisitor& v) override {
        RoiAlignAttrs::visit(v);
        v.optional("aligned_mode", aligned_mode);
    }
    std::unique_ptr<Attributes> clone() const override {
        return std::make_unique<RoiAlign9Attrs>(*this);
    }
};

struct RoiAlignRotatedAttrs final : AttributesOf<RoiAlignRotatedAttrs> {
    std::int64_t pooled_h = 1;
    std::int64_t pooled_w = 1;
    std::int64_t sampling_ratio = 0;
    float spatial_scale = 1.0F;
    bool clockwise_mode = false;
    void visit(AttributeVisitor& v) override {
        v.required("pooled_h", pooled_h);
        v.required("pooled_w", pooled_w);
        v.required("sampling_ratio", sampling_ratio);
        v.required("spatial_scale", spatial_scale);
        v.optional("clockwise_mode", clockwise_mode);
    }
};

enum class DeformablePsRoiPoolingMode { kBilinearDeformable };
template <>
struct EnumNames<DeformablePsRoiPoolingMode> {
    static constexpr const char* kNames[] = {"bilinear_deformable"};
};

struct DeformablePsRoiPoolingAttrs final : AttributesOf<DeformablePsRoiPoolingAttrs> {
    std::int64_t output_dim = 1;
    float spatial_scale = 1.0F;
    std::int64_t group_size = 1;
    DeformablePsRoiPoolingMode mode = DeformablePsRoiPoolingMode::kBilinearDeformable;
    std::int64_t spatial_bins_x = 1;
    std::int64_t spatial_bins_y = 1;
    float trans_std = 1.0F;
    std::int64_t part_size = 1;
    void visit(AttributeVisitor& v) override {
        v.required("output_dim", output_dim);
        v.required("spatial_scale", spatial_scale);
        v.optional("group_size", group_size);
        v.optional("mode", mode);
        v.optional("spatial_bins_x", spatial_bins_x);
        v.optional("spatial_bins_y", spatial_bins_y);
        v.optional("trans_std", trans_std);
        v.optional("part_size", part_size);
    }
};

}  // namespace fuseq
