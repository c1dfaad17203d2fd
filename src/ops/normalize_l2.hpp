// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

enum class L2EpsMode { kAdd, kMax };
template <>
struct EnumNames<L2EpsMode> {
    static constexpr const char* kNames[] = {"add", "max"};
};

struct NormalizeL2Attrs final : AttributesOf<NormalizeL2Attrs> {
    float eps = 0.0F;
    L2EpsMode eps_mode = L2EpsMode::kAdd;
    void visit(AttributeVisitor& v) override {
        v.required("eps", eps);
        v.required("eps_mode", eps_mode);
    }
};

// Divides by sqrt(sum of squares over the channels + bias).
struct GrnAttrs final : AttributesOf<GrnAttrs> {
    float bias = 0.0F;
    void visit(AttributeVisitor& v) override { v.required("bias", bias); }
};

}  // namespace fuseq
