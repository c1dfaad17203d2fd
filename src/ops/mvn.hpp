// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fuseq/attributes.hpp"

namespace fuseq {

enum class EpsMode { kInsideSqrt, kOutsideSqrt };
template <>
struct EnumNames<EpsMode> {
    static constexpr const char* kNames[] = {"INSIDE_SQRT", "OUTSIDE_SQRT"};
};

struct MvnAttrs final : AttributesOf<MvnAttrs> {
    bool normalize_variance = true;
    float eps = 0.0F;
    EpsMode eps_mode = EpsMode::kInsideSqrt;
    // Set by transformations (RMS norm): nothing is subtracted, x / sqrt(mean of x^2 + eps).
    bool keep_mean = false;
    void visit(AttributeVisitor& v) override {
        v.required("normalize_variance", normalize_variance);
        v.required("eps", eps);
        v.required("eps_mode", eps_mode);
        v.internal("keep_mean", keep_mean);
    }
};

struct Mvn1Attrs final : AttributesOf<Mvn1Attrs> {
    bool across_channels = false;
    bool normalize_variance = true;
    float eps = 0.0F;
    std::vector<std::int64_t> reduction_axes;  // stated by newer IRs; overrules across_channels
    void visit(AttributeVisitor& v) override {
        v.optional("across_channels", across_channels);
        v.optional("normalize_variance", normalize_variance);
        v.required("eps", eps);
        v.optional("reduction_axes", reduction_axes);
    }
};

}  // namespace fuseq
