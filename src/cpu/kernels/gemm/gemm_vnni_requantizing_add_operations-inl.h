// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The operations of a requantizing add on all pairs of bytes, in float. For
// gemm_vnni_requantizing_add.cpp only. To be included after hwy/highway.h, once a target.
#if defined(FUSEQ_GEMM_VNNI_REQUANTIZING_ADD_OPERATIONS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FUSEQ_GEMM_VNNI_REQUANTIZING_ADD_OPERATIONS_INL_H_
#undef FUSEQ_GEMM_VNNI_REQUANTIZING_ADD_OPERATIONS_INL_H_
#else
#define FUSEQ_GEMM_VNNI_REQUANTIZING_ADD_OPERATIONS_INL_H_
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using gemm::PackedOp;
using Kind = GemmOp::Kind;
using DF = hn::ScalableTag<float>;
constexpr int kBytes = 256;

struct Range {
    int low = 0, high = 0;
};
constexpr Range kUnsigned{0, 255};
constexpr Range kSigned{-128, 127};

bool is_uniform(const AlignedVector<float>& list, std::size_t channels) {
    return std::all_of(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(channels),
                       [&](float v) { return v == list[0]; });
}

// An affine function of q and r, up to rounding.
struct Plane {
    double q = 1, r = 0, constant = 0;
};

// The operations after the quantization, on floats as the general epilogue has them.
class Operations {
public:
    Operations(const std::vector<PackedOp>& ops, std::size_t channels) {
        possible_ = ops.size() > 1 && ops[0].kind == Kind::kRoundClip;
        for (const PackedOp& op : ops) {
            possible_ = possible_ && is_uniform(op.a, channels) && is_uniform(op.b, channels);
        }
        if (!possible_) {
            return;
        }
        q_ = {static_cast<int>(ops[0].a[0]), static_cast<int>(ops[0].b[0])};
        possible_ = is_byte(q_) && static_cast<float>(q_.low) == ops[0].a[0] &&
                    static_cast<float>(q_.high) == ops[0].b[0];
        for (std::size_t i = 1; possible_ && i < ops.size(); ++i) {
            possible_ = add(ops[i]);
        }
        possible_ = possible_ && tensor_ != nullptr;
        if (possible_) {
            find_far();
        }
    }

    bool possible() const { return possible_; }
    Range q() const { return q_; }
    Range r() const { return tensor_->type == ElementType::u8 ? kUnsigned : kSigned; }
    std::size_t input() const { return tensor_->input; }
    const Plane& plane() const { return plane_; }  // above zero, where there is an activation
    bool has_elu() const { return has_elu_; }
    const std::optional<Plane>& below() const { return below_; }  // of a leaky relu

    struct Row {
        std::array<float, kBytes> values;
        std::array<std::uint8_t, kBytes> below;  // 1 where an activation gets nothing above zero
    };
    // For one q and each r, from the lowest one on.
    Row row(int q) const {
        Row row{};
        row.values.fill(static_cast<float>(q));
        for (const Step& step : steps_) {
            apply(step, row);
        }
        return row;
    }

private:
    struct Step {
        Kind kind;
        float a, b;
    };

    void apply(const Step& step, Row& row) const {
        std::array<float, kBytes>& v = row.values;
        const auto each = [&](auto&& f) FUSEQ_HWY_LAMBDA {
            for (int i = 0; i < kBytes; ++i) {
                v[static_cast<std::size_t>(i)] = f(v[static_cast<std::size_t>(i)], i);
            }
        };
        const float a = step.a, b = step.b;
        const auto low = static_cast<float>(r().low);
        switch (step.kind) {
            case Kind::kScale: each([&](float x, int) FUSEQ_HWY_LAMBDA { return x * a; }); break;
            case Kind::kShift: each([&](float x, int) FUSEQ_HWY_LAMBDA { return x + a; }); break;
            case Kind::kAffine:
                each([&](float x, int) FUSEQ_HWY_LAMBDA { return x * a + b; });
                break;
            case Kind::kLinear:
                each([&](float x, int) FUSEQ_HWY_LAMBDA { return std::fma(x, a, b); });
                break;
            case Kind::kEltwise: apply_elu(step, row); break;
            case Kind::kPrelu:
                for (std::size_t i = 0; i < kBytes; ++i) {
                    row.below[i] = v[i] > 0 ? 0 : 1;
                    v[i] = v[i] > 0 ? v[i] : v[i] * a;
                }
                break;
            default:
                each([&](float x, int i)
                         FUSEQ_HWY_LAMBDA { return std::fma(low + static_cast<float>(i), a, x); });
                break;
        }
    }

