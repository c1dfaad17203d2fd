// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ops/axis_groups.hpp"
#include "ops/detection/detectron.hpp"
#include "ops/op_list.hpp"

namespace fuseq::detectron_top_k_rois_ops {
namespace {

constexpr std::int64_t kLargest = 1 << 24;

void infer(InferContext& context) {
    const std::int64_t max_rois = context.attrs<DetectronTopKRoisAttrs>().max_rois;
    context.require(max_rois >= 0 && max_rois <= kLargest, "max_rois is ", max_rois,
                    ", expected a value in [0, ", kLargest, "]");
    require_real(context, 0, "rois");
    context.require_same_type(1, 0);
    PartialShape rois = context.shape(0);
    rois = rois.rank_is_static() ? rois : PartialShape::dynamic(2);
    context.require(rois.rank() == 2 && rois[1].compatible(4) &&
                        context.shape(1).compatible(PartialShape{rois[0]}),
                    "rois have shape ", to_string(rois), ", their scores ",
                    to_string(context.shape(1)), ", expected [N,4] and [N]");
    context.set_output(0, context.type(0), {max_rois, 4});
}

template <class T>
void run(EvalContext& context) {
    const auto max_rois =
        static_cast<std::size_t>(context.attrs<DetectronTopKRoisAttrs>().max_rois);
    const std::size_t count = context.input(1).get_size();
    const T* rois = context.input(0).data<T>();
    const T* scores = context.input(1).data<T>();
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    // NaN has no place in an order: it comes last.
    const auto score = [&](std::size_t i) {
        return std::isnan(static_cast<double>(scores[i])) ? -INFINITY
                                                          : static_cast<double>(scores[i]);
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return score(a) > score(b); });
    T* out = context.output(0, {max_rois, 4}).template data<T>();
    for (std::size_t i = 0; i < max_rois; ++i, out += 4) {
        if (i < count) {
            std::copy_n(rois + order[i] * 4, 4, out);
        } else {
            std::fill_n(out, 4, T{0});
        }
    }
}

void evaluate(EvalContext& context) {
    const Shape& rois = context.input(0).get_shape();
    context.require(
        rois.size() == 2 && rois[1] == 4 && context.input(1).get_shape() == Shape{rois[0]},
        "rois have shape ", to_string(rois), ", their scores ",
        to_string(context.input(1).get_shape()));
    dispatch_real(context, context.input(0).get_element_type(),
                  [&](auto tag) { run<typename decltype(tag)::type>(context); });
}

const OpSpec kOps[] = {
    {.type = "ExperimentalDetectronTopKROIs",
     .version = 6,
     .inputs = {2, 2},
     .make_attributes = make_attributes<DetectronTopKRoisAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "The regions with the best scores, best first; missing rows are 0",
     .refused = "max_rois below 0"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::detectron_top_k_rois_ops
