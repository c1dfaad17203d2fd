// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/broadcast.hpp"

namespace fuseq {

struct FakeQuantizeAttrs final : AttributesOf<FakeQuantizeAttrs> {
    std::int64_t levels = 256;
    AutoBroadcast auto_broadcast = AutoBroadcast::kNumpy;
    // Set by transformations: the output of a quantize-only FQ is stored as this integer type.
    // Undefined: the type of the input.
    ElementType output_type = ElementType::undefined;
    void visit(AttributeVisitor& v) override {
        v.required("levels", levels);
        v.optional("auto_broadcast", auto_broadcast);
        v.internal("output_type", output_type);
    }
};

// FakeQuantize of one value, by its definition (DESIGN: docs/fake_quantize.md, equation 1):
//   x <= min(il, ih): ol      x > max(il, ih): oh
//   else: round((x - il) / (ih - il) * (levels - 1)) / (levels - 1) * (oh - ol) + ol
// with rounding half to even, in double precision.
double fake_quantize(double x, double il, double ih, double ol, double oh, std::int64_t levels);

}  // namespace fuseq
