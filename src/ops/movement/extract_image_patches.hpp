// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ops/spatial.hpp"

namespace fuseq {

struct ExtractImagePatchesAttrs final : AttributesOf<ExtractImagePatchesAttrs> {
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> strides;
    std::vector<std::int64_t> rates;
    AutoPad auto_pad = AutoPad::kValid;
    void visit(AttributeVisitor& v) override {
        v.required("sizes", sizes);
        v.required("strides", strides);
        v.required("rates", rates);
        v.required("auto_pad", auto_pad);
    }
};

}  // namespace fuseq
