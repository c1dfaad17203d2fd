// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/detection/region_yolo.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/detection/region_yolo.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/eltwise/activation_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

void region_yolo_impl(const RegionYoloParams& p, const float* src, float* dst, Range planes) {
    for (std::size_t plane = planes.begin; plane < planes.end; ++plane) {
        const std::size_t i = plane % p.planes();
        const float* from = src + plane * p.area;
        float* to = dst + plane * p.area;
        if (i > p.coords && p.softmax) {
            continue;
        }
        if (i < 2 || i >= p.coords) {
            for_vectors(p.area, [&](auto d, std::size_t at) HWY_ATTR {
                hn::StoreU(sigmoid(d, hn::LoadU(d, from + at)), d, to + at);
            });
        } else if (from != to) {
            std::copy(from, from + p.area, to);
        }
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(region_yolo_impl);

void region_yolo(const RegionYoloParams& params, const float* src, float* dst, Range planes) {
    HWY_DYNAMIC_DISPATCH(region_yolo_impl)(params, src, dst, planes);
}

}  // namespace fuseq::kernels
#endif  // HWY_ONCE
