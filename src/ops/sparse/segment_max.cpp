// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// SegmentMax-16: data [N, rest...], segment_ids [N], which do not fall, and, optional, the number
// of segments S -> [S, rest...], the maximum of the rows of each segment. Without a number there
// are as many as the ids need; rows of segments beyond the number are left out.
#include "ops/sparse/segment_max.hpp"

#include <algorithm>
#include <limits>

#include "model/typed.hpp"
#include "ops/indexing.hpp"
#include "ops/op_list.hpp"
#include "ops/scalars.hpp"
#include "ops/stated_sizes.hpp"

namespace fuseq::segment_max_ops {
namespace {

template <class Context>
void check_ids(const Context& context, const std::vector<std::int64_t>& ids) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const std::int64_t lowest = i == 0 ? 0 : ids[i - 1];
        context.require(ids[i] >= lowest, "element ", i, " of segment_ids is ", ids[i],
                        ", expected ", lowest, " or more");
    }
}

// Number of segments where none is given.
template <class Context>
std::int64_t needed(const Context& context, const std::vector<std::int64_t>& ids) {
    constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();
    return ids.empty() ? 0
                       : checked_count(context, std::min(ids.back(), kHighest - 1) + 1,
                                       "the highest of segment_ids plus 1");
}

template <class Context>
void check_rows(const Context& context, const PartialShape& data, const PartialShape& ids) {
    context.require(ids.compatible(PartialShape::dynamic(1)), "segment_ids have shape ",
                    to_string(ids), ", expected rank 1");
    if (data.rank_is_static()) {
        context.require(data.rank() >= 1, "data is a scalar, expected rank 1 or more");
        context.require(!ids.rank_is_static() || data[0].compatible(ids[0]), "data of shape ",
                        to_string(data), " has ", to_string(data[0]), " rows, segment_ids has ",
                        to_string(ids[0]), " elements");
    }
}

Dimension segments_of(const InferContext& context) {
    const auto ids = context.ints(1);
    if (ids) {
        check_ids(context, *ids);
    }
    if (context.has_input(2)) {
        const auto count = known_int(context, 2, 0);
        return count ? Dimension(checked_count(context, *count, "num_segments"))
                     : Dimension::dynamic();
    }
    return ids ? Dimension(needed(context, *ids)) : Dimension::dynamic();
}

void infer(InferContext& context) {
    context.require(is_real(context.type(0)) || is_integral(context.type(0)), "data is ",
                    to_string(context.type(0)), ", expected a numeric type");
    context.require(is_integral(context.type(1)), "segment_ids are ", to_string(context.type(1)),
                    ", expected an integer type");
    require_int_scalar(context, 2, "num_segments");
    PartialShape shape = context.shape(0);
    check_rows(context, shape, context.shape(1));
    const Dimension segments = segments_of(context);
    if (shape.rank_is_static()) {
        shape[0] = segments;
    }
    context.set_output(0, context.type(0), shape);
}

void evaluate(EvalContext& context) {
    const Tensor& data = context.input(0);
    const std::vector<std::int64_t> ids = to_ints(context.input(1));
    Shape shape = data.get_shape();
    check_rows(context, shape, context.input(1).get_shape());
    check_ids(context, ids);
    const std::int64_t segments =
        context.has_input(2)
            ? checked_count(context, int_input(context, 2, "num_segments", 0), "num_segments")
            : needed(context, ids);
    const std::size_t row = partial_size(shape, 1, shape.size());
    shape[0] = static_cast<std::size_t>(segments);
    Tensor& output = context.output(0, shape);
    const bool lowest = context.attrs<SegmentMaxAttrs>().fill_mode == SegmentFill::kLowest;
    dispatch_numeric(data.get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        T* out = output.data<T>();
        std::fill_n(out, output.get_size(), lowest ? std::numeric_limits<T>::lowest() : T{0});
        for (std::size_t i = 0; i < ids.size() && ids[i] < segments; ++i) {
            const T* from = data.data<T>() + i * row;
            T* to = out + static_cast<std::size_t>(ids[i]) * row;
            const bool first = i == 0 || ids[i] != ids[i - 1];
            std::transform(from, from + row, to, to,
                           [&](T x, T max_value) { return first ? x : std::max(max_value, x); });
        }
    });
}

const OpSpec kOps[] = {
    {.type = "SegmentMax",
     .version = 16,
     .inputs = {2, 3},
     .make_attributes = make_attributes<SegmentMaxAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Maximum of the rows of each segment",
     .refused = "segment_ids that fall or are negative; more than 2^24 segments"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::segment_max_ops
