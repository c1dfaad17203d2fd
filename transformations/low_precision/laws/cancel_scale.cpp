// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
//   Law:     (x - mean) / sqrt(variance + e) and x / sqrt(sum of x^2 + e) do not change when x is
//            divided by s > 0 and e by s^2 (by s where e stands outside the square root); the first
//            does not change either when a number is added to x.
//   Before:  DQ(q, s, z) -> MVN | NormalizeL2
//   After:   Convert(q) -> MVN | NormalizeL2 with the other eps
//   Refuses: values per channel (per_channel_scale), a scale that is not positive (scale_sign), a
//            zero point before NormalizeL2 or an MVN that keeps the mean (zero_point), MVN
//            that keeps the variance (keeps_variance), an eps that leaves the range of f32
//            (eps_range).
//   Source:  the definitions of the operations.
#include <cmath>

#include "ops/mvn.hpp"
#include "ops/normalize_l2.hpp"
#include "ops/op_spec.hpp"
#include "transformations/low_precision/laws/law.hpp"
#include "transformations/support/attributes.hpp"

namespace fuseq {
namespace {

LawResult check_scale(const Dequantize& dq) {
    if (!dq.per_tensor()) {
        return LawResult::refused("per_channel_scale", "the source is quantized per channel");
    }
    return keeps_order(dq) ? LawResult::moved() : order_refused();
}

// Divides eps; false when it leaves the range of normal numbers.
bool divide_eps(float& eps, double by) {
    const auto divided = static_cast<float>(eps / by);
    if (eps != 0 && !std::isnormal(divided)) {
        return false;
    }
    eps = divided;
    return true;
}

LawResult zero_point_refused() {
    return LawResult::refused("zero_point", "the zero point of the source is not zero");
}

LawResult eps_refused() {
    return LawResult::refused("eps_range", "eps in units of the integers is not representable");
}

}  // namespace

LawResult cancel_scale_of_mvn(Node& node, const Dequantize& dq) {
    if (LawResult result = check_scale(dq); !result) {
        return result;
    }
    if (!attribute<bool>(node, "normalize_variance")) {
        return LawResult::refused("keeps_variance", "only the mean is taken away");
    }
    const double s = dq.scale[0];
    // MVN-1 has eps inside the square root, MVN-6 says where.
    if (node.spec().version >= 6) {
        auto& attrs = node.attrs<MvnAttrs>();
        if (attrs.keep_mean && dq.has_zero_point()) {
            return zero_point_refused();
        }
        if (!divide_eps(attrs.eps, attrs.eps_mode == EpsMode::kInsideSqrt ? s * s : s)) {
            return eps_refused();
        }
    } else if (!divide_eps(node.attrs<Mvn1Attrs>().eps, s * s)) {
        return eps_refused();
    }
    read_converted(node, dq);
    return LawResult::moved();
}

LawResult cancel_scale_of_normalize_l2(Node& node, const Dequantize& dq) {
    if (LawResult result = check_scale(dq); !result) {
        return result;
    }
    if (dq.has_zero_point()) {
        return zero_point_refused();
    }
    const double s = dq.scale[0];
    if (!divide_eps(node.attrs<NormalizeL2Attrs>().eps, s * s)) {
        return eps_refused();
    }
    read_converted(node, dq);
    return LawResult::moved();
}

}  // namespace fuseq
