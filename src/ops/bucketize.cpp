// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/bucketize.hpp"

#include <algorithm>
#include <vector>

#include "model/typed.hpp"
#include "ops/op_list.hpp"

namespace fuseq::bucketize_ops {
namespace {

std::vector<double> numbers(const Tensor& tensor) {
    std::vector<double> values;
    dispatch_numeric(tensor.get_element_type(), [&](auto tag) {
        for (const auto v : tensor.values<typename decltype(tag)::type>()) {
            values.push_back(static_cast<double>(v));
        }
    });
    return values;
}

template <class Context>
void check_borders(const Context& context, const std::vector<double>& borders) {
    const auto end = std::is_sorted_until(borders.begin(), borders.end());
    context.require(end == borders.end(), "element ", end - borders.begin(), " of the buckets is ",
                    end == borders.end() ? 0.0 : *end, ", expected rising values");
}

void infer(InferContext& context) {
    const ElementType type = context.attrs<BucketizeAttrs>().output_type;
    context.require(type == ElementType::i32 || type == ElementType::i64, "output_type is ",
                    to_string(type), ", expected i32 or i64");
    for (const std::size_t i : {0, 1}) {
        context.require(is_real(context.type(i)) || is_integral(context.type(i)), "input ", i,
                        " is ", to_string(context.type(i)), ", expected numbers");
    }
    const PartialShape& buckets = context.shape(1);
    context.require(!buckets.rank_is_static() || buckets.rank() == 1, "buckets have shape ",
                    to_string(buckets), ", expected rank 1");
    if (const auto known = context.value(1)) {
        check_borders(context, numbers(*known));
    }
    context.set_output(0, type, context.shape(0));
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<BucketizeAttrs>();
    const std::vector<double> borders = numbers(context.input(1));
    check_borders(context, borders);
    std::vector<std::int64_t> found;
    for (const double v : numbers(context.input(0))) {
        const auto at = attrs.with_right_bound
                            ? std::lower_bound(borders.begin(), borders.end(), v)
                            : std::upper_bound(borders.begin(), borders.end(), v);
        found.push_back(at - borders.begin());
    }
    Tensor& output = context.output(0, context.input(0).get_shape());
    if (attrs.output_type == ElementType::i64) {
        std::copy(found.begin(), found.end(), output.data<std::int64_t>());
    } else {
        std::transform(found.begin(), found.end(), output.data<std::int32_t>(),
                       [](std::int64_t v) { return static_cast<std::int32_t>(v); });
    }
}

const OpSpec kOps[] = {
    {.type = "Bucketize",
     .version = 3,
     .inputs = {2, 2},
     .make_attributes = make_attributes<BucketizeAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Number of the interval that holds each value",
     .refused = "borders that do not rise"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::bucketize_ops