    // As post_ops::apply() has it, but where all is rounded to the lowest byte.
    void apply_elu(const Step& step, Row& row) const {
        const DF d;
        const hn::RebindToSigned<DF> d32;
        const hn::Rebind<std::uint8_t, DF> d8;
        const double below = static_cast<double>(step.b) * static_cast<double>(step.a);
        const auto lowest = hn::Set(d, static_cast<float>(-below));
        for (std::size_t i = 0; i < kBytes; i += hn::Lanes(d)) {
            const auto x = hn::LoadU(d, row.values.data() + i);
            const auto is_above = hn::Gt(x, hn::Zero(d));
            const auto near = hn::AndNot(is_above, hn::Ge(x, hn::Set(d, far_)));
            const auto is_below =
                hn::IfThenZeroElse(hn::RebindMask(d32, is_above), hn::Set(d32, 1));
            hn::StoreU(hn::DemoteTo(d8, is_below), d8, row.below.data() + i);
            alignas(64) float values[hn::MaxLanes(d)];
            hn::Store(x, d, values);
            hn::StoreU(hn::IfThenElse(is_above, hn::Mul(x, hn::Set(d, step.b)), lowest), d,
                       row.values.data() + i);
            if (hn::AllFalse(d, near)) {
                continue;
            }
            for (std::size_t n = 0; n < hn::Lanes(d); ++n) {
                if (values[n] >= far_ && row.below[i + n] != 0) {
                    row.values[i + n] =
                        static_cast<float>(below * std::expm1(static_cast<double>(values[n])));
                }
            }
        }
    }

    // Exponentials would take most of the time of a search.
    void find_far() {
        const auto elu = std::find_if(steps_.begin(), steps_.end(),
                                      [](const Step& step) { return step.kind == Kind::kEltwise; });
        if (elu == steps_.end()) {
            return;
        }
        Row row{};
        for (int i = 0; i < kBytes; ++i) {
            row.values[static_cast<std::size_t>(i)] = far_ * static_cast<float>(i) / (kBytes - 1);
        }
        const std::array<float, kBytes> places = row.values;
        std::for_each(elu, steps_.end(), [&](const Step& step) { apply(step, row); });
        std::size_t i = kBytes - 1;
        while (i > 0 && std::nearbyint(row.values[i - 1]) == std::nearbyint(row.values.back())) {
            --i;
        }
        far_ = places[i];
    }

    static bool is_byte(Range range) {
        return (range.low == 0 && range.high == 255) || (range.low == -128 && range.high == 127);
    }

    bool add(const PackedOp& op) {
        Step step{op.kind, op.a[0], op.b[0]};
        switch (op.kind) {
            case Kind::kScale: scale(step.a, 0); break;
            case Kind::kShift: scale(1, step.a); break;
            case Kind::kAffine:
            case Kind::kLinear: scale(step.a, step.b); break;
            case Kind::kSum:
                if (tensor_ != nullptr || op.binary.type == ElementType::f32) {
                    return false;
                }
                tensor_ = &op.binary;
                step.a = op.binary.scale;
                plane_.r = static_cast<double>(step.a);
                break;
            case Kind::kEltwise:
                if (tensor_ == nullptr || has_elu_ || below_ ||
                    op.eltwise.kind != post_ops::EltwiseKind::kElu) {
                    return false;
                }
                has_elu_ = true;
                step.a = op.eltwise.alpha;
                step.b = op.eltwise.scale;
                scale(step.b, 0);
                break;
            case Kind::kPrelu:
                if (tensor_ == nullptr || has_elu_ || below_ || !(step.a >= 0 && step.a <= 1)) {
                    return false;
                }
                below_ = scaled(plane_, step.a, 0);
                break;
            default: return false;
        }
        steps_.push_back(step);
        // The larger of both planes is the leaky relu.
        return !below_ || step.kind == Kind::kPrelu || step.kind == Kind::kShift || step.a > 0;
    }

    static Plane scaled(const Plane& plane, double by, double shift) {
        return {plane.q * by, plane.r * by, plane.constant * by + shift};
    }
    void scale(double by, double shift) {
        plane_ = scaled(plane_, by, shift);
        if (below_) {
            below_ = scaled(*below_, by, shift);
        }
    }

    bool possible_ = false;
    Range q_;
    std::vector<Step> steps_;
    const post_ops::Binary* tensor_ = nullptr;
    bool has_elu_ = false;
    float far_ = -40.0f;  // below, the exponential of a double is nothing beside 1
    Plane plane_;
    std::optional<Plane> below_;
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#endif  // toggle
