// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/detection/box_overlap.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/detection/box_overlap.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// std::max and std::min, which give their first operand when the two are not ordered.
template <class V>
HWY_INLINE V larger(V a, V b) {
    return hn::IfThenElse(hn::Lt(a, b), b, a);
}
template <class V>
HWY_INLINE V lesser(V a, V b) {
    return hn::IfThenElse(hn::Lt(b, a), b, a);
}

template <class T>
struct Columns {
    const T *x1, *y1, *x2, *y2, *area;
    explicit Columns(const BoxColumns<T>& boxes)
        : x1(boxes.column(0)),
          y1(boxes.column(1)),
          x2(boxes.column(2)),
          y2(boxes.column(3)),
          area(boxes.column(4)) {}
};

using Float = hn::ScalableTag<float>;
using Double = hn::ScalableTag<double>;

HWY_INLINE hn::Vec<Float> overlap_at(const Columns<float>& kept,
                                     std::size_t i,
                                     const BoxColumns<float>::Box& box) {
    const Float d;
    const auto zero = hn::Zero(d);
    const auto own = hn::Set(d, box.area);
    const auto area = hn::LoadU(d, kept.area + i);
    const auto width = hn::Sub(lesser(hn::Set(d, box.x2), hn::LoadU(d, kept.x2 + i)),
                               larger(hn::Set(d, box.x1), hn::LoadU(d, kept.x1 + i)));
    const auto height = hn::Sub(lesser(hn::Set(d, box.y2), hn::LoadU(d, kept.y2 + i)),
                                larger(hn::Set(d, box.y1), hn::LoadU(d, kept.y1 + i)));
    const auto common = hn::Mul(width, height);
    const auto some = hn::And(hn::And(hn::Gt(width, zero), hn::Gt(height, zero)),
                              hn::And(hn::Gt(own, zero), hn::Gt(area, zero)));
    if (hn::AllFalse(d, some)) {
        return zero;
    }
    return hn::IfThenElseZero(some, hn::Div(common, hn::Sub(hn::Add(own, area), common)));
}

HWY_INLINE hn::Vec<Double> overlap_at(const Columns<double>& kept,
                                      std::size_t i,
                                      const BoxColumns<double>::Box& box,
                                      double extra) {
    const Double d;
    const auto zero = hn::Zero(d);
    const auto own = hn::Set(d, box.area);
    const auto area = hn::LoadU(d, kept.area + i);
    const auto x1 = larger(hn::Set(d, box.x1), hn::LoadU(d, kept.x1 + i));
    const auto y1 = larger(hn::Set(d, box.y1), hn::LoadU(d, kept.y1 + i));
    const auto x2 = lesser(hn::Set(d, box.x2), hn::LoadU(d, kept.x2 + i));
    const auto y2 = lesser(hn::Set(d, box.y2), hn::LoadU(d, kept.y2 + i));
    const auto apart = hn::Or(hn::Lt(x2, x1), hn::Lt(y2, y1));
    if (hn::AllTrue(d, apart)) {  // most boxes are far apart
        return zero;
    }
    const auto side = hn::Set(d, extra);
    const auto common = hn::Mul(hn::Add(hn::Sub(x2, x1), side), hn::Add(hn::Sub(y2, y1), side));
    const auto some = hn::And(hn::Gt(own, zero), hn::And(hn::Gt(area, zero), hn::Gt(common, zero)));
    const auto quotient = hn::Div(common, hn::Sub(hn::Add(own, area), common));
    return hn::IfThenZeroElse(apart, hn::IfThenElseZero(some, quotient));
}

template <class D, class Overlap, class T>
HWY_INLINE bool any_above(D d, std::size_t count, T threshold, const Overlap& overlap) {
    const std::size_t lanes = hn::Lanes(d);
    const auto bound = hn::Set(d, threshold);
    for (std::size_t i = 0; i < count; i += lanes) {
        auto above = hn::Gt(overlap(i), bound);
        if (i + lanes > count) {
            above = hn::And(above, hn::FirstN(d, count - i));
        }
        if (!hn::AllFalse(d, above)) {
            return true;
        }
    }
    return false;
}

bool any_of_floats(const BoxColumns<float>& kept,
                   const BoxColumns<float>::Box& box,
                   float threshold) {
    const Columns<float> columns(kept);
    return any_above(Float(), kept.size(), threshold,
                     [&](std::size_t i) HWY_ATTR { return overlap_at(columns, i, box); });
}

bool any_of_doubles(const BoxColumns<double>& kept,
                    const BoxColumns<double>::Box& box,
                    double extra,
                    double threshold) {
    const Columns<double> columns(kept);
    return any_above(Double(), kept.size(), threshold,
                     [&](std::size_t i) HWY_ATTR { return overlap_at(columns, i, box, extra); });
}

void all_of_doubles(const BoxColumns<double>& kept,
                    const BoxColumns<double>::Box& box,
                    double extra,
                    std::size_t first,
                    double* to) {
    const Columns<double> columns(kept);
    const Double d;
    const std::size_t lanes = hn::Lanes(d);
    for (std::size_t i = first; i < kept.size(); i += lanes) {
        hn::StoreU(overlap_at(columns, i, box, extra), d, to + (i - first));
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(any_of_floats);
HWY_EXPORT(any_of_doubles);
HWY_EXPORT(all_of_doubles);

bool overlaps_any(const BoxColumns<float>& kept,
                  const BoxColumns<float>::Box& box,
                  float threshold) {
    return HWY_DYNAMIC_DISPATCH(any_of_floats)(kept, box, threshold);
}

bool overlaps_any(const BoxColumns<double>& kept,
                  const BoxColumns<double>::Box& box,
                  double extra,
                  double threshold) {
    return HWY_DYNAMIC_DISPATCH(any_of_doubles)(kept, box, extra, threshold);
}

void overlaps(const BoxColumns<double>& kept,
              const BoxColumns<double>::Box& box,
              double extra,
              std::size_t first,
              double* to) {
    HWY_DYNAMIC_DISPATCH(all_of_doubles)(kept, box, extra, first, to);
}

}  // namespace fuseq::kernels
#endif  // HWY_ONCE
